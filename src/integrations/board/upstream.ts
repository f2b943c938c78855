import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Fault, type UpstreamAnswer, type UpstreamDefinition } from '#kit';
import type { KeyToken } from './auth.ts';
import { effectOf } from './effects.ts';

const Json = z.object({ message: z.string().optional(), error: z.string().optional() });
const longest = 300;

/** The service answers some refusals as a plain sentence and some as JSON. */
const readReason = (body: unknown): { reason: string; code: string | undefined } => {
  const json = Json.safeParse(body);
  if (json.success) return { reason: json.data.message ?? json.data.error ?? 'no reason given', code: json.data.error };
  const text = typeof body === 'string' ? body.trim() : '';
  // A gateway's page is no reason.
  return { reason: text === '' || text.startsWith('<') ? 'no reason given' : text.slice(0, longest), code: undefined };
};

// The wording has changed over the years, so only the part that stayed is looked at.
const badCredential = /^(invalid|expired|revoked) (app )?(token|key)/i;
const windowMs = 10_000;

const waitOf = (headers: UpstreamAnswer['headers']): number => {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : windowMs;
};

const readFault = ({ status, headers, body }: UpstreamAnswer): Fault => {
  const { reason, code } = readReason(body);
  const details = { upstream: { status, ...(code === undefined ? {} : { code }) } };
  if (status === 401 && badCredential.test(reason)) {
    return new Fault(
      'reconnect_needed',
      `The board service no longer accepts this account (${reason}); connect it again.`,
      {
        details,
      },
    );
  }
  if (status === 429) {
    const message = 'The board service asks us to slow down; wait and try again.';
    return new Fault('rate_limited', message, { details, retryAfterMs: waitOf(headers) });
  }
  if (status >= 500) {
    return new Fault('upstream_unavailable', `The board service is not well (status ${status}); try again later.`, {
      details,
    });
  }
  return new Fault('upstream_rejected', `The board service refused: ${reason}`, { details });
};

const digest = (secret: string): string => createHash('sha256').update(secret).digest('base64url').slice(0, 22);

const Identified = z.object({ id: z.string() });

export const boardUpstream: UpstreamDefinition<KeyToken> = {
  sign: ({ key, token }) => ({
    authorization: `OAuth oauth_consumer_key="${encodeURIComponent(key)}", oauth_token="${encodeURIComponent(token)}"`,
  }),
  effectOf,
  readFault,
  idOf: (body) => Identified.safeParse(body).data?.id,
  paceOf: ({ key, token }) => ({
    limits: [
      { bucket: `board token ${digest(token)}`, limit: 100, windowMs },
      { bucket: `board key ${digest(key)}`, limit: 300, windowMs },
    ],
  }),
};
