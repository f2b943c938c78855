import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import type { Intervals } from '#clock';
import { createAbreast } from '#kit';
import type { QuickDoor } from './quick-parts.ts';

export type Listening = { port: number; close(intervals: Pick<Intervals, 'lullMs' | 'drainMs'>): Promise<void> };

const idlingMs = 20;

const taken = (hostname: string, port: number): string =>
  `port ${port} of ${hostname} is used by another program; stop it or set PORT.`;

const refusal = (hostname: string, port: number, error: NodeJS.ErrnoException): Error => {
  const reason = {
    EADDRINUSE: taken(hostname, port),
    EADDRNOTAVAIL: `HOST must be an address of this machine, and ${hostname} is none.`,
    ENOTFOUND: `HOST must be an address of this machine, and ${hostname} is not known.`,
    EACCES: `port ${port} is kept for root; set PORT to one above 1023, or put a proxy in front.`,
  }[error.code ?? ''];
  return reason === undefined ? error : new Error(reason, { cause: error });
};

/** Serves the app. Slow, endless or oversized requests end before they cost anything. */
export const listen = (options: {
  fetch: (request: Request, env: never) => Response | Promise<Response>;
  /** Asked first. */
  quick: QuickDoor;
  hostname: string;
  port: number;
}): Promise<Listening> =>
  new Promise((resolve, reject) => {
    const { fetch, quick, hostname, port } = options;
    // Opened in advance, as browsers do. Node does not count them as idle.
    const unused = new Set<Socket>();
    const abreast = createAbreast();
    let isLeaving = false;
    const server = serve({
      fetch: fetch as Parameters<typeof serve>[0]['fetch'],
      hostname,
      port,
      overrideGlobalObjects: false,
      createServer: ((serverOptions: ServerOptions, listener: RequestListener) =>
        createServer(serverOptions, (incoming, outgoing) => {
          unused.delete(incoming.socket);
          // Whoever asks again asks another process.
          if (isLeaving) outgoing.shouldKeepAlive = false;
          abreast(() => {
            if (!quick(incoming, outgoing)) listener(incoming, outgoing);
          });
        })) as typeof createServer,
      serverOptions: {
        maxHeaderSize: 16_384,
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        keepAliveTimeout: 65_000,
      },
    }) as Server;
    server.on('connection', (socket) => {
      unused.add(socket);
      socket.once('close', () => unused.delete(socket));
    });
    server.once('error', (error: NodeJS.ErrnoException) => reject(refusal(hostname, port, error)));
    server.once('listening', () => {
      const close: Listening['close'] = async ({ lullMs, drainMs }) => {
        isLeaving = true;
        // A request that is on its way on an idle connection would be lost with it.
        await sleep(lullMs);
        await new Promise<void>((done) => {
          // Those that were busy at first stay open for more once they are answered.
          const idling = setInterval(() => server.closeIdleConnections(), idlingMs);
          server.close(() => {
            clearInterval(idling);
            done();
          });
          server.closeIdleConnections();
          for (const socket of unused) socket.destroy();
          setTimeout(() => server.closeAllConnections(), drainMs).unref();
        });
      };
      resolve({ port: (server.address() as AddressInfo).port, close });
    });
  });
