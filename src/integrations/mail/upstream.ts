import { createHash } from 'node:crypto';
import type { Grant, Pace, UpstreamDefinition, UpstreamRequest } from '#kit';
import { effectOf } from './effects.ts';
import { readFault } from './faults.ts';
import { uploads } from './uploads.ts';
import { idOf } from './wire.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

const mailboxOf = (owner: string, path: string): string => {
  const named = /^\/users(?:\/|\(')([^/')]+)/i.exec(path)?.[1];
  return digest(named === undefined ? `owner ${owner}` : `mailbox ${named.toLowerCase()}`);
};

const paceOf = (
  { accessToken }: Grant,
  { path }: Pick<UpstreamRequest, 'method' | 'path'>,
  identityId = accessToken,
): Pace => {
  const bucket = `mail mailbox ${mailboxOf(identityId, path)}`;
  return { limits: [{ bucket, limit: 10_000, windowMs: 600_000 }], atOnce: { bucket, limit: 4 } };
};

export const mailUpstream: UpstreamDefinition<Grant> = {
  sign: ({ accessToken }) => ({ authorization: `Bearer ${accessToken}` }),
  effectOf,
  readFault,
  idOf,
  paceOf,
  uploads,
};
