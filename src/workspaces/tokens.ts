import { hash, randomBytes } from 'node:crypto';

/** An unguessable credential: 256 random bits behind a prefix that leak scanners can find. */
export const newToken = (prefix: string): string => `${prefix}_${randomBytes(32).toString('base64url')}`;

/** Credentials are long and random, so a plain digest is enough to keep them unreadable at rest. */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');

/** The same as text. */
export const tokenDigest = (token: string): string => hash('sha256', token, 'base64');
