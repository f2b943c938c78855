import { z } from 'zod';
import { type Checked, Fault, path, type Registration, type WatchContext, type Watching } from '#kit';
import { statusOf } from '../faults.ts';
import { modelOf } from './resources.ts';

const Webhook = z.object({
  id: z.string(),
  idModel: z.string(),
  callbackURL: z.string(),
  active: z.boolean(),
  consecutiveFailures: z.number().default(0),
});
type Webhook = z.output<typeof Webhook>;

const all = async ({ upstream }: WatchContext): Promise<Webhook[]> =>
  z.array(Webhook).parse(await upstream.get(path`/1/tokens/{token}/webhooks`));

const change = async (id: string, body: Partial<Webhook>, { upstream }: WatchContext): Promise<Webhook> =>
  Webhook.parse(await upstream.put(path`/1/webhooks/${id}`, { body }));

/** Somebody else's webhook, and that of an earlier token, are as good as gone. */
const goneAt = new Set([401, 404]);
const isGone = (error: unknown): boolean =>
  error instanceof Fault && error.code !== 'reconnect_needed' && goneAt.has(statusOf(error) ?? 0);

/** One that exists already for this address and model: a lost answer, a crash, or a restored backup left it behind. */
const adopt = async (idModel: string, url: string, context: WatchContext): Promise<Registration | undefined> => {
  const twin = (await all(context)).find((one) => one.callbackURL === url && one.idModel === idModel);
  if (twin === undefined) return undefined;
  if (!twin.active) await change(twin.id, { active: true }, context);
  return { id: twin.id };
};

type Registers = Pick<Watching['push'], 'register' | 'check' | 'remove' | 'list'>;

export const registrations: Registers = {
  register: async (resource, { url }, context) => {
    const idModel = modelOf(resource, context);
    const body = { callbackURL: url, idModel, description: 'Switchboard', active: true };
    try {
      const { id } = Webhook.parse(await context.upstream.post(path`/1/webhooks`, { body }));
      return { id };
    } catch (error) {
      const exists = error instanceof Fault && statusOf(error) === 400 && /already exists/i.test(error.message);
      const twin = exists ? await adopt(idModel, url, context) : undefined;
      if (twin === undefined) throw error;
      return twin;
    }
  },

  check: async (_, known, { url }, context): Promise<Checked> => {
    const found = await context.upstream.get(path`/1/webhooks/${known.id}`).catch((error: unknown) => {
      if (isGone(error)) return undefined;
      throw error;
    });
    if (found === undefined) return { state: 'gone', reason: 'The service no longer has this webhook.' };
    const { active, callbackURL, consecutiveFailures } = Webhook.parse(found);
    if (!active) {
      await change(known.id, { active: true, callbackURL: url }, context);
      const reason = 'The service had switched the webhook off after many failures; it is switched on again.';
      return { state: 'degraded', registration: known, reason };
    }
    if (callbackURL !== url) {
      await change(known.id, { callbackURL: url }, context);
      return { state: 'healthy', registration: known };
    }
    if (consecutiveFailures === 0) return { state: 'healthy', registration: known };
    const reason = `The last ${consecutiveFailures} notifications did not reach us; what they told is looked up.`;
    return { state: 'degraded', registration: known, reason };
  },

  remove: async ({ id }, { upstream }) => {
    await upstream.delete(path`/1/webhooks/${id}`).catch((error: unknown) => {
      if (!isGone(error)) throw error;
    });
  },

  list: async (context) => (await all(context)).map(({ id, callbackURL: url }) => ({ id, url })),
};
