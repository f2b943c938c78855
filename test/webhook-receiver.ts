import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = { path: string; headers: IncomingHttpHeaders; body: string };
export type Reply = { status: number; body?: string; headers?: Record<string, string> };

/** A receiver of webhooks on loopback that keeps what it was sent and answers as it is told. */
export const openReceiver = async (
  reply: (received: Received, nth: number) => Reply | Promise<Reply> = () => ({ status: 204 }),
) => {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
      received.push(one);
      void Promise.resolve(reply(one, received.length)).then(({ status, body, headers }) => {
        response.writeHead(status, headers);
        response.end(body);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
