import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { DoorListener } from './door.ts';
import { announce, type Service } from './opening.ts';

type Fetch = Parameters<typeof getRequestListener>[0];
/** What is asked of `door` first; what is not behind it goes to `fetch`. */
export type House = { service: Service; fetch: Fetch; door?: DoorListener };
export type Certificate = { key: string; cert: string };
export type Listening = { url: string; port: number; close: () => Promise<void> };

/** Serves on loopback, never elsewhere. Port 0 takes any free one; closing ends open connections too. */
export const listen = async (
  { service, fetch, door }: House,
  { port = 0, tls }: { port?: number; tls?: Certificate | undefined } = {},
): Promise<Listening> => {
  const pages = getRequestListener(fetch, { overrideGlobalObjects: false });
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (door?.(incoming, outgoing) !== true) void pages(incoming, outgoing);
  };
  const server: Server = tls === undefined ? createServer(answer) : createHttps(tls, answer);
  await announce(service, server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  const taken = (server.address() as AddressInfo).port;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${taken}`,
    port: taken,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
};
