import type { Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { announce, type Service } from './opening.ts';

type Fetch = Parameters<typeof createAdaptorServer>[0]['fetch'];
export type Certificate = { key: string; cert: string };
export type Listening = { url: string; port: number; close: () => Promise<void> };

/** Serves on loopback, never elsewhere. Port 0 takes any free one; closing ends open connections too. */
export const listen = async (
  { service, fetch }: { service: Service; fetch: Fetch },
  { port = 0, tls }: { port?: number; tls?: Certificate | undefined } = {},
): Promise<Listening> => {
  const secure = tls === undefined ? {} : { createServer: createHttps, serverOptions: tls };
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false, ...secure }) as Server;
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
