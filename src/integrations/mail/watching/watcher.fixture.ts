import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Callback,
  type CaughtUp,
  type Method,
  type Notification,
  type Occurrence,
  type Path,
  path,
  type Received,
  type Upstream,
  type UpstreamRequest,
  type WatchContext,
  type Watching,
} from '#kit';
import { readFault } from '../faults.ts';
import type { Delivery } from './delivery.ts';
import { createMailWatching } from './index.ts';

/* Support for tests: a mailbox of the sandbox, watched as the house does it. */

type Sandbox = { url: string; tokenFor(user: string, scopes?: readonly string[]): string };
type Told = { occurrences: Occurrence[]; hints: string[]; stretches: number };
export type Asked = { method: string; path: string; body: unknown };

const identities: Record<string, WatchContext['account']['identity']> = {
  ada: { id: 'a11ce000-0000-4000-8000-000000000001', name: 'Ada Marsh', address: 'ada@sandbox.test' },
  ben: { id: 'b0b00000-0000-4000-8000-000000000002', name: 'Ben Okafor', address: 'ben@sandbox.test' },
};

const scopes = ['Mail.Read', 'Mail.ReadWrite', 'Mail.Send', 'Mail.ReadWrite.Shared', 'MailboxSettings.Read'];

const upstreamOf = (base: string, token: string, asked: Asked[]): Upstream => {
  const request = async ({ method, path: target, query = {}, headers = {}, body }: UpstreamRequest) => {
    const url = new URL(`${base}${target}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    asked.push({ method, path: `${target}${decodeURIComponent(url.search)}`, body });
    const answer = await fetch(url, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true && text !== '';
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: isJson ? JSON.parse(text) : text,
    };
  };
  const short =
    (method: Method) =>
    async (target: Path, options: Pick<UpstreamRequest, 'query' | 'headers' | 'body'> = {}): Promise<unknown> => {
      const answer = await request({ ...options, method, path: target });
      if (answer.status < 300) return answer.body;
      throw readFault(answer);
    };
  return {
    get: short('GET'),
    post: short('POST'),
    put: short('PUT'),
    patch: short('PATCH'),
    delete: short('DELETE'),
    download: () => Promise.reject(new Error('Nothing is downloaded here.')),
    upload: () => Promise.reject(new Error('Nothing is uploaded here.')),
    request,
  };
};

/** Watches one person's mailbox, or a shared one, in the person's name. */
export const watcher = (
  sandbox: Sandbox,
  {
    who = 'ada',
    resource = 'mailbox/me',
    granted = scopes,
  }: { who?: string; resource?: string; granted?: string[] } = {},
) => {
  const watching = createMailWatching();
  const asked: Asked[] = [];
  const identity = identities[who] ?? { id: who, name: who };
  const upstream = upstreamOf(`${sandbox.url}/v1.0`, sandbox.tokenFor(identity.address ?? who, granted), asked);
  const context = (now = new Date()): WatchContext => ({
    upstream,
    account: { id: 'acc_1', identity, scopes: granted },
    now,
    triggers: new Set(['new_email']),
  });
  const root = resource === 'mailbox/me' ? path`/me` : path`/users/${resource.slice('mailbox/'.length)}`;
  const below = (rest: Path): Path => `${root}${rest}` as Path;
  let cursor: unknown;
  const goThrough = async (stretch: Watching['catchUp'], asking: WatchContext): Promise<Told> => {
    const told: Told = { occurrences: [], hints: [], stretches: 0 };
    for (let more = true; more; ) {
      const caught: CaughtUp = await stretch(resource, cursor, asking);
      cursor = JSON.parse(JSON.stringify(caught.cursor));
      told.occurrences.push(...caught.occurrences);
      told.hints.push(...(caught.hints ?? []));
      told.stretches += 1;
      more = caught.more;
    }
    return told;
  };
  return {
    watching,
    asked,
    identity,
    upstream,
    context,
    begin: async (since: Date) => {
      cursor = JSON.parse(JSON.stringify(await watching.begin(resource, since, context())));
    },
    cursor: () => cursor as Record<string, unknown>,
    /** Catches up until there is no more; answers all that was told. The cursor goes through JSON, as in the store. */
    catchUp: (now?: Date, more: Partial<WatchContext> = {}): Promise<Told> =>
      goThrough(watching.catchUp, { ...context(now), ...more }),
    /** The same, but for the newest mail alone. */
    glance: (): Promise<Told> => goThrough(watching.glance ?? watching.catchUp, context()),
    read: (hint: string) => watching.read(resource, hint, context()),
    recent: (limit: number) => watching.recent(resource, limit, context()),
    /** An order to the sandbox. */
    order: async (what: string, body: object): Promise<Record<string, string>> => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const answer = await fetch(`${sandbox.url}/_control/${what}`, init);
      if (!answer.ok) throw new Error(await answer.text());
      return (await answer.json()) as Record<string, string>;
    },
    /** Something the person does in their own mail program. */
    act: (method: Method, target: Path, body?: object) =>
      upstream.request({ method, path: below(target), headers: { prefer: 'IdType="ImmutableId"' }, body }),
  };
};
export type Watcher = ReturnType<typeof watcher>;

export const deliveryOf = (occurrence: Occurrence | undefined): Delivery => occurrence?.body as Delivery;
export const subjectsOf = (occurrences: readonly Occurrence[]): string[] =>
  occurrences.map((each) => deliveryOf(each).subject);

/** An address of ours that answers as the house would. */
export const endpoint = async (
  read: (notification: Notification, proof: { isOurSecret(shown: string): boolean }) => Received,
) => {
  const secret = 'the-secret-of-this-watch';
  const received: Exclude<Received, { answer: unknown }>[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { searchParams: query } = new URL(request.url ?? '', 'http://localhost');
      const notification = { method: 'POST', headers: {}, query, bytes: Buffer.concat(chunks) } as const;
      const result = read(notification, { isOurSecret: (shown) => shown === secret });
      if (!('answer' in result)) received.push(result);
      const { status, body = '' } = 'answer' in result ? result.answer : { status: 202 };
      response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const callback: Callback = { url: `http://127.0.0.1:${port}/hooks/1`, secret };
  return {
    callback,
    received,
    hints: () => received.flatMap(({ hints }) => hints),
    notices: () => received.flatMap(({ notices }) => notices),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
