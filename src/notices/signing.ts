import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Place } from '#store';

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export const placeOf = (workspaceId: string, webhookId: string, column: 'secret' | 'previous_secret'): Place => ({
  workspace: workspaceId,
  table: 'webhooks',
  row: webhookId,
  column,
});

/** The three headers of Standard Webhooks; one signature for each secret that is good now. */
export const signedHeaders = (message: { id: string; at: Date; body: string; secrets: readonly string[] }) => ({
  'webhook-id': message.id,
  'webhook-timestamp': String(Math.floor(message.at.getTime() / 1_000)),
  'webhook-signature': message.secrets
    .map((secret) => new Webhook(secret).sign(message.id, message.at, message.body))
    .join(' '),
});
