import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

type SigningKey = { privateKey: KeyObject; kid: string; jwk: Record<string, unknown> };

let made: SigningKey | undefined;

/** One RSA key for the life of the process, made when first needed. */
const signingKey = (): SigningKey => {
  if (made !== undefined) return made;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(String(jwk.n)).digest('base64url').slice(0, 27);
  made = { privateKey, kid, jwk: { ...jwk, kid, use: 'sig', x5t: kid } };
  return made;
};

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export const signedJwt = (payload: Record<string, unknown>): string => {
  const { privateKey, kid } = signingKey();
  const text = `${encoded({ typ: 'JWT', alg: 'RS256', kid })}.${encoded(payload)}`;
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`;
};

export const publicKeys = () => ({ keys: [signingKey().jwk] });
