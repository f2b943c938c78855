import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BoardSandbox, startBoard } from './server.ts';

export type Reply = { status: number; type: string; text: string; body: unknown; headers: Headers };
export type Thing = Record<string, unknown> & { id: string };

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

type Options = { headers?: Record<string, string>; form?: Record<string, string>; multipart?: FormData };

/** A running board with a way to call it. */
export class TestBoard {
  readonly board: BoardSandbox;
  #closers: (() => Promise<void>)[] = [];

  constructor(board: BoardSandbox) {
    this.board = board;
  }

  async raw(method: string, path: string, json?: unknown, options: Options = {}): Promise<Reply> {
    const headers: Record<string, string> = { ...options.headers };
    let body: BodyInit | null = null;
    if (options.form) body = new URLSearchParams(options.form);
    else if (options.multipart) body = options.multipart;
    else if (json !== undefined) {
      body = JSON.stringify(json);
      headers['content-type'] ??= 'application/json';
    }
    const answer = await fetch(this.board.url + path, { method, headers, body, redirect: 'manual' });
    const text = await answer.text();
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
    return { status: answer.status, type, text, body: parsed(text), headers: answer.headers };
  }

  headersOf(who: string): Record<string, string> {
    const { key, token } = this.board.credentials(who);
    return { authorization: `OAuth oauth_consumer_key="${key}", oauth_token="${token}"` };
  }

  /** Calls as somebody; ada unless said otherwise. */
  call(method: string, path: string, json?: unknown, { who = 'ada', ...options }: Options & { who?: string } = {}) {
    return this.raw(method, path, json, { ...options, headers: { ...this.headersOf(who), ...options.headers } });
  }

  /** As call, for what must succeed: the body alone. */
  async make(method: string, path: string, json?: unknown, who = 'ada'): Promise<Thing> {
    const reply = await this.call(method, path, json, { who });
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body as Thing;
  }

  async list(method: string, path: string, who = 'ada'): Promise<Thing[]> {
    return (await this.make(method, path, undefined, who)) as unknown as Thing[];
  }

  control(path: string, body: unknown = {}): Promise<Reply> {
    return this.raw('POST', `/_control/${path}`, body);
  }

  /** The types of the actions made since. */
  typesSince(count: number): string[] {
    return this.board
      .actions()
      .slice(count)
      .map(({ type }) => type);
  }

  async listen(answer: (method: string) => number = () => 200): Promise<Callback> {
    const callback = await Callback.open(answer);
    this.#closers.push(() => callback.close());
    return callback;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closers) await close();
    await this.board.close();
  }
}

export const testBoard = async (): Promise<TestBoard> => new TestBoard(await startBoard());

export type Received = { method: string; path: string; headers: IncomingHttpHeaders; raw: string; body: Delivery };
export type Delivery = {
  action: { id: string; type: string; data: Record<string, unknown>; display: { translationKey: string } };
  model: Thing;
  webhook: Thing;
};

/** Somewhere webhooks arrive. */
export class Callback {
  readonly received: Received[] = [];
  readonly url: string;
  answer: (method: string) => number;
  readonly #stop: () => Promise<void>;
  #waiting: (() => void)[] = [];

  constructor(url: string, answer: (method: string) => number, stop: () => Promise<void>) {
    this.url = url;
    this.answer = answer;
    this.#stop = stop;
  }

  static async open(answer: (method: string) => number): Promise<Callback> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8');
        const { method = '', url: path = '', headers } = request;
        response.writeHead(callback.answer(method)).end();
        callback.#take({ method, path, headers, raw, body: parsed(raw) as Delivery });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const stop = (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    const callback = new Callback(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, answer, stop);
    return callback;
  }

  #take(one: Received): void {
    this.received.push(one);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  get posts(): Received[] {
    return this.received.filter(({ method }) => method === 'POST');
  }

  get types(): string[] {
    return this.posts.map(({ body }) => body.action.type);
  }

  /** Waits until that many have been posted. */
  async until(count: number): Promise<Received[]> {
    while (this.posts.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.posts;
  }

  close(): Promise<void> {
    return this.#stop();
  }
}
