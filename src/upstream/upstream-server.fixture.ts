import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Socket } from 'node:net';
import { systemClock } from '#clock';
import { Fault, type Path, path, type UpstreamRequest } from '#kit';
import { silentLog } from '#log';
import { createUpstreamClient } from './client.ts';

export type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: Buffer };

/** A real server on loopback that keeps what reached it, before it is asked what to answer. */
export const upstreamServer = async (
  answer: (seen: Seen, response: ServerResponse, socket: Socket) => void = (_, response) => response.end(),
) => {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks) };
      seen.push(one);
      answer(one, response, request.socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    port,
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** A client as the sandbox has it. Its idle connections end with their server. */
export const newClient = (options: Partial<Parameters<typeof createUpstreamClient>[0]> = {}) =>
  createUpstreamClient({ clock: systemClock(), log: silentLog, allowPrivate: true, ...options });

/** The Fault a call ends in. */
export const failureOf = async (call: Promise<unknown>): Promise<Fault> => {
  const error: unknown = await call.then(
    () => new Error('it was answered'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Fault)) throw error;
  return error;
};

export const get = (text = '/x'): UpstreamRequest => ({ method: 'GET', path: text as Path });
export const post = (body: unknown = { a: 1 }): UpstreamRequest => ({ method: 'POST', path: path`/x`, body });

/** A server that speaks no HTTP of its own: it does with each connection what the test says. */
export const rawServer = async (onConnection: (socket: Socket, count: number) => void) => {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    count += 1;
    onConnection(socket, count);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    connections: () => count,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
};
