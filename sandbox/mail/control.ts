import { Hono } from 'hono';
import { z } from 'zod';
import { type Control, ControlMistake, controlBody, controlRoutes } from '../common/server.ts';
import type { Subscriptions } from './changes/subscriptions.ts';
import { GraphError } from './graph-error.ts';
import { ConsentInput, controlApps, controlConsent, controlTokens, TokensInput } from './identity/index.ts';
import { immutableId, newItemId, restId } from './ids.ts';
import type { Attachment, EmailAddress, Header } from './mailbox.ts';
import { readAddressList } from './mime/read.ts';
import { seedMessages } from './seed/bulk.ts';
import { seedAccounts } from './seed/people.ts';
import type { Throttle } from './throttle.ts';
import type { World } from './world.ts';

const Address = z.union([z.string(), z.object({ name: z.string().optional(), address: z.string() })]);
const Addresses = z.union([Address, z.array(Address)]);
const DeliverInput = z.strictObject({
  to: Addresses,
  from: Address,
  subject: z.string(),
  body: z.string().optional(),
  html: z.string().optional(),
  cc: Addresses.optional(),
  bcc: Addresses.optional(),
  replyTo: Addresses.optional(),
  headers: z
    .union([z.record(z.string(), z.string()), z.array(z.object({ name: z.string(), value: z.string() }))])
    .optional(),
  attachments: z
    .array(
      z.strictObject({
        name: z.string(),
        contentType: z.string().default('application/octet-stream'),
        size: z.int().min(0).optional(),
        contentBytes: z.string().optional(),
        isInline: z.boolean().optional(),
        contentId: z.string().optional(),
      }),
    )
    .optional(),
  importance: z.enum(['low', 'normal', 'high']).optional(),
  receivedAt: z.iso.datetime({ offset: true }).optional(),
  folder: z.string().optional(),
});
type Deliver = z.infer<typeof DeliverInput>;

const addresses = (value: z.infer<typeof Addresses> | undefined): EmailAddress[] =>
  (value === undefined ? [] : Array.isArray(value) ? value : [value]).flatMap((one) =>
    typeof one === 'string' ? readAddressList(one) : [{ name: one.name ?? one.address, address: one.address }],
  );

const headersOf = (value: Deliver['headers']): Header[] =>
  value === undefined
    ? []
    : Array.isArray(value)
      ? value
      : Object.entries(value).map(([name, text]) => ({ name, value: text }));

const attachmentsOf = (world: World, list: NonNullable<Deliver['attachments']>, owner: string): Attachment[] => {
  const mailbox = world.mailboxOf(owner);
  if (mailbox === undefined) return [];
  return list.map(({ contentBytes, size, isInline, contentId, ...file }) => {
    const content = contentBytes === undefined ? undefined : new Uint8Array(Buffer.from(contentBytes, 'base64'));
    return {
      kind: 'file',
      id: newItemId(mailbox),
      ...file,
      isInline: isInline ?? false,
      contentId: contentId ?? null,
      size: content?.length ?? size ?? 0,
      modified: world.now(),
      ...(content === undefined ? {} : { content }),
    };
  });
};

const deliver = (world: World, input: Deliver) => {
  const to = addresses(input.to);
  const from = addresses(input.from)[0];
  const first = [...to, ...addresses(input.cc), ...addresses(input.bcc)].find(
    ({ address }) => world.mailboxOf(address) !== undefined,
  );
  if (first === undefined || from === undefined) throw new ControlMistake('Nobody here has one of these addresses.');
  const messages = world.deliver({
    from,
    to,
    cc: addresses(input.cc),
    bcc: addresses(input.bcc),
    replyTo: addresses(input.replyTo),
    subject: input.subject,
    body:
      input.html === undefined
        ? { contentType: 'text', content: input.body ?? '' }
        : { contentType: 'html', content: input.html },
    headers: headersOf(input.headers),
    attachments: attachmentsOf(world, input.attachments ?? [], first.address),
    ...(input.importance === undefined ? {} : { importance: input.importance }),
    ...(input.receivedAt === undefined ? {} : { receivedAt: Date.parse(input.receivedAt) }),
    ...(input.folder === undefined ? {} : { folder: input.folder }),
  });
  const mailbox = world.mailboxOf(first.address);
  const message = messages[0];
  if (mailbox === undefined || message === undefined)
    throw new ControlMistake('Nobody here has one of these addresses.');
  // By this id the mail is known to whoever asks for ids that stay; `restId` is the one of this moment.
  const id = immutableId(mailbox, message);
  return { id, immutableId: id, restId: restId(mailbox, message), internetMessageId: message.internetMessageId };
};

