import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type Place, type Sealer, Unreadable } from '#store';

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export const placeOf = (
  workspaceId: string,
  webhookId: string,
  column: 'secret' | 'previous_secret' | 'earlier_secrets',
): Place => ({
  workspace: workspaceId,
  table: 'webhooks',
  row: webhookId,
  column,
});

/** A sealed secret, or `undefined` where the key that sealed it is lost: nobody can sign with it any more. */
export const openIfReadable = (sealer: Sealer, sealed: Buffer, place: Place): string | undefined => {
  try {
    return sealer.open(sealed, place);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
};

/** The three headers of Standard Webhooks; one signature for each secret that is good now. */
export const signedHeaders = (message: { id: string; at: Date; body: string; secrets: readonly string[] }) => ({
  'webhook-id': message.id,
  'webhook-timestamp': String(Math.floor(message.at.getTime() / 1_000)),
  'webhook-signature': message.secrets
    .map((secret) => new Webhook(secret).sign(message.id, message.at, message.body))
    .join(' '),
});
