import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

const Credentials = z.object({ email: z.string(), password: z.string() });

/** What the page sees of the world; a test changes it and looks at the page. */
export type World = { ready: boolean; signedIn: boolean; broken: boolean; unguarded: string[] };

const answer = (res: ServerResponse, status: number, body?: unknown) =>
  res
    .writeHead(status, { 'Content-Type': 'application/json' })
    .end(body === undefined ? undefined : JSON.stringify(body));

const refuse = (res: ServerResponse, status: number, message: string) =>
  answer(res, status, { error: { code: 'internal', message, requestId: 'req_1' } });

const session = async (world: World, req: IncomingMessage, res: ServerResponse) => {
  if (req.method !== 'GET' && req.headers['x-switchboard-csrf'] !== '1') world.unguarded.push(req.method ?? '');
  if (world.broken) return refuse(res, 500, 'Our bug, reference req_1.');
  if (req.method === 'POST') {
    const { password } = Credentials.parse(await json(req));
    world.signedIn = password === 'correct horse';
    return world.signedIn ? answer(res, 201, {}) : refuse(res, 401, 'Email or password is wrong.');
  }
  if (req.method === 'DELETE') {
    world.signedIn = false;
    return res.writeHead(204).end();
  }
  return world.signedIn
    ? answer(res, 200, { member: { email: 'ada@sandbox.test', role: 'owner' }, workspace: { name: 'Sandbox' } })
    : refuse(res, 401, 'Sign in first.');
};

/** Serves a bundle under the strict policy of the real server, with just enough of the API. */
export const serveBundle = async (bundle: string) => {
  const world: World = { ready: true, signedIn: false, broken: false, unguarded: [] };
  const server = createServer((req, res) => {
    const url = req.url ?? '/';
    res.setHeader('Content-Security-Policy', "default-src 'self'; object-src 'none'; base-uri 'none'");
    if (url === '/readyz') return void res.writeHead(world.ready ? 200 : 503).end();
    if (url === '/v1/session') return void session(world, req, res);
    const file = path.join(bundle, path.posix.normalize(url === '/' ? '/index.html' : url));
    if (!existsSync(file)) return void res.writeHead(404).end();
    res.writeHead(200, { 'Content-Type': types[path.extname(file)] ?? 'application/octet-stream' });
    res.end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    world,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
};
