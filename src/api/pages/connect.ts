import { type Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import { html } from 'hono/html';
import { z } from 'zod';
import type { ConnectEnd, Connects } from '#accounts';
import { Fault } from '#kit';
import { newToken } from '#workspaces';
import { bodyWithin } from '../body-limits.ts';
import type { Env } from '../env.ts';
import { formFields } from '../form-fields.ts';
import { connectScript } from './connect-script.ts';
import { layout } from './layout.ts';

type Problem = Extract<ConnectEnd, { problem: unknown }>;

/** Each problem in plain words: what happened, and the way on. */
const words: Record<Problem['problem'], (end: Problem) => { title: string; text: string }> = {
  expired: () => ({
    title: 'This link no longer works',
    text: 'It was used, withdrawn or has expired; nothing was connected. Start again where you came from, or ask for a new link.',
  }),
  other_browser: () => ({
    title: 'Started in another browser',
    text: 'Connecting must end in the browser in which it began; nothing was connected. Go on there, or ask for a new link.',
  }),
  denied: ({ service }) => ({
    title: 'Nothing was connected',
    text: `You did not allow access to ${service}, so nothing was connected. You can try again at any time.`,
  }),
  admin_consent: ({ service }) => ({
    title: 'An administrator must agree first',
    text: `Your organisation wants an administrator to allow this for ${service}; nothing was connected. Ask them to approve Switchboard, then try again.`,
  }),
  personal_account: () => ({
    title: 'Not available for personal accounts',
    text: 'Meeting transcripts exist for work accounts only, so the service refused the whole sign-in. Try again: you will be asked for everything else.',
  }),
  wrong_person: ({ about: [is = 'somebody else', expected = 'another person'] }) => ({
    title: 'Another person signed in',
    text: `You signed in as ${is}, but this account belongs to ${expected}. Nothing was changed. Try again as ${expected}, or connect ${is} as an account of its own.`,
  }),
  unavailable: ({ service }) => ({
    title: 'The service did not answer',
    text: `${service} cannot be reached now, so nothing was connected. Try again in a moment.`,
  }),
  refused: ({ service, about: [said = ''] }) => ({
    title: 'The service refused',
    text: `${service} did not accept the sign-in, so nothing was connected. ${said} Try again; if it stays so, tell the operator of this Switchboard.`,
  }),
};

const script = html`<script src="/connect.js" defer></script>`;

const problemPage = (end: Problem) => {
  const { title, text } = words[end.problem](end);
  return layout(
    title,
    html`<div id="connect" data-outcome="${end.problem}">
        <h1>${title}</h1>
        <p role="alert">${text.replaceAll('  ', ' ')}</p>
        <p>
          ${end.retry === undefined ? '' : html`<a href="${end.retry}">Try again</a> · `}
          <a id="back" href="${end.returnUrl ?? '/'}" data-leads="${end.returnUrl === undefined ? 'home' : 'elsewhere'}">Back</a>
        </p>
      </div>
      ${script}`,
  );
};

const connectedPage = (name: string, accountId: string, integration: string, next: string | undefined) =>
  layout(
    'Connected',
    html`<div id="connect" data-outcome="connected" data-account="${accountId}" data-integration="${integration}"
        data-next="${next ?? ''}">
        <h1>Connected</h1>
        <p role="status">${name} is connected. You can close this window.</p>
        <p><a href="${next ?? '/'}">Go on</a></p>
      </div>
      ${script}`,
  );

const fragmentPage = (state: string) =>
  layout(
    'Connecting',
    html`<div id="connect" data-outcome="fragment">
        <h1>Connecting…</h1>
        <noscript><p>This page needs JavaScript to finish. Allow it, then start again.</p></noscript>
        <form method="post">
          <input type="hidden" name="state" value="${state}" />
          <input type="hidden" name="token" />
          <input type="hidden" name="error" />
        </form>
      </div>
      ${script}`,
  );

const short = z.string().max(300);
const word = z.string().max(4096);
const Query = z.object({
  state: short,
  code: word.optional(),
  iss: word.optional(),
  error: short.optional(),
  error_description: word.optional(),
});
const Brought = z.object({ state: short, token: short, error: short });

const withAccount = (returnUrl: string, accountId: string): string => {
  const url = new URL(returnUrl);
  url.searchParams.set('status', 'connected');
  url.searchParams.set('accountId', accountId);
  return url.href;
};

/** The page that opened the pop-up hears of the end, although the person was at another site in between. */
export const keepOpener = createMiddleware(async (c, next) => {
  await next();
  c.header('cross-origin-opener-policy', 'unsafe-none');
  c.header('cache-control', 'no-store');
});

/** The way to a service and back. Open to people without a session: links are sent to end users, too. */
export const connectPages = ({ connects, publicUrl }: { connects: Connects; publicUrl: URL }) => {
  const secure = publicUrl.protocol === 'https:';
  const cookie = secure ? '__Host-switchboard-connect' : 'switchboard-connect';
  const browserOf = (c: Context<Env>) => {
    const given = getCookie(c, cookie);
    return given !== undefined && /^sbb_[\w-]{43}$/.test(given) ? given : undefined;
  };

  const expired: Problem = { problem: 'expired', service: '', about: [] };

  const answer = (c: Context<Env>, end: ConnectEnd, redirect: boolean) => {
    if ('problem' in end) return c.html(problemPage(end), end.problem === 'expired' ? 410 : 400);
    const { id, name, integration } = end.account;
    const next = end.returnUrl === undefined ? undefined : withAccount(end.returnUrl, id);
    if (next !== undefined && redirect) return c.redirect(next, 303);
    return c.html(connectedPage(name, id, integration, next));
  };

  return new Hono<Env>()
    .get('/connect.js', (c) => c.body(connectScript, 200, { 'content-type': 'text/javascript; charset=utf-8' }))
    .get('/connect/:token', async (c) => {
      // Previews ask for the head only; they must not take the link.
      if (c.req.method === 'HEAD') return c.body(null, 200);
      const browser = browserOf(c) ?? newToken('sbb');
      const isWindow = c.req.header('sec-fetch-mode') === 'navigate';
      const opened = await connects.open(c.req.param('token'), { browser, isWindow });
      if ('problem' in opened) return answer(c, { ...expired, problem: opened.problem }, false);
      // Lax: the person comes back from the service's own pages by a redirect.
      setCookie(c, cookie, browser, { httpOnly: true, sameSite: 'Lax', secure, path: '/', maxAge: 3600 });
      return c.redirect(opened.url, 302);
    })
    .get('/connect/:integration/callback', async (c) => {
      const query = Query.safeParse(c.req.query());
      if (!query.success) return answer(c, expired, false);
      const { error_description: description, ...callback } = query.data;
      const integration = c.req.param('integration');
      if (connects.readsFragment(integration, callback)) return c.html(fragmentPage(callback.state));
      return answer(c, await connects.finish(integration, { ...callback, description }, browserOf(c)), true);
    })
    .post('/connect/:integration/callback', bodyWithin(16_384), async (c) => {
      const origin = c.req.header('origin');
      if (origin !== publicUrl.origin && origin !== new URL(c.req.url).origin) {
        throw new Fault('forbidden', 'This must be sent by our own page.');
      }
      const form = Brought.safeParse(await formFields(c));
      if (!form.success) return answer(c, expired, false);
      const { state, token, error } = form.data;
      const brought = token === '' ? { error: error === '' ? 'refused' : error } : { token };
      return answer(c, await connects.finish(c.req.param('integration'), { state, ...brought }, browserOf(c)), false);
    });
};
