import { type Context, Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import { z } from 'zod';
import { Fault, wrongFields } from '#kit';
import {
  type ClientGrants,
  type ClientRequest,
  type Clients,
  type ClientTokens,
  clientScopes,
  isLoopback,
  OAuthError,
  redirectFits,
  type Sessions,
  scopesOf,
  type Workspaces,
} from '#workspaces';
import { bodyWithin } from '../body-limits.ts';
import type { ClientAddress } from '../client-address.ts';
import type { Env } from '../env.ts';
import { formFields } from '../form-fields.ts';
import { cookieName } from '../identify.ts';
import { consentPage, refusedPage, signInFirst } from './consent-page.ts';
import type { OAuthPlaces } from './places.ts';

// JSON and forms can carry what no text can hold: a zero character and half of a character.
const text = z
  .string()
  .refine((given) => given.isWellFormed() && !given.includes('\0'), 'holds a zero character or half of a character');
const word = text.min(1).max(2_000);

const Registration = z.object({
  client_name: text.trim().min(1).max(100).default('A program without a name'),
  redirect_uris: z.array(text.max(2_000)).min(1).max(10),
  // Clients that ask for a secret by default, as older ones of the protocol do, are told that they have none (RFC 7591, 3.2.1).
  token_endpoint_auth_method: z.string().max(100).optional(),
  grant_types: z.array(z.string()).max(10).optional(),
  response_types: z.array(z.string()).max(10).optional(),
});
const Asked = z.object({
  response_type: z.literal('code'),
  code_challenge: z.string().regex(/^[\w-]{43}$/),
  code_challenge_method: z.literal('S256'),
});
const Decision = z.object({ request: word, decision: z.enum(['allow', 'deny']) });
const TokenRequest = z.discriminatedUnion('grant_type', [
  z.object({
    grant_type: z.literal('authorization_code'),
    code: word,
    client_id: word,
    redirect_uri: word,
    code_verifier: z.string().regex(/^[\w.~-]{43,128}$/),
    resource: word.optional(),
  }),
  z.object({
    grant_type: z.literal('refresh_token'),
    refresh_token: word,
    client_id: word,
    resource: word.optional(),
  }),
]);

const Revocation = z.object({ token: word });

/** The first thing that is wrong, in one line. */
const mistakeIn = ({ issues }: z.ZodError): string => {
  const [{ field, message } = { field: '', message: 'is malformed' }] = wrongFields(issues);
  return field === '' ? `The request: ${message}` : `${field}: ${message}`;
};

const strangerWords =
  'The program that asks is not known here, or not any more. Remove Switchboard from it, or sign out of it there, so that it introduces itself again.';

// A host may hold signs that mean something in a policy, such as ";".
const plainSource = /^[\w.+:/-]+$/;

/** Browsers hold a form to where it may lead, the redirect after it included. Mount outside the security headers. */
export const leadBack = createMiddleware(async (c, next) => {
  await next();
  const url = URL.parse(c.req.query('redirect_uri') ?? '');
  const policy = c.res.headers.get('content-security-policy');
  if (url === null || policy === null) return;
  // There is no way to write an address of IPv6 in a policy.
  const target = url.origin === 'null' || url.hostname.startsWith('[') ? url.protocol : url.origin;
  if (!plainSource.test(target)) return;
  c.header('content-security-policy', policy.replace("form-action 'self'", `form-action 'self' ${target}`));
});

const backTo = (redirectUri: string, answer: Record<string, string>): string => {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  return url.href;
};

const toAnswer = ({ accessToken, refreshToken, expiresIn, scopes }: ClientTokens) => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: expiresIn,
  refresh_token: refreshToken,
  scope: scopes.join(' '),
});

