import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import type { Intervals } from '#clock';
import { createAbreast } from '#kit';
import type { QuickDoor } from './quick-parts.ts';
import { endUnread } from './slow-bodies.ts';

export type Listening = { port: number; close(intervals: Pick<Intervals, 'lullMs' | 'drainMs'>): Promise<void> };

const idlingMs = 20;
// What one turn brings is read in the next.
const quietTurns = 3;
// Where more keep coming it does not go on for ever.
const longestQueueMs = 5_000;

const usedBy = (hostname: string, port: number): string =>
  `port ${port} of ${hostname} is used by another program; stop it or set PORT.`;

const refusal = (hostname: string, port: number, error: NodeJS.ErrnoException): Error => {
  const reason = {
    EADDRINUSE: usedBy(hostname, port),
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
  /** Within which a request must have come, unless it is given time. */
  requestMs?: number;
}): Promise<Listening> =>
  new Promise((resolve, reject) => {
    const { fetch, quick, hostname, port, requestMs = 30_000 } = options;
    // Opened in advance, as browsers do. Node does not count them as idle.
    const unused = new Set<Socket>();
    const answers = new WeakMap<Duplex, ServerResponse>();
    const abreast = createAbreast();
    let isLeaving = false;
    let taken = 0;
    /** In each turn of its loop Node takes one connection. Those that still wait then, with what they ask, would be lost. */
    const untilNoneWaits = async (withinMs: number): Promise<void> => {
      const until = performance.now() + withinMs;
      for (let quiet = 0; quiet < quietTurns && performance.now() < until; ) {
        const before = taken;
        await turn();
        quiet = taken === before ? quiet + 1 : 0;
      }
    };
    const server = serve({
      fetch: fetch as Parameters<typeof serve>[0]['fetch'],
      hostname,
      port,
      overrideGlobalObjects: false,
      createServer: ((serverOptions: ServerOptions, listener: RequestListener) =>
        createServer(serverOptions, (incoming, outgoing) => {
          unused.delete(incoming.socket);
          answers.set(incoming.socket, outgoing);
          // Whoever asks again asks another process.
          if (isLeaving) outgoing.shouldKeepAlive = false;
          abreast(() => {
            if (!quick(incoming, outgoing)) listener(incoming, outgoing);
          });
        })) as typeof createServer,
      serverOptions: {
        maxHeaderSize: 16_384,
        headersTimeout: Math.min(10_000, requestMs),
        requestTimeout: requestMs,
        connectionsCheckingInterval: Math.min(10_000, requestMs),
        keepAliveTimeout: 65_000,
      },
    }) as Server;
    server.on('clientError', (error, socket) => endUnread(error, socket, answers.get(socket)));
    server.on('connection', (socket) => {
      taken += 1;
      unused.add(socket);
      socket.once('close', () => unused.delete(socket));
    });
    server.once('error', (error: NodeJS.ErrnoException) => reject(refusal(hostname, port, error)));
    server.once('listening', () => {
      const close: Listening['close'] = async ({ lullMs, drainMs }) => {
        isLeaving = true;
        // A request that is on its way on an idle connection would be lost with it.
        await sleep(lullMs);
        await untilNoneWaits(Math.min(drainMs, longestQueueMs));
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
