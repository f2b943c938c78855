import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { notificationProblems } from './contract/conformance.ts';
import { type MailOptions, type MailSandbox, startMail } from './server.ts';

/* Support for tests: a running sandbox with ways to call it. */

export type Reply = { status: number; headers: Headers; text: string; json: Record<string, unknown>; code: string };
export type Ask = {
  body?: unknown;
  raw?: string | Uint8Array;
  headers?: Record<string, string>;
  as?: string;
  token?: string;
  scopes?: string;
};

export type Bench = MailSandbox &
  AsyncDisposable & {
    /** A call below /v1.0, or to a whole address such as a nextLink. */
    ask(method: string, path: string, ask?: Ask): Promise<Reply>;
    /** A call of `/_control`. */
    order(path: string, body?: unknown): Promise<Record<string, unknown>>;
    /** The values of a list, across its pages. */
    all(path: string, ask?: Ask): Promise<Record<string, unknown>[]>;
  };

const parsed = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
};

export const mailBench = async (options: MailOptions = {}): Promise<Bench> => {
  const mail = await startMail(options);
  const tokens = new Map<string, string>();
  const tokenOf = (user: string, scopes?: string): string => {
    const key = `${user} ${scopes ?? ''}`;
    const known = tokens.get(key) ?? mail.tokenFor(user, scopes);
    tokens.set(key, known);
    return known;
  };
  const ask = async (method: string, path: string, how: Ask = {}): Promise<Reply> => {
    const url = path.startsWith('http') ? path : `${mail.url}/v1.0${path}`;
    const token = how.token ?? tokenOf(how.as ?? 'ada@sandbox.test', how.scopes);
    const body = how.raw ?? (how.body === undefined ? undefined : JSON.stringify(how.body));
    const response = await fetch(url, {
      method,
      headers: {
        ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
        ...(how.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...how.headers,
      },
      ...(body === undefined ? {} : { body: body as BodyInit }),
    });
    const text = await response.text();
    const json = parsed(text);
    const code = (json['error'] as { code?: string } | undefined)?.code ?? '';
    return { status: response.status, headers: response.headers, text, json, code };
  };
  return {
    ...mail,
    ask,
    order: async (path, body) => {
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(`${mail.url}/_control${path}`, init);
      if (!response.ok) throw new Error(await response.text());
      if (path === '/reset' || path === '/tokens') tokens.clear();
      return (await response.json()) as Record<string, unknown>;
    },
    all: async (path, how) => {
      const values: Record<string, unknown>[] = [];
      for (let next: string | undefined = path; next !== undefined; ) {
        const { json } = await ask('GET', next, how);
        values.push(...(json['value'] as Record<string, unknown>[]));
        next = json['@odata.nextLink'] as string | undefined;
      }
      return values;
    },
    [Symbol.asyncDispose]: () => mail.close(),
  };
};

export const listOf = (reply: Reply): Record<string, unknown>[] => reply.json['value'] as Record<string, unknown>[];
export const idOf = (value: Record<string, unknown> | undefined): string => String(value?.['id']);
export const to = (...addresses: string[]) => addresses.map((address) => ({ emailAddress: { address } }));

/** Waits until something is true of the world, a little at a time. */
export const until = async <T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> => {
  for (let tries = 0; tries < 1500; tries++) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    await sleep(10);
  }
  throw new Error('It did not happen.');
};

export type Heard = { path: string; body: Record<string, unknown> };
export type Listener = AsyncDisposable & {
  url: string;
  /** Single notifications in the order they came. */
  heard: Record<string, unknown>[];
  posts: Heard[];
  handshakes: string[];
  answer: (
    request: IncomingMessage,
    text: string,
  ) => { status: number; body?: string; contentType?: string; wait?: number };
};

/** Somebody who listens for notifications; echoes validation tokens unless `answer` is replaced. */
export const listener = async (): Promise<Listener> => {
  const state: Omit<Listener, typeof Symbol.asyncDispose | 'url'> = {
    heard: [],
    posts: [],
    handshakes: [],
    answer: (request) => {
      const token = new URL(request.url ?? '', 'http://localhost').searchParams.get('validationToken');
      return token === null ? { status: 202 } : { status: 200, body: token };
    },
  };
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const url = new URL(request.url ?? '', 'http://localhost');
      const { status, body = '', contentType = 'text/plain', wait = 0 } = state.answer(request, text);
      if (url.searchParams.has('validationToken')) state.handshakes.push(url.pathname);
      else if (status < 300) {
        const json = parsed(text);
        const problems = notificationProblems(json);
        if (problems.length > 0) throw new Error(problems.join('\n'));
        state.posts.push({ path: url.pathname, body: json });
        state.heard.push(...(json['value'] as Record<string, unknown>[]));
      } else state.posts.push({ path: url.pathname, body: parsed(text) });
      setTimeout(() => response.writeHead(status, { 'Content-Type': contentType }).end(body), wait);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
};
