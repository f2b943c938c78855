import { Hono } from 'hono';
import { html } from 'hono/html';
import { Fault } from '#kit';
import type { Sessions } from '#workspaces';
import type { Env } from '../env.ts';
import { startSession } from '../routes/session.ts';
import { layout } from './layout.ts';

const spent = layout(
  'Sign in',
  html`<h1>This link no longer works</h1>
    <p>It was used or has expired. Ask an owner for a new one, or run <code>switchboard sign-in-link</code>.</p>
    <p><a href="/">Go to the sign-in page</a></p>`,
);

/** Opening the link only shows a button: previews and scanners open links too, and must not use them up. */
export const signInLinkRoutes = ({ sessions, publicUrl }: { sessions: Sessions; publicUrl: URL }) =>
  new Hono<Env>()
    .get('/sign-in/:token', async (c) => {
      c.header('cache-control', 'no-store');
      if (!(await sessions.linkIsGood(c.req.param('token')))) return c.html(spent, 410);
      return c.html(
        layout(
          'Sign in',
          html`<h1>Sign in to Switchboard</h1>
            <p>This link signs you in once, in this browser.</p>
            <form method="post"><button type="submit">Sign in</button></form>`,
        ),
      );
    })
    .post('/sign-in/:token', async (c) => {
      const origin = c.req.header('origin');
      if (origin !== undefined && origin !== publicUrl.origin && origin !== new URL(c.req.url).origin) {
        throw new Fault('forbidden', 'Open the link itself to sign in.');
      }
      try {
        startSession(c, publicUrl, await sessions.useLink(c.req.param('token')));
      } catch (error) {
        if (error instanceof Fault && error.code === 'unauthenticated') return c.html(spent, 410);
        throw error;
      }
      return c.redirect('/', 303);
    });
