import { existsSync } from 'node:fs';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Env } from '../env.ts';
import { layout } from './layout.ts';

const month = 'public, max-age=2592000, immutable';

const missing = layout(
  'Switchboard',
  html`<h1>The web app is not built</h1>
    <p>Start Switchboard with <code>npm start</code>, which builds it. The API works: see <a href="/docs">/docs</a>.</p>`,
);

const screens =
  /^\/(?:(?:agents|approvals|audit|events|integrations|runs|sandbox|settings|tools|triggers)(?:\/[^/]+)?)?$/;

/** Browsers get the page at any address; whoever takes anything, as curl does, gets it where there is a screen. */
const getsPage = (path: string, accept = '*/*'): boolean =>
  !/^\/(?:v1|assets)\//.test(path) && (accept.includes('text/html') || (accept.includes('*/*') && screens.test(path)));

/** The built web app: its files, and its one page for every other address a browser asks for. */
export const webApp = (root: string) => {
  const app = new Hono<Env>();
  if (!existsSync(`${root}/index.html`)) return app.get('/', (c) => c.html(missing, 503));
  return app
    .use(
      '/assets/*',
      serveStatic({ root, precompressed: true, onFound: (_path, c) => c.header('cache-control', month) }),
    )
    .get('/favicon.svg', serveStatic({ root }))
    .get('*', async (c, next) => {
      if (!getsPage(c.req.path, c.req.header('accept'))) return next();
      c.header('cache-control', 'no-cache');
      return serveStatic<Env>({ root, path: 'index.html' })(c, next);
    });
};
