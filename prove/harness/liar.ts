import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Truth = { status: number; headers: IncomingMessage['headers']; body: Buffer };

/** How a service lies. It is given the way to the truth, and may leave it alone. */
export type Lie = (
  asked: { path: string; write: boolean },
  answer: ServerResponse,
  truth: () => Promise<Truth>,
) => unknown;

const json = { 'content-type': 'application/json' };

const told =
  (change: (body: Buffer) => Buffer, headers: Record<string, string> = json, status?: number): Lie =>
  async (_, answer, truth) => {
    const honest = await truth();
    answer.writeHead(status ?? honest.status, headers).end(change(honest.body));
  };

/** Writes pieces until nobody listens any more. */
const endlessly = (answer: ServerResponse, piece: string | Buffer, everyMs: number): void => {
  const write = (): void => {
    if (answer.destroyed) return;
    const room = answer.write(piece);
    if (everyMs > 0) setTimeout(write, everyMs);
    else if (room) setImmediate(write);
    else answer.once('drain', write);
  };
  write();
};

const wrongIds = (body: Buffer): Buffer =>
  Buffer.from(
    body.toString().replaceAll(/("(?:id|idList|conversationId)":\s*")[^"]*"/g, '$1fffffffffffffffffffffffff"'),
  );

export const lies: Record<string, Lie> = {
  'a page instead of data': told(() => Buffer.from('<!doctype html><title>Sign in</title>'), {
    'content-type': 'text/html',
  }),
  'half of the data': told((body) => body.subarray(0, Math.floor(body.length / 2))),
  'a connection that breaks in the middle': async (_, answer, truth) => {
    const { status, body } = await truth();
    answer.writeHead(status, { ...json, 'content-length': String(body.length + 100) });
    answer.write(body.subarray(0, Math.floor(body.length / 2)), () => answer.destroy());
  },
  'data called a picture': told((body) => body, { 'content-type': 'image/png' }),
  'ids of something else': told(wrongIds),
  'a list instead of a thing, a thing instead of a list': told((body) =>
    Buffer.from(body.toString().startsWith('[') ? '{"value":{}}' : '[null,42,"x"]'),
  ),
  nothing: told(() => Buffer.alloc(0), {}, 200),
  'failed, but done': told(() => Buffer.from('{"error":{"code":"x","message":"x"}}'), json, 500),
  'done, but nothing was': ({ write }, answer, truth) =>
    write ? void answer.writeHead(202).end() : told((body) => body)({ path: '', write }, answer, truth),
  'redirects without end': ({ path }, answer) => void answer.writeHead(307, { location: path }).end(),
  'another host': (_, answer) => void answer.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
  'next pages without end': async ({ path }, answer, truth) => {
    const { status, body } = await truth();
    const page = body.toString().startsWith('{"')
      ? body.toString().replace(/^\{/, `{"@odata.nextLink":"http://127.0.0.1:9${path}&n=${Math.random()}",`)
      : body.toString();
    answer.writeHead(status, json).end(page);
  },
  'more than anybody can hold': (_, answer) => {
    answer.writeHead(200, json).write('[');
    endlessly(answer, Buffer.alloc(1 << 16, '1,'), 0);
  },
  'a byte now and then': (_, answer) => {
    answer.writeHead(200, json).write('[');
    endlessly(answer, ' ', 500);
  },
  'data nested 100,000 deep': told(() => Buffer.from('['.repeat(100_000) + ']'.repeat(100_000))),
  'headers without end': (_, answer) =>
    void answer
      .writeHead(200, {
        ...json,
        ...Object.fromEntries(Array.from({ length: 900 }, (__, n) => [`x-${n}`, 'v'.repeat(100)])),
      })
      .end('{}'),
  'no HTTP at all': (_, answer) => {
    answer.socket?.write('SSH-2.0-OpenSSH_9.6\r\n', () => answer.socket?.destroy());
  },
};

/** Stands between the product and a service, and lies about what is asked where it was told to. */
export const startLiar = async (target: number) => {
  let lie: Lie | undefined;
  let about: RegExp = /^$/;
  let struck = 0;
  let signedBy = '';
  const server = createServer({ maxHeaderSize: 1 << 16 }, (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    outgoing.on('error', () => {});
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming;
      const truth = () =>
        new Promise<Truth>((resolve, reject) => {
          const onward = request({ host: '127.0.0.1', port: target, method, path, headers }, (answer) => {
            const got: Buffer[] = [];
            answer.on('data', (chunk: Buffer) => got.push(chunk));
            answer.on('end', () =>
              resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(got) }),
            );
          });
          onward.on('error', reject).end(Buffer.concat(chunks));
        });
      const honest = async (): Promise<void> => {
        const { status, headers: given, body } = await truth();
        const { 'transfer-encoding': _, ...rest } = given;
        outgoing.writeHead(status, rest).end(body);
      };
      const { authorization = '' } = headers;
      signedBy = authorization;
      if (lie === undefined || !about.test(`${method} ${path} ${authorization}`))
        return void honest().catch(() => outgoing.destroy());
      struck += 1;
      lie({ path, write: method !== 'GET' }, outgoing, truth);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Lies about requests whose method, path and signature, written one after the other, fit. */
    tell: (next: Lie | undefined, what: RegExp = /^$/) => {
      lie = next;
      about = what;
    },
    struck: () => struck,
    /** What the last request was signed with. */
    signedBy: () => signedBy,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
