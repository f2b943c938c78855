import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BoardSandbox, startBoard } from '../../sandbox/board/server.ts';

export const ownerKey = 'owner-key-of-the-proof-harness';

/** Somewhere to keep data, and the upstream in our own hands: outside the product, so that counts are the truth. */
export const stage = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-prove-'));
  const board = await startBoard({ port: 0 });
  const environment = {
    DATA_DIR: dataDir,
    BOOTSTRAP_API_KEY: ownerKey,
    SANDBOX: 'on',
    // The board is the second of the sandbox's ports; a sandbox that answers there is used, not started.
    SANDBOX_PORT: String(board.port - 1),
    LOG_LEVEL: 'info',
  };
  return {
    dataDir,
    board,
    environment,
    [Symbol.asyncDispose]: async () => {
      await board.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

export type Answer = { status: number; body: Record<string, unknown> };

/** A call with the owner's key. Throws when no answer came. */
export const call = async (
  origin: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const answer = await fetch(`${origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${ownerKey}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
};

/** Connects the sandbox's first member and answers the account's id. */
export const connectBoard = async (origin: string, board: BoardSandbox): Promise<string> => {
  const given = (await (await fetch(`${board.url}/_control/credentials`)).json()) as {
    members: { key: string; token: string }[];
  };
  const [first] = given.members;
  const auth = { type: 'key_token', key: first?.key, token: first?.token };
  const { status, body } = await call(origin, 'POST', '/v1/accounts', { integration: 'board', auth });
  if (status !== 201) throw new Error(`connecting failed: ${JSON.stringify(body)}`);
  return String(body['id']);
};

export const randomBetween = (low: number, high: number): number => low + Math.random() * (high - low);
