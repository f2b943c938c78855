import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Grant, Identity, Pace, Payers, UpstreamRequest } from '#kit';
import { isBatch } from './effects.ts';

const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);
const nameOf = (mailbox: string): string => digest(`mailbox ${mailbox.toLowerCase()}`);

/** A mailbox is counted by the name that others reach it by, too; what else it is called is known of its own account. */
export const payersOf = ({ accessToken }: Grant, identity?: Identity): Payers => {
  if (identity === undefined) return { owner: digest(`owner ${accessToken}`) };
  const { id, username = id, address = username } = identity;
  return { owner: nameOf(username), address: nameOf(address), id: nameOf(id) };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const another = /^\/?users(?:\/([^/?(]+)|\('([^/?]+)'\))/i;
const mailboxOf = (payers: Payers, url: string): string => {
  const [, segment, key] = another.exec(decoded(url)) ?? [];
  const named = segment ?? key?.replaceAll("''", "'");
  const { owner = '' } = payers;
  if (named === undefined) return owner;
  const name = nameOf(named);
  return Object.values(payers).includes(name) ? owner : name;
};

const atOnce = 4;
/** A batch of more is refused as a whole. */
const mostParts = 20;
const Batch = z.object({ requests: z.array(z.object({ url: z.string() }).catch({ url: '' })) });

// The service works on the parts of a batch at the same time and counts each: learn.microsoft.com/graph/throttling.
const askedOf = ({ path, body }: Pick<UpstreamRequest, 'path' | 'body'>): readonly string[] => {
  const parts = isBatch(path) ? (Batch.safeParse(body).data?.requests ?? []) : [];
  return parts.length === 0 ? [path] : parts.map(({ url }) => url);
};

export const paceOf = (payers: Payers, request: Pick<UpstreamRequest, 'method' | 'path' | 'body'>): Pace => {
  const asked = new Map<string, number>();
  for (const url of askedOf(request).slice(0, mostParts)) {
    const bucket = `mail mailbox ${mailboxOf(payers, url)}`;
    asked.set(bucket, (asked.get(bucket) ?? 0) + 1);
  }
  return {
    limits: [...asked].map(([bucket, calls]) => ({ bucket, limit: 10_000, windowMs: 600_000, calls })),
    atOnce: [...asked].map(([bucket, calls]) => ({ bucket, limit: atOnce, places: Math.min(atOnce, calls) })),
  };
};