/** How programs are let in over MCP: OAuth 2.1 with PKCE, for public clients that register themselves. */
export const oauthRoutes = (options: {
  clients: Clients;
  clientGrants: ClientGrants;
  sessions: Sessions;
  workspaces: Workspaces;
  places: OAuthPlaces;
  clientAddress: ClientAddress;
  publicUrl: URL;
}) => {
  const { clientAddress, clients, clientGrants, sessions, workspaces, places, publicUrl } = options;

  const memberOf = async (c: Context<Env>) => {
    const token = getCookie(c, cookieName(publicUrl));
    return token === undefined ? undefined : sessions.find(token);
  };

  /** Failures in the words of OAuth; all else as everywhere. */
  const orOAuthError = async (c: Context<Env>, work: () => Promise<Response>): Promise<Response> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return c.json({ error: error.code, error_description: error.message }, 400);
    }
  };

  const refuse = (c: Context<Env>, why: string, back?: string) => c.html(refusedPage(why, back), 400);

  return new Hono<Env>()
    .use('/oauth/*', bodyWithin(16_384), async (c, next) => {
      c.header('cache-control', 'no-store');
      await next();
    })
    .get('/.well-known/oauth-authorization-server', (c) => c.json(places.authorizationServer))
    .get('/.well-known/oauth-protected-resource/*', (c) => {
      const path = c.req.path.slice('/.well-known/oauth-protected-resource'.length);
      const described = places.protectedResource(path === '' ? '/mcp' : path, c.req.url);
      if (described === undefined) throw new Fault('not_found', 'There is nothing to be let in to at this address.');
      return c.json(described);
    })
    .post('/oauth/register', (c) =>
      orOAuthError(c, async () => {
        const given = Registration.safeParse(await c.req.json().catch(() => undefined));
        if (!given.success) {
          throw new OAuthError('invalid_client_metadata', mistakeIn(given.error));
        }
        const { client_name: name, redirect_uris: redirectUris } = given.data;
        const { id, createdAt } = await clients.register({ name, redirectUris }, clientAddress(c.env));
        const registered = {
          client_id: id,
          client_id_issued_at: Math.floor(createdAt.getTime() / 1_000),
          client_name: name,
          redirect_uris: redirectUris,
          token_endpoint_auth_method: 'none',
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
        };
        return c.json(registered, 201);
      }),
    )
    .get('/oauth/authorize', async (c) => {
      const { client_id: id = '', redirect_uri: redirectUri = '', state, scope, resource: wanted } = c.req.query();
      const client = await clients.find(id);
      if (client === undefined) return refuse(c, strangerWords);
      if (!redirectFits(client.redirectUris, redirectUri)) {
        return refuse(c, 'The program asks to be sent back to an address that it did not register.');
      }
      const member = await memberOf(c);
      if (member === undefined) return c.html(signInFirst(c.req.url.slice(new URL(c.req.url).origin.length)), 401);
      const back = (error: string, why: string) => {
        const stated = state === undefined ? {} : { state };
        const url = backTo(redirectUri, { error, error_description: why, iss: places.issuer, ...stated });
        // Anybody can register an address, so a link to us must not lead there by itself.
        return isLoopback(redirectUri) ? c.redirect(url, 302) : refuse(c, why, url);
      };
      const asked = Asked.safeParse(c.req.query());
      if (!asked.success) return back('invalid_request', 'response_type=code with an S256 code_challenge is needed.');
      const resource = places.resourceOf(wanted);
      if (resource === undefined) return back('invalid_target', `resource must be ${places.resourceOf(undefined)}.`);
      const scopes = clientScopes.filter((each) => scope === undefined || scope.split(' ').includes(each));
      if (scopes.length === 0) return back('invalid_scope', `There are the scopes ${clientScopes.join(' and ')}.`);
      const allowed = scopes.filter((each) => scopesOf(member.role).includes(each));
      if (allowed.length === 0) return back('access_denied', 'Your role does not allow this.');
      const challenge = asked.data.code_challenge;
      const request: ClientRequest = { client, redirectUri, state, challenge, scopes: allowed, resource };
      const { name } = await workspaces.get(member.workspaceId);
      const ticket = await clientGrants.ask(member, request);
      return c.html(consentPage(request, { person: member.actor.name, workspace: name, word: ticket }));
    })
    .post('/oauth/authorize', async (c) => {
      const origin = c.req.header('origin');
      if (origin !== publicUrl.origin && origin !== new URL(c.req.url).origin) {
        throw new Fault('forbidden', 'This must be sent by our own page.');
      }
      const member = await memberOf(c);
      const form = Decision.safeParse(await formFields(c));
      if (member === undefined || !form.success) return refuse(c, 'You are not signed in any more.');
      try {
        const { request, decision } = form.data;
        const { redirectUri, answer } = await clientGrants.decide(member, request, decision === 'allow');
        return c.redirect(backTo(redirectUri, { ...answer, iss: places.issuer }), 303);
      } catch (error) {
        if (error instanceof Fault && error.code === 'conflict') return refuse(c, error.message);
        throw error;
      }
    })
    .post('/oauth/token', (c) =>
      orOAuthError(c, async () => {
        const sent = await formFields(c);
        const given = TokenRequest.safeParse(sent);
        if (!given.success) {
          const isForm = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i;
          if (!isForm.test(c.req.header('content-type') ?? '')) {
            throw new OAuthError('invalid_request', 'The request must be a form: application/x-www-form-urlencoded.');
          }
          // One that is not given is no other type.
          const isOther = given.error.issues[0]?.path[0] === 'grant_type' && sent['grant_type'] !== undefined;
          throw new OAuthError(isOther ? 'unsupported_grant_type' : 'invalid_request', mistakeIn(given.error));
        }
        const asked = given.data;
        if (asked.resource !== undefined && places.resourceOf(asked.resource) === undefined) {
          throw new OAuthError('invalid_target', `resource must be ${places.resourceOf(undefined)}.`);
        }
        const clientId = asked.client_id;
        // Upon this word clients forget who they were and register anew; upon any other they ask under the old name for ever.
        if ((await clients.find(clientId)) === undefined) {
          throw new OAuthError('invalid_client', 'This program is not known here; register again.');
        }
        const tokens =
          asked.grant_type === 'refresh_token'
            ? await clientGrants.refresh({ refreshToken: asked.refresh_token, clientId })
            : await clientGrants.exchange({
                code: asked.code,
                clientId,
                redirectUri: asked.redirect_uri,
                verifier: asked.code_verifier,
              });
        return c.json(toAnswer(tokens));
      }),
    )
    .post('/oauth/revoke', (c) =>
      orOAuthError(c, async () => {
        const given = Revocation.safeParse(await formFields(c));
        if (!given.success) throw new OAuthError('invalid_request', mistakeIn(given.error));
        await clientGrants.giveUp(given.data.token);
        return c.body(null, 200);
      }),
    );
};
