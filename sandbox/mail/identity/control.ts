import { Hono } from 'hono';
import { z } from 'zod';
import { ControlMistake, controlBody } from '../../common/server.ts';
import type { ConsentMode, Tokens } from './tokens.ts';

type HasTokens = { tokens: Tokens };
type HasPeople = HasTokens & { person(idOrAddress: string): { password: string } | undefined };

export const TokensInput = z.strictObject({
  expire: z.boolean().optional(),
  revoke: z.boolean().optional(),
  interaction: z.boolean().optional(),
  user: z.string().optional(),
});

/** `POST /_control/tokens`: credentials of one person (id or address) or of everyone die, or want a new sign-in. */
export const controlTokens = (
  world: HasTokens,
  { expire, revoke, interaction, user }: z.infer<typeof TokensInput>,
) => ({
  expired: expire === true ? world.tokens.expire(user) : 0,
  revoked: revoke === true ? world.tokens.revoke(user) : 0,
  interaction: interaction === true ? world.tokens.demandInteraction(user) : 0,
});

export const ConsentInput = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('ask') }),
  z.strictObject({ mode: z.literal('auto'), as: z.string() }),
]);

/** `POST /_control/consent`: authorize answers at once as that person, or asks. */
export const controlConsent = (world: HasPeople, mode: ConsentMode): ConsentMode => {
  if (mode.mode === 'auto' && !world.person(mode.as)?.password)
    throw new ControlMistake(`Nobody who could sign in is '${mode.as}'.`);
  world.tokens.consentMode = mode;
  return mode;
};

const AppInput = z.strictObject({
  clientId: z.string().min(1),
  name: z.string().default('Another app'),
  secrets: z.array(z.strictObject({ value: z.string(), expiresAt: z.iso.datetime().optional() })).default([]),
  redirectUris: z.array(z.string()).default(['loopback']),
  spa: z.boolean().optional(),
  audience: z.enum(['work', 'personal', 'both']).default('both'),
});

/** `GET` and `POST /_control/apps`: which apps are registered, and one more. */
export const controlApps = (world: HasTokens): Hono =>
  new Hono()
    .get('/', (c) => c.json({ items: world.tokens.apps.list() }))
    .post('/', async (c) => {
      const app = await controlBody(c.req, AppInput);
      world.tokens.apps.put(app);
      return c.json(app, 201);
    });