const LimitsInput = z.strictObject({
  off: z.boolean().optional(),
  perMailbox: z.int().min(1).optional(),
  concurrent: z.int().min(1).optional(),
  incomingBytes: z.int().min(1).optional(),
  perToken: z.number().optional(),
  perKey: z.number().optional(),
});
const SeedInput = z.strictObject({
  messages: z.int().min(0).max(1_000_000).optional(),
  accounts: z.int().min(0).max(10_000).optional(),
  cards: z.number().optional(),
  user: z.string().optional(),
});
const BehaviourInput = z.strictObject({
  sentItemsLagMs: z.number().min(0).optional(),
  searchLagMs: z.number().min(0).optional(),
  refuseSensitivePatch: z.boolean().optional(),
  notificationNoise: z.boolean().optional(),
});
const LifecycleInput = z.strictObject({
  event: z.enum(['reauthorizationRequired', 'subscriptionRemoved', 'missed']),
  user: z.string().optional(),
});

const given = <T extends object>(input: T): Partial<T> =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Partial<T>;

/** `/_control` of the mail server: what all servers share, and what only mail has. */
export const mailControl = (
  control: Control,
  world: World,
  parts: { throttle: Throttle; subscriptions: Subscriptions; reset: () => void },
): Hono => {
  const { throttle, subscriptions } = parts;
  const routes = new Hono().onError((error, c) => {
    if (error instanceof ControlMistake || error instanceof GraphError) return c.json({ error: error.message }, 400);
    throw error;
  });
  routes.post('/deliver', async (c) => c.json(deliver(world, await controlBody(c.req, DeliverInput))));
  routes.get('/outbox', (c) => c.json({ items: world.outbox }));
  routes.get('/limits', (c) => c.json({ ...throttle.limits, peaks: throttle.peaks() }));
  routes.post('/limits', async (c) => {
    const { perToken: _token, perKey: _key, ...limits } = await controlBody(c.req, LimitsInput);
    throttle.limits = { ...throttle.limits, ...(given(limits) as typeof throttle.limits) };
    return c.json(throttle.limits);
  });
  routes.post('/seed', async (c) => {
    const { messages = 0, accounts = 0, user = 'ada@sandbox.test' } = await controlBody(c.req, SeedInput);
    const mailbox = world.mailboxOf(user);
    if (mailbox === undefined) throw new ControlMistake(`Nobody here is '${user}'.`);
    seedMessages(world, mailbox, messages);
    return c.json({ messages, accounts: seedAccounts(world, accounts) });
  });
  /** Whose id it is; `undefined` if everybody is meant. */
  const meant = (user: string | undefined): string | undefined => {
    const id = user === undefined ? undefined : world.person(user)?.id;
    if (user !== undefined && id === undefined) throw new ControlMistake(`Nobody here is '${user}'.`);
    return id;
  };
  routes.post('/tokens', async (c) => {
    const input = await controlBody(c.req, TokensInput);
    const owner = meant(input.user);
    const answer = controlTokens(world, input);
    // Whoever lost the permission loses the subscriptions; an expired token only asks for a new one.
    if (input.revoke === true) subscriptions.lifecycle('subscriptionRemoved', owner);
    else if (input.expire === true) subscriptions.lifecycle('reauthorizationRequired', owner);
    return c.json(answer);
  });
  routes.post('/consent', async (c) => c.json(controlConsent(world, await controlBody(c.req, ConsentInput))));
  routes.post('/behaviour', async (c) => {
    const changes = given(await controlBody(c.req, BehaviourInput)) as Partial<typeof world.behaviour>;
    world.behaviour = { ...world.behaviour, ...changes };
    return c.json(world.behaviour);
  });
  routes.post('/lifecycle', async (c) => {
    const { event, user } = await controlBody(c.req, LifecycleInput);
    return c.json({ told: subscriptions.lifecycle(event, meant(user)) });
  });
  routes.post('/delta', (c) => {
    world.generation++;
    return c.json({ ok: true });
  });
  routes.route('/apps', controlApps(world));
  routes.route('/', controlRoutes(control, parts.reset));
  return routes;
};
