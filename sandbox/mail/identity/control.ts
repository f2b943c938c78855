import { z } from 'zod';
import type { ConsentMode, Tokens } from './tokens.ts';

type HasTokens = { tokens: Tokens };

export const TokensInput = z.strictObject({
  expire: z.boolean().optional(),
  revoke: z.boolean().optional(),
  user: z.string().optional(),
});

/** `POST /_control/tokens`: credentials of one person (id or address) or of everyone die. */
export const controlTokens = (world: HasTokens, { expire, revoke, user }: z.infer<typeof TokensInput>) => ({
  expired: expire === true ? world.tokens.expire(user) : 0,
  revoked: revoke === true ? world.tokens.revoke(user) : 0,
});

export const ConsentInput = z.union([
  z.strictObject({ mode: z.literal('ask') }),
  z.strictObject({ mode: z.literal('auto'), as: z.string() }),
]);

/** `POST /_control/consent`: authorize answers at once as that person, or asks. */
export const controlConsent = (world: HasTokens, mode: ConsentMode): ConsentMode => {
  world.tokens.consentMode = mode;
  return mode;
};
