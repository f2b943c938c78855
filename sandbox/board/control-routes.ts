import type { Hono } from 'hono';
import { z } from 'zod';
import { type Control, ControlMistake, controlBody, controlRoutes } from '../common/server.ts';
import { seedAccounts, seedCards } from './bulk-seed.ts';
import { pagesApp } from './credentials.ts';
import type { Member } from './model.ts';
import { revokeToken } from './operations/tokens.ts';
import type { RateLimits } from './rate-limits.ts';
import { showAction } from './views/actions.ts';
import { webhooksOwnedBy } from './views/tokens.ts';
import type { World, WorldSnapshot } from './world.ts';

/** How authorize answers: with pages for people, or at once as somebody. */
export type Consent = { mode: 'ask' } | { mode: 'auto'; as: string };

const ConsentInput = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('auto'), as: z.string() }),
  z.strictObject({ mode: z.literal('ask') }),
]);
const TokensInput = z.strictObject({
  expire: z.boolean().optional(),
  revoke: z.boolean().optional(),
  user: z.string().optional(),
});
const LimitsInput = z.strictObject({
  perToken: z.int().min(0).optional(),
  perKey: z.int().min(0).optional(),
  perMemberRoutes: z.int().min(0).optional(),
  // One body may go to both services; what the mail service alone has is taken and not used.
  perMailbox: z.int().min(0).optional(),
  off: z.boolean().optional(),
});
const SeedInput = z.strictObject({
  messages: z.int().min(0).max(1_000_000).optional(),
  cards: z.int().min(0).max(1_000_000).optional(),
  accounts: z.int().min(0).max(10_000).optional(),
});

export const findMember = (world: World, who: string): Member | undefined =>
  world.byUsername.get(who) ?? [...world.members.values()].find(({ email, id }) => email === who || id === who);

const someone = (world: World, who: string): Member => {
  const member = findMember(world, who);
  if (!member) throw new ControlMistake(`There is no member ${who}.`);
  return member;
};

export const credentialsOf = (world: World) => {
  const members = [...world.tokens.values()]
    .filter(({ kind, appKey }) => kind === 'key' && appKey !== pagesApp.key)
    .map((token) => {
      const member = world.members.get(token.idMember);
      const { username, fullName, email, id } = member ?? { username: '', fullName: '', email: '', id: '' };
      const appSecret = world.apps.get(token.appKey)?.secret ?? '';
      return { id, username, fullName, email, key: token.appKey, token: token.value, appSecret };
    });
  const clients = [...world.clients.values()].map(({ id, secret, name }) => ({
    clientId: id,
    clientSecret: secret,
    name,
  }));
  return { members, oauth: clients[0], clients };
};

/** Credentials die: all of them, or one member's. */
const killTokens = (world: World, { expire, revoke, user }: z.infer<typeof TokensInput>): number => {
  const member = user === undefined ? undefined : someone(world, user);
  const hit = [...world.tokens.values()].filter(
    ({ idMember, appKey }) => appKey !== pagesApp.key && (member === undefined || idMember === member.id),
  );
  const past = new Date(world.clock.now() - 1).toISOString();
  for (const token of hit) {
    if (revoke) revokeToken(world, token);
    else if (expire) {
      token.dateExpires = past;
      if (token.kind === 'key')
        for (const webhook of webhooksOwnedBy(world, token.idOwner)) world.removeWebhook(webhook);
    }
  }
  if (revoke) {
    const grants = [...world.grants.values()].filter(({ idMember }) => member === undefined || idMember === member.id);
    for (const { id } of grants) world.grants.delete(id);
  }
  return hit.length;
};

type Parts = {
  control: Control;
  world: World;
  limits: RateLimits;
  consent: { current: Consent };
  reset: () => void;
};

export const boardControlRoutes = ({ control, world, limits, consent, reset }: Parts): Hono =>
  controlRoutes(control, reset)
    .post('/consent', async (c) => {
      const wanted = await controlBody(c.req, ConsentInput);
      if (wanted.mode === 'auto') someone(world, wanted.as);
      consent.current = wanted;
      return c.json(wanted);
    })
    .post('/tokens', async (c) => c.json({ tokens: killTokens(world, await controlBody(c.req, TokensInput)) }))
    .post('/limits', async (c) => {
      const { perToken, perKey, perMemberRoutes, off } = await controlBody(c.req, LimitsInput);
      const wanted = Object.entries({ perToken, perKey, perMemberRoutes, off }).filter(
        ([, value]) => value !== undefined,
      );
      limits.set(Object.fromEntries(wanted));
      world.limitsOff = limits.off;
      return c.json({ perToken: limits.perToken, perKey: limits.perKey, off: limits.off });
    })
    .post('/seed', async (c) => {
      const { cards = 0, accounts = 0 } = await controlBody(c.req, SeedInput);
      return c.json({ cards: seedCards(world, cards), accounts: seedAccounts(world, accounts) });
    })
    .get('/credentials', (c) => c.json(credentialsOf(world)))
    .get('/actions', (c) => {
      const viewer = { world, idMember: null };
      const since = c.req.query('since') ?? '';
      const items = [...world.actions.values()].filter(({ id }) => id > since);
      return c.json({ items: items.map((action) => showAction(action, viewer, { display: true })) });
    })
    .get('/webhooks', (c) => c.json({ items: [...world.webhooks.values()] }))
    .get('/snapshot', (c) => c.json(world.snapshot()))
    .post('/restore', async (c) => {
      const snapshot = await controlBody(c.req, SnapshotInput);
      world.restore(snapshot as unknown as WorldSnapshot);
      return c.json({ ok: true });
    });

const Things = z.array(z.looseObject({}));
const SnapshotInput = z.object({
  ids: z.object({ second: z.number(), counter: z.number() }),
  members: Things,
  organizations: Things,
  boards: Things,
  lists: Things,
  cards: Things,
  labels: Things,
  checklists: Things,
  actions: Things,
  notifications: Things,
  apps: Things,
  clients: Things,
  tokens: Things,
  grants: Things,
  codes: Things,
  webhooks: Things,
  files: Things,
});
