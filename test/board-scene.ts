import { systemClock } from '#clock';
import type { JudgeContext, Notification, SettleContext, Upstream } from '#kit';
import { silentLog } from '#log';
import { createUpstreamClient, toUpstream } from '#upstream';
import { type Received, testBoard } from '../sandbox/board/test-board.ts';
import { connectOAuth } from '../sandbox/board/test-oauth.ts';
import { integrations } from '../src/integrations/index.ts';

const find = () => {
  const board = integrations.find(({ name }) => name === 'board');
  if (board === undefined) throw new Error('there is no board integration');
  return board;
};

/** The board sandbox, watched as the house watches it but without the house around: the real client, no database. */
export const boardScene = async () => {
  const bench = await testBoard();
  bench.board.limits.off = true;
  const client = createUpstreamClient({ clock: systemClock(), log: silentLog, allowPrivate: true });
  const base = new URL(bench.board.url);
  const { sign, fill, readFault, effectOf } = find().upstream;

  const upstreamWith = (credential: unknown): Upstream =>
    toUpstream(
      (request) =>
        client.call({
          base,
          request: { ...request, path: fill?.(request.path, credential) ?? request.path },
          headers: sign(credential),
          effect: effectOf(request),
        }),
      readFault,
    );

  const accountOf = (who = 'ada'): JudgeContext['account'] => {
    const { id, username, fullName: name } = bench.board.member(who);
    return { id: `acc_${who}`, identity: { id, username, name }, scopes: ['read', 'write'] };
  };

  type Asked = { who?: string; triggers?: readonly string[]; now?: Date; credential?: unknown };

  const contextOf = ({ who = 'ada', triggers = [], now = new Date(), credential }: Asked = {}): SettleContext => ({
    upstream: upstreamWith(credential ?? bench.board.credentials(who)),
    account: accountOf(who),
    now,
    triggers: new Set(triggers),
    require: () => {},
    nameOf: () => undefined,
  });

  return {
    bench,
    board: bench.board,
    contextOf,
    accountOf,
    signIn: (who = 'ada') => connectOAuth(bench, who),
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await bench[Symbol.asyncDispose]();
    },
  };
};

export type BoardScene = Awaited<ReturnType<typeof boardScene>>;
export type { Received };

/** A delivery as the door hands it on. */
export const toNotification = ({ method, headers, raw }: Received): Notification => ({
  method: method as Notification['method'],
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  ),
  query: new URLSearchParams(),
  bytes: new TextEncoder().encode(raw),
});
