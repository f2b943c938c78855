import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Grant, Pace, Payers, UpstreamDefinition, UpstreamRequest } from '#kit';
import { reconsider } from './alone.ts';
import { showing } from './approval/showing.ts';
import { effectOf, isBatch } from './effects.ts';
import { readFault } from './faults.ts';
import { pauseIn, writesIn } from './together.ts';
import { uploads } from './uploads.ts';
import { idIn, idOf } from './wire.ts';

const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);

const mailboxOf = (owner: string, path: string): string => {
  const named = /^\/users(?:\/|\(')([^/')]+)/i.exec(path)?.[1];
  return named === undefined ? owner : digest(`mailbox ${named.toLowerCase()}`);
};

const atOnce = 4;
const Batch = z.object({ requests: z.array(z.unknown()) });

// The service works on the parts of a batch at the same time and counts each: learn.microsoft.com/graph/throttling.
const partsOf = (path: string, body: unknown): number =>
  isBatch(path) ? (Batch.safeParse(body).data?.requests.length ?? 1) : 1;

const paceOf = ({ owner = '' }: Payers, { path, body }: Pick<UpstreamRequest, 'method' | 'path' | 'body'>): Pace => {
  const bucket = `mail mailbox ${mailboxOf(owner, path)}`;
  const places = Math.max(1, Math.min(atOnce, partsOf(path, body)));
  return { limits: [{ bucket, limit: 10_000, windowMs: 600_000 }], atOnce: { bucket, limit: atOnce, places } };
};

export const mailUpstream: UpstreamDefinition<Grant> = {
  sign: ({ accessToken }) => ({ authorization: `Bearer ${accessToken}` }),
  effectOf,
  reconsider,
  readFault,
  pauseIn,
  writesIn,
  idOf,
  idIn,
  payersOf: ({ accessToken }, identityId = accessToken) => ({ owner: digest(`owner ${identityId}`) }),
  paceOf,
  showing,
  uploads,
};
