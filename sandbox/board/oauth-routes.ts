import { type Context, Hono } from 'hono';
import type { SandboxEnv } from '../common/server.ts';
import { type Consent, findMember } from './control-routes.ts';
import type { Member, OAuthClient } from './model.ts';
import { exchange, issueCode, OAuthRefusal, scopeNames } from './oauth.ts';
import { consentPage } from './pages/consent.ts';
import { contentSecurityPolicy } from './pages/layout.ts';
import { messagePage, signInPage } from './pages/sign-in.ts';
import type { Sessions } from './sessions.ts';
import { isLoopback } from './webhook-delivery.ts';
import type { World } from './world.ts';

type Parts = { world: World; sessions: Sessions; consent: { current: Consent } };
type Request = {
  client: OAuthClient;
  redirectUri: string;
  scopes: string[];
  state: string | undefined;
  challenge: string;
};
type Mistake =
  | { page: string }
  | { redirectUri: string; state: string | undefined; error: string; description: string };

const words: Record<string, string> = {
  'read:board:trello': 'View your boards, cards and lists',
  'write:board:trello': 'Create, change and delete boards, cards and lists',
  'write:board:membership:trello': 'Manage who is a member of your boards',
  'read:organization:trello': 'View your workspaces',
  'write:organization:trello': 'Change your workspaces',
  'write:organization:membership:trello': 'Manage who is a member of your workspaces',
  'read:member:trello': 'View your profile, email address and notifications',
  'write:member:trello': 'Change your profile and mark notifications as read',
  offline_access: 'Stay connected while you are away',
};

const parse = (world: World, get: (name: string) => string | undefined): Request | Mistake => {
  const client = world.clients.get(get('client_id') ?? '');
  if (!client) return { page: 'Unknown client: check the client_id.' };
  const redirectUri = get('redirect_uri') ?? '';
  // Registered addresses must match exactly; loopback ones need no registration here.
  const known = client.redirectUris.includes(redirectUri) || isLoopback(redirectUri);
  if (!known) return { page: 'The redirect_uri is not registered for this app.' };
  const state = get('state');
  const refuse = (error: string, description: string): Mistake => ({ redirectUri, state, error, description });
  if (get('response_type') !== 'code') return refuse('unsupported_response_type', 'response_type must be code');
  const scopes = (get('scope') ?? '').split(/\s+/).filter(Boolean);
  if (scopes.length === 0) return refuse('invalid_request', 'scope is missing');
  if (!scopes.every((scope) => scopeNames.includes(scope))) return refuse('invalid_scope', 'Unknown scope');
  const challenge = get('code_challenge') ?? '';
  if (get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge)) {
    return refuse('invalid_request', 'PKCE with code_challenge_method S256 is required');
  }
  return { client, redirectUri, scopes, state, challenge };
};

const back = (c: Context<SandboxEnv>, redirectUri: string, params: Record<string, string | undefined>) => {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(params)) if (value !== undefined) url.searchParams.set(name, value);
  return c.redirect(url.href, 302);
};

const secured = (c: Context<SandboxEnv>, formTarget = ''): void => {
  c.header('content-security-policy', contentSecurityPolicy(formTarget));
  c.header('referrer-policy', 'no-referrer');
};

const refuse = (c: Context<SandboxEnv>, mistake: Mistake) => {
  if ('page' in mistake) {
    secured(c);
    return c.html(messagePage('This link does not work', mistake.page), 400);
  }
  const { redirectUri, error, description, state } = mistake;
  return back(c, redirectUri, { error, error_description: description, state });
};

const allow = (c: Context<SandboxEnv>, world: World, request: Request, member: Member) => {
  const { client, scopes, redirectUri, challenge, state } = request;
  const code = issueCode(world, client, member, { scopes, redirectUri, challenge });
  return back(c, redirectUri, { code, state });
};

/** OAuth 2.0 with PKCE: `/oauth/authorize` for people, `/oauth/token` for apps. */
export const oauthRoutes = ({ world, sessions, consent }: Parts): Hono<SandboxEnv> =>
  new Hono<SandboxEnv>()
    .get('/oauth/authorize', (c) => {
      const query = c.req.query();
      const request = parse(world, (name) => query[name]);
      if (!('client' in request)) return refuse(c, request);
      const { current } = consent;
      const auto = current.mode === 'auto' ? findMember(world, current.as) : undefined;
      if (auto) return allow(c, world, request, auto);
      const signedIn = sessions.current(c);
      if (!signedIn) {
        secured(c);
        const next = `/oauth/authorize?${new URLSearchParams(query)}`;
        const members = [...world.members.values()].slice(0, 6);
        return c.html(signInPage({ members, next, why: `to continue to ${request.client.name}` }));
      }
      secured(c, new URL(request.redirectUri).origin);
      const lasting = request.scopes.includes('offline_access')
        ? 'This access lasts until you revoke it, or until it is unused for 90 days.'
        : 'This access ends after one hour.';
      return c.html(
        consentPage({
          app: request.client.name,
          ...signedIn,
          grants: request.scopes.map((scope) => words[scope] ?? scope),
          lasting,
          action: '/oauth/authorize',
          request: query,
        }),
      );
    })
    .post('/oauth/authorize', async (c) => {
      const form = await c.req.parseBody();
      const field = (name: string) => (typeof form[name] === 'string' ? form[name] : undefined);
      const request = parse(world, field);
      if (!('client' in request)) return refuse(c, request);
      const signedIn = sessions.current(c);
      if (!signedIn || signedIn.session.csrf !== field('csrf')) {
        secured(c);
        return c.html(messagePage('Please start again', 'You are no longer signed in.'), 403);
      }
      if (field('decision') === 'allow') return allow(c, world, request, signedIn.member);
      const description = 'User did not authorize the request';
      const { redirectUri, state } = request;
      return back(c, redirectUri, { error: 'access_denied', error_description: description, state });
    })
    .post('/oauth/token', async (c) => {
      const isForm = (c.req.header('content-type') ?? '').includes('urlencoded');
      const given: unknown = await (isForm ? c.req.parseBody() : c.req.json()).catch(() => ({}));
      c.header('cache-control', 'no-store');
      try {
        return c.json(exchange(world, given));
      } catch (error) {
        if (!(error instanceof OAuthRefusal)) throw error;
        return c.json({ error: error.error, error_description: error.message }, error.status);
      }
    });
