import { type Context, Hono } from 'hono';
import type { SandboxEnv } from '../common/server.ts';
import { type Consent, findMember } from './control-routes.ts';
import type { App, Member } from './model.ts';
import { grantToken, isExpiration } from './operations/tokens.ts';
import { consentPage, postMessagePage, tokenPage } from './pages/consent.ts';
import { contentSecurityPolicy } from './pages/layout.ts';
import { messagePage, signInPage } from './pages/sign-in.ts';
import type { Sessions } from './sessions.ts';
import { isLoopback } from './webhook-delivery.ts';
import type { World } from './world.ts';

type Parts = { world: World; sessions: Sessions; consent: { current: Consent } };

type Request = {
  app: App;
  name: string;
  scopes: string[];
  expiration: string;
  returnUrl: string | null;
  callback: 'fragment' | 'postMessage' | 'page';
};

const words: Record<string, string> = {
  read: 'Read all of your boards and workspaces',
  write: 'Create and change cards, lists and boards for you',
  account: 'Read your email address, change your profile and mark notifications as read',
};
const lasting: Record<string, string> = {
  '1hour': 'This access ends after one hour.',
  '1day': 'This access ends after one day.',
  '30days': 'This access ends after 30 days.',
  never: 'This access lasts until you revoke it.',
};

/** Loopback origins are allowed by default; others must be listed with the app. */
const originAllowed = (app: App, url: string): boolean =>
  isLoopback(url) || (URL.canParse(url) && app.allowedOrigins.includes(new URL(url).origin));

/** The request as understood, or what is wrong with it. */
const parse = (world: World, get: (name: string) => string | undefined): Request | string => {
  const app = world.apps.get(get('key') ?? '');
  if (!app) return 'App not found: the key is unknown.';
  const scopes = (get('scope') ?? 'read').split(',').map((scope) => scope.trim());
  if (!scopes.every((scope) => Object.hasOwn(words, scope))) return 'Invalid scope.';
  const expiration = get('expiration') ?? '30days';
  if (!isExpiration(expiration)) return 'Invalid expiration.';
  const responseType = get('response_type') ?? 'token';
  if (responseType !== 'token' && responseType !== 'fragment') return 'Invalid response_type.';
  const method = get('callback_method');
  if (method !== undefined && method !== 'fragment' && method !== 'postMessage') return 'Invalid callback_method.';
  const returnUrl = get('return_url') ?? null;
  if (returnUrl !== null && !originAllowed(app, returnUrl)) {
    return 'Invalid return_url: its origin is not among the allowed origins of the app.';
  }
  const callback = returnUrl === null ? 'page' : (method ?? 'fragment');
  return { app, name: get('name') ?? app.name, scopes, expiration, returnUrl, callback };
};

const secured = (c: Context<SandboxEnv>, formTarget = ''): void => {
  c.header('content-security-policy', contentSecurityPolicy(formTarget));
  c.header('referrer-policy', 'no-referrer');
};

const finish = (
  c: Context<SandboxEnv>,
  request: Request,
  member: Member,
  outcome: { token: string } | { error: string },
) => {
  secured(c);
  const { returnUrl } = request;
  if (returnUrl === null) {
    if ('token' in outcome) return c.html(tokenPage(outcome.token, request.name, member));
    return c.html(messagePage('Access denied', 'Nothing was granted.', member));
  }
  if (request.callback === 'postMessage') return c.html(postMessagePage(outcome, new URL(returnUrl).origin));
  const fragment = 'token' in outcome ? `token=${outcome.token}` : `error=${encodeURIComponent(outcome.error)}`;
  return c.redirect(`${returnUrl.split('#')[0]}#${fragment}`, 302);
};

const allow = (world: World, { app, scopes, expiration, name }: Request, member: Member) => ({
  token: grantToken(world, app, member, { scopes, expiration, name }).value,
});

/** `/1/authorize`: sign in, consent, and a token in the fragment, on a page or by message. */
export const authorizeRoutes = ({ world, sessions, consent }: Parts): Hono<SandboxEnv> =>
  new Hono<SandboxEnv>()
    .get('/1/authorize', (c) => {
      const query = c.req.query();
      const request = parse(world, (name) => query[name]);
      secured(c);
      if (typeof request === 'string') return c.html(messagePage('This link does not work', request), 400);
      const { current } = consent;
      const auto = current.mode === 'auto' ? findMember(world, current.as) : undefined;
      if (auto) return finish(c, request, auto, allow(world, request, auto));
      const signedIn = sessions.current(c);
      if (!signedIn) {
        const next = `/1/authorize?${new URLSearchParams(query)}`;
        const members = [...world.members.values()].slice(0, 6);
        return c.html(signInPage({ members, next, why: `to continue to ${request.name}` }));
      }
      secured(c, request.returnUrl === null ? '' : new URL(request.returnUrl).origin);
      return c.html(
        consentPage({
          app: request.name,
          ...signedIn,
          grants: request.scopes.map((scope) => words[scope] ?? scope),
          lasting: lasting[request.expiration] ?? '',
          action: '/1/authorize',
          request: query,
        }),
      );
    })
    .post('/1/authorize', async (c) => {
      const form = await c.req.parseBody();
      const field = (name: string) => (typeof form[name] === 'string' ? form[name] : undefined);
      const request = parse(world, field);
      secured(c);
      if (typeof request === 'string') return c.html(messagePage('This link does not work', request), 400);
      const signedIn = sessions.current(c);
      if (!signedIn || signedIn.session.csrf !== field('csrf')) {
        return c.html(messagePage('Please start again', 'You are no longer signed in.'), 403);
      }
      const allowed = field('decision') === 'allow';
      const outcome = allowed ? allow(world, request, signedIn.member) : { error: 'Token request rejected' };
      return finish(c, request, signedIn.member, outcome);
    });
