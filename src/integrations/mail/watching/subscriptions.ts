import { z } from 'zod';
import {
  type Callback,
  type Checked,
  Fault,
  path,
  type Registration,
  type UpstreamAnswer,
  type WatchContext,
} from '#kit';
import { readFault } from '../faults.ts';
import { toldLink } from '../told.ts';
import { prefer } from '../wire.ts';

const Subscription = z.object({
  id: z.string(),
  notificationUrl: z.string(),
  lifecycleNotificationUrl: z.string().nullish(),
  expirationDateTime: z.string(),
});
type Subscription = z.output<typeof Subscription>;
const List = z.object({ value: z.array(Subscription), '@odata.nextLink': toldLink });

const minuteMs = 60_000;
// Just under the seven days that the service allows; it has allowed less at times and says so then.
const longestMinutes = 10_075;
const mostTries = 4;
const mostPages = 20;

const registrationOf = ({ id, expirationDateTime }: Subscription): Registration => ({
  id,
  expiresAt: new Date(expirationDateTime),
});

/** How many minutes the service allows, where that is its objection. */
const allowedMinutes = ({ status, body }: UpstreamAnswer): number | undefined => {
  if (status !== 400) return undefined;
  const [, minutes] = /can only be ([\d,.]+) minutes/i.exec(JSON.stringify(body)) ?? [];
  return minutes === undefined ? undefined : Number(minutes.replace(/[,.]/g, ''));
};

/** Asks for as long a life as the service grants, counted by its own clock where ours is off. */
const askLongest = async (
  now: Date,
  ask: (expirationDateTime: string) => Promise<UpstreamAnswer>,
): Promise<UpstreamAnswer> => {
  let minutes = longestMinutes;
  let from = now.getTime();
  for (let tries = 1; ; tries += 1) {
    const answer = await ask(new Date(from + minutes * minuteMs).toISOString());
    const allowed = allowedMinutes(answer);
    const isPast = answer.status === 400 && /must be in the future/i.test(JSON.stringify(answer.body));
    if (tries === mostTries || (allowed === undefined && !isPast)) return answer;
    const served = Date.parse(answer.headers['date'] ?? '');
    if (!Number.isNaN(served)) from = served;
    if (allowed !== undefined) minutes = Math.max(1, Math.min(allowed - 5, tries > 1 ? minutes / 2 : minutes));
  }
};

const isOk = ({ status }: UpstreamAnswer): boolean => status >= 200 && status < 300;

const listAll = async ({ upstream }: WatchContext): Promise<Subscription[]> => {
  const found: Subscription[] = [];
  let query: Record<string, string> = {};
  for (let pages = 0; pages < mostPages; pages += 1) {
    const answer = List.parse(await upstream.get(path`/subscriptions`, { query }));
    found.push(...answer.value);
    const next = answer['@odata.nextLink'];
    if (next === undefined) break;
    query = Object.fromEntries(new URL(next, 'http://localhost').searchParams);
  }
  return found;
};

const removeOne = async ({ upstream }: WatchContext, id: string): Promise<void> => {
  const answer = await upstream.request({ method: 'DELETE', path: path`/subscriptions/${id}` });
  if (!isOk(answer) && answer.status !== 404 && answer.status !== 410) throw readFault(answer);
};

/**
 * The same mailbox in other words. The service keeps one subscription for each combination of resource and kinds of
 * change, so a mailbox that is connected twice needs a second combination. `created` alone is enough: mail that a rule
 * moves was created before, and updates would only tell of every click.
 */
const combinations = ({ identity }: WatchContext['account']) => {
  const names = [identity.id, ...(identity.address === undefined ? [] : [identity.address])];
  const resources = ['me/messages', ...names.map((name) => `users/${name}/messages`)];
  return ['created', 'created,updated'].flatMap((changeType) =>
    resources.map((resource) => ({ resource, changeType })),
  );
};

const create = (
  { upstream, now }: WatchContext,
  { url, secret }: Callback,
  combination: { resource: string; changeType: string },
): Promise<UpstreamAnswer> =>
  askLongest(now, (expirationDateTime) =>
    upstream.request({
      method: 'POST',
      path: path`/subscriptions`,
      headers: prefer(),
      body: {
        ...combination,
        notificationUrl: url,
        lifecycleNotificationUrl: url,
        clientState: secret,
        expirationDateTime,
      },
    }),
  );

/** Registers our address. One that stands already under this address is replaced: its secret may be an older one. */
export const register = async (callback: Callback, context: WatchContext): Promise<Registration> => {
  let last: UpstreamAnswer | undefined;
  for (const combination of combinations(context.account)) {
    last = await create(context, callback, combination);
    if (isOk(last)) return registrationOf(Subscription.parse(last.body));
    if (last.status !== 409) break;
    const same = (await listAll(context)).filter(({ notificationUrl }) => notificationUrl === callback.url);
    for (const { id } of same) await removeOne(context, id);
    if (same.length === 0) continue;
    last = await create(context, callback, combination);
    if (isOk(last)) return registrationOf(Subscription.parse(last.body));
  }
  throw last === undefined ? new Fault('conflict', 'The mailbox cannot be watched.') : readFault(last);
};

/**
 * Renews at every check: it costs no more than looking, and is also the answer to the service's wish to see a valid
 * sign-in again. The address for lifecycle notices cannot be changed later, so another address means another subscription.
 */
export const check = async (known: Registration, callback: Callback, context: WatchContext): Promise<Checked> => {
  const target = path`/subscriptions/${known.id}`;
  const answer = await askLongest(context.now, (expirationDateTime) =>
    context.upstream.request({ method: 'PATCH', path: target, body: { expirationDateTime } }),
  );
  if (answer.status === 404 || answer.status === 410) {
    return { state: 'gone', reason: 'The mail service has ended the subscription.' };
  }
  if (!isOk(answer)) throw readFault(answer);
  const found = Subscription.parse(answer.body);
  const urls = [found.notificationUrl, found.lifecycleNotificationUrl];
  if (urls.every((url) => url === callback.url)) return { state: 'healthy', registration: registrationOf(found) };
  await removeOne(context, known.id);
  return { state: 'gone', reason: 'It led to another address of ours and was removed.' };
};

export const remove = (known: Registration, context: WatchContext): Promise<void> => removeOne(context, known.id);

export const list = async (context: WatchContext): Promise<{ id: string; url: string }[]> =>
  (await listAll(context)).map(({ id, notificationUrl: url }) => ({ id, url }));
