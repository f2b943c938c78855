import type { Server } from 'node:http';
import { serve } from '@hono/node-server';

export type Listening = { url: string; port: number; close: () => Promise<void> };

/** Serves on loopback, never elsewhere. Port 0 takes any free one; closing ends open connections too. */
export const listen = (fetch: Parameters<typeof serve>[0]['fetch'], port = 0): Promise<Listening> =>
  new Promise((resolve, reject) => {
    const server = serve({ fetch, hostname: '127.0.0.1', port, overrideGlobalObjects: false }, (info) => {
      server.off('error', reject);
      resolve({
        url: `http://127.0.0.1:${info.port}`,
        port: info.port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            (server as Server).closeAllConnections();
          }),
      });
    });
    server.once('error', reject);
  });
