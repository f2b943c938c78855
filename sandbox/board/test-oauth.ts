import { createHash, randomBytes } from 'node:crypto';
import { seededClients } from './credentials.ts';
import type { TestBoard } from './test-board.ts';

export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

export const redirectUri = 'http://127.0.0.1:9/callback';
export const usualScopes =
  'read:board:trello write:board:trello read:member:trello read:organization:trello offline_access';

const [client] = seededClients;
export const clientId = client?.id ?? '';
export const clientSecret = client?.secret ?? '';

export const authorizePath = (challenge: string, more: Record<string, string> = {}): string => {
  const query = {
    client_id: clientId,
    scope: usualScopes,
    redirect_uri: redirectUri,
    response_type: 'code',
    state: 'xyz',
    prompt: 'consent',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  };
  return `/oauth/authorize?${new URLSearchParams(query)}`;
};

export type Tokens = { access_token: string; refresh_token: string; expires_in: number; scope: string };

/** Goes through consent and code at once. */
export const connectOAuth = async (bench: TestBoard, as: string, scope = usualScopes) => {
  const { verifier, challenge } = pkce();
  await bench.control('consent', { mode: 'auto', as });
  const sent = await bench.raw('GET', authorizePath(challenge, { scope }));
  const code = new URL(sent.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const exchange = {
    grant_type: 'authorization_code',
    client_id: clientId,
    client_secret: clientSecret,
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  };
  const answer = await bench.raw('POST', '/oauth/token', exchange);
  const tokens = answer.body as Tokens;
  return { access: tokens.access_token, refresh: tokens.refresh_token, tokens, clientSecret, exchange };
};

export const refreshWith = (bench: TestBoard, refresh: string) =>
  bench.raw('POST', '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: clientId,
    client_secret: clientSecret,
    refresh_token: refresh,
  });
