import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Limit, Path, UpstreamDefinition } from '#kit';
import type { BoardCredential } from './auth.ts';
import { effectOf } from './effects.ts';
import { readFault } from './faults.ts';
import { loads } from './loads.ts';

const digest = (secret: string): string => hash('sha256', secret, 'base64url').slice(0, 22);

// A look that finds a state instead of a new thing claims it under a name of its own.
const Found = z.object({ foundFor: z.string() });
const Identified = z.object({ id: z.string() });

// All other writes of ours are answered with what they made or changed.
const unnamed = /\/(?:idLabels|idMembers|item)$/;

const windowMs = 10_000;
// Members, their boards, and searches have a limit of their own.
const scarce = /^\/1\/(members|search|membersSearch)(\/|$)/;

const limitsOf = (token: string, path: string): Limit[] => [
  { bucket: `board token ${token}`, limit: 100, windowMs },
  ...(scarce.test(path) ? [{ bucket: `board members ${token}`, limit: 100, windowMs: 900_000 }] : []),
];

const spent: readonly (readonly [code: string, buckets: string])[] = [
  // Of one key, whoever goes on after the 200th refusal shuts out all who use it.
  ['API_KEY_LIMIT_EXCEEDED', 'board key '],
  ['RATE_LIMIT_EXCEEDED', 'board members '],
];
const Refused = z.object({ error: z.string() });

const authorizationOf = (credential: BoardCredential): string => {
  if ('accessToken' in credential) return `Bearer ${credential.accessToken}`;
  const [key, token] = [credential.key, credential.token].map(encodeURIComponent);
  return `OAuth oauth_consumer_key="${key}", oauth_token="${token}"`;
};

export const boardUpstream: UpstreamDefinition<BoardCredential> = {
  sign: (credential) => ({
    authorization: authorizationOf(credential),
    // Told again with every notification of what we did, so that our own doings can be told apart.
    'x-trello-client-identifier': 'switchboard',
  }),
  // The service names a token's webhooks by the token itself.
  fill: (path, credential) => {
    if (!path.includes('{token}')) return path;
    const token = 'accessToken' in credential ? credential.accessToken : credential.token;
    return path.replace('/{token}/', `/${encodeURIComponent(token)}/`) as Path;
  },
  effectOf,
  loads,
  isSaid: ({ method, path }) => method === 'POST' && /^\/1\/cards\/[^/]+\/actions\/comments\/*$/.test(path),
  readFault,
  confirms: ({ method, path }, { body }) =>
    typeof body === 'object' &&
    body !== null &&
    (method === 'DELETE' || unnamed.test(path) || Identified.safeParse(body).success),
  idOf: (body) => Found.safeParse(body).data?.foundFor ?? Identified.safeParse(body).data?.id,
  idIn: (path) => /^\/1\/\w+\/([0-9a-f]{24})(?=\/|$)/i.exec(path)?.[1],
  payersOf: (credential) =>
    'accessToken' in credential
      ? // The app that people sign in to is one, the operator's; the service counts its calls like those of a key.
        { token: digest(credential.accessToken), key: 'of the app' }
      : { token: digest(credential.token), key: digest(credential.key) },
  paceOf: ({ token = '', key }, { path }) => {
    const own = limitsOf(token, path);
    return { limits: key === undefined ? own : [...own, { bucket: `board key ${key}`, limit: 300, windowMs }] };
  },
  spentOf: (limits, { body }) => {
    const code = Refused.safeParse(body).data?.error;
    const [, buckets = ''] = spent.find(([each]) => each === code) ?? [];
    const meant = buckets === '' ? [] : limits.filter(({ bucket }) => bucket.startsWith(buckets));
    return meant.length > 0 ? meant : limits.slice(0, 1);
  },
};
