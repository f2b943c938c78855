import { z } from 'zod';
import { Fault, path, type TypedAuth } from '#kit';

const printable = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'must be one word without blanks');

/** What signs a request: the app's key with a token of the person, and the secret that signs webhooks if it is known. */
export const KeyToken = z.object({
  key: printable.regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits').describe('API key of the app.'),
  token: printable.describe('Token that the person granted to that app.'),
  secret: printable.optional().describe('Secret of the app; with it, notifications can be verified.'),
});
export type KeyToken = z.output<typeof KeyToken>;

const Member = z.object({ id: z.string(), username: z.string(), fullName: z.string() });

export const keyAndToken: TypedAuth = {
  way: 'typed',
  type: 'key_token',
  title: 'API key + token',
  purpose: 'For service accounts and automation: access without a person signing in again.',
  credential: KeyToken,
  scopes: ['read', 'write'],
  identify: async (upstream) => {
    const query = { fields: 'id,username,fullName' };
    const answer = await upstream.get(path`/1/members/me`, { query }).catch((error: unknown) => {
      // Whoever may not even read their own name has no working credential.
      const refused = error instanceof Fault && error.code === 'upstream_rejected';
      if (!refused) throw error;
      throw new Fault('reconnect_needed', error.message, { details: error.details ?? {} });
    });
    const { id, username, fullName } = Member.parse(answer);
    return { id, username, name: fullName };
  },
};
