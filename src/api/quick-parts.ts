import type { IncomingMessage, ServerResponse } from 'node:http';
import { Hono } from 'hono';
import { notWhole } from './body-limits.ts';
import { securityHeaders } from './security-headers.ts';

/** Takes a request that is its business; false leaves it to the app, untouched. */
export type QuickDoor = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/** What the app's own answers carry, taken from one of them: names and values by turns, as they are written. */
export const fixedHeaders = async (publicUrl: URL): Promise<string[]> => {
  const app = new Hono().use(securityHeaders(publicUrl)).get('/', (c) => c.body(null));
  const { headers } = await app.request('/');
  return [...headers].flat();
};

export const readWhole = (incoming: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let whole = false;
    const gone = () => {
      if (!whole) reject(notWhole());
    };
    if (incoming.destroyed) return gone();
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      whole = true;
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    incoming.on('error', gone);
    incoming.on('close', gone);
  });
