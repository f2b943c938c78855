import { z } from 'zod';
import { Fault } from '#kit';

const Payload = z.looseObject({
  iss: z.string(),
  aud: z.string(),
  exp: z.number(),
  tid: z.string().optional(),
  nonce: z.string().optional(),
});
export type Claims = z.output<typeof Payload>;

const clockSkewMs = 5 * 60_000;

/** Whether an issuer is the configured one. `{tenantid}` in it stands for the tenant that the token names. */
const isIssuer = (issuer: string, expected: string, tenant: string | undefined): boolean =>
  issuer === expected.replace('{tenantid}', tenant ?? '{tenantid}');

/** Whether a callback that names no tenant may come from the configured issuer: the identity says later which it was. */
export const mayBeIssuer = (issuer: string, expected: string): boolean => {
  const [before = '', after] = expected.split('{tenantid}');
  if (after === undefined) return issuer === expected;
  const tenant = issuer.slice(before.length, issuer.length - after.length);
  return issuer === `${before}${tenant}${after}` && /^[\w.-]+$/.test(tenant);
};

const refused = (why: string) =>
  new Fault('upstream_rejected', `The sign-in service answered with an identity that cannot be trusted (${why}).`);

/**
 * The claims of an id_token that came straight from the token endpoint, where the connection itself vouches for it
 * (OpenID Connect Core 3.1.3.7): who issued it, for whom, for which attempt, until when.
 */
export const readIdToken = (
  token: string | undefined,
  expected: { issuer: string | undefined; audience: string; nonce: string; now: Date },
): Claims => {
  const part = token?.split('.')[1];
  if (part === undefined) throw refused('it is missing');
  let payload: unknown;
  try {
    payload = JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    throw refused('it is malformed');
  }
  const claims = Payload.safeParse(payload);
  if (!claims.success) throw refused('it is malformed');
  const { iss, aud, exp, nonce, tid } = claims.data;
  if (expected.issuer !== undefined && !isIssuer(iss, expected.issuer, tid)) throw refused('another issuer');
  if (aud !== expected.audience) throw refused('meant for another app');
  if (nonce !== expected.nonce) throw refused('made for another sign-in');
  if (exp * 1000 + clockSkewMs < expected.now.getTime()) throw refused('it has expired');
  return claims.data;
};
