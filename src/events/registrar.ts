import { randomBytes } from 'node:crypto';
import type { Clock, Intervals } from '#clock';
import { type Callback, Fault, type Registration } from '#kit';
import type { Log } from '#log';
import { digestOf } from './intake.ts';
import type { Watcher, Watchers } from './watch-context.ts';
import type { SeenWatch, WatchReader } from './watch-reader.ts';
import { type HeldWatch, isPoll, toRegistration, type WatchRecords } from './watch-records.ts';

/** Keeps our registrations at the services: made, verified, renewed, made again, removed. */
export type Registrar = {
  /** Brings a watch's registration in order; the caller holds the watch. */
  tend(held: HeldWatch): Promise<void>;
  /** Removes it at the service, for a watch that nobody needs. */
  dismiss(watch: SeenWatch): Promise<void>;
  /** Whether notifications come in for this watch. */
  isPushed(watch: SeenWatch): boolean;
};

const hooksPath = '/hooks/';

export const createRegistrar = (options: {
  reader: WatchReader;
  records: WatchRecords;
  watchers: Watchers;
  clock: Clock;
  intervals: Intervals;
  log: Log;
  /** Where services reach us; without it everything is polled. */
  callbackBase: URL | undefined;
  /** Whether services reach other processes on this database. */
  isReachedElsewhere: () => Promise<boolean>;
}): Registrar => {
  const { reader, records, watchers, clock, intervals, log, callbackBase, isReachedElsewhere } = options;
  const sweptAt = new Map<string, number>();

  const addressOf = (watch: SeenWatch): string =>
    new URL(`${hooksPath}${watch.integration}/${watch.token}`, callbackBase).href;
  const place = (watch: SeenWatch) => ({ workspaceId: watch.workspace_id, watchId: watch.id });

  /** What a look was refused is not made good by a registration: the next look that succeeds tells. */
  const say = async (watch: SeenWatch, state: 'healthy' | 'degraded', reason: string | null): Promise<void> => {
    if (watch.state !== 'broken') await records.setState(place(watch), state, reason);
  };

  const register = async ({ watching, context }: Watcher, watch: SeenWatch): Promise<Registration> => {
    const callback: Callback = { url: addressOf(watch), secret: randomBytes(32).toString('base64url') };
    await records.expect(place(watch), callback.url, digestOf(callback.secret));
    const registration = await watching.push.register(watch.resource, callback, context(watch));
    await records.setRegistration(place(watch), registration, callback.url);
    return registration;
  };

  /** Registrations at our own address that no watch knows: left behind by a crash or a restored backup. */
  const sweepOrphans = async ({ watching, context }: Watcher, watch: SeenWatch): Promise<void> => {
    if (callbackBase === undefined) return;
    const last = sweptAt.get(watch.account_id);
    const now = clock.now().getTime();
    if (last !== undefined && now - last < intervals.orphanSweepMs) return;
    sweptAt.set(watch.account_id, now);
    const prefix = new URL(`${hooksPath}${watch.integration}/`, callbackBase).href;
    for (const { id, url } of await watching.push.list(context(watch))) {
      if (!url.startsWith(prefix)) continue;
      const known = await reader.byToken(url.slice(prefix.length));
      if (known !== undefined && (known.registration === null || known.registration.id === id)) continue;
      log.info({ watchId: known?.id, registrationId: id }, 'a registration that no watch knows is removed');
      await watching.push.remove({ id }, context(watch));
    }
  };

  /** How long until it is looked at again: well before it would end by itself. */
  const nextCheckMs = ({ expiresAt }: Registration): number =>
    expiresAt === undefined
      ? intervals.checkMs
      : Math.min(intervals.checkMs, Math.max(1_000, (expiresAt.getTime() - clock.now().getTime()) / 3));

  const check = async (watcher: Watcher, watch: SeenWatch): Promise<Registration> => {
    const known = watch.registration;
    if (known === null) {
      const made = await register(watcher, watch);
      await say(watch, 'healthy', null);
      return made;
    }
    const callback = { url: addressOf(watch), secret: '' };
    if (watch.callback !== callback.url) {
      // The address of this house has changed: what is on its way to the old one is caught up with.
      await watcher.watching.push.remove(toRegistration(known), watcher.context(watch));
      // While the new one is only known to the service, no other process takes it for a stray one.
      await records.setRegistration(place(watch), null);
      return register(watcher, watch);
    }
    const found = await watcher.watching.push.check(
      watch.resource,
      toRegistration(known),
      callback,
      watcher.context(watch),
    );
    if (found.state === 'gone') {
      log.warn({ watchId: watch.id, reason: found.reason }, 'a registration is gone and is made again');
      await records.setRegistration(place(watch), null);
      return register(watcher, watch);
    }
    await records.setRegistration(place(watch), found.registration);
    await say(watch, found.state, found.state === 'degraded' ? found.reason : null);
    return found.registration;
  };

  const isPushed: Registrar['isPushed'] = (watch) => {
    if (callbackBase === undefined || isPoll(watch.resource)) return false;
    const { watching, context } = watchers.of(watch.integration);
    return watching.push.offers(watch.resource, context(watch));
  };

  const dismiss: Registrar['dismiss'] = async (watch) => {
    if (watch.registration === null) return;
    const { watching, context } = watchers.of(watch.integration);
    await watching.push.remove(toRegistration(watch.registration), context(watch));
  };

  /** From when notifications came in: what the service told by it would reach nobody. */
  const forget = async (watch: SeenWatch): Promise<void> => {
    if (watch.registration === null) return;
    // One of us lacks an address by mistake, perhaps: what the service tells reaches the others, who keep it in order.
    if (callbackBase === undefined && !isPoll(watch.resource) && (await isReachedElsewhere())) return;
    await dismiss(watch).catch((error: unknown) =>
      log.warn({ err: error, watchId: watch.id }, 'a registration that tells nobody could not be removed'),
    );
    await records.setRegistration(place(watch), null);
  };

  return {
    isPushed,
    dismiss,

    tend: async (held) => {
      const watch = await reader.byId(held.id);
      if (watch === undefined) return;
      if (!isPushed(watch)) {
        await forget(watch);
        return records.release(held, { checkMs: intervals.checkMs });
      }
      const watcher = watchers.of(watch.integration);
      try {
        const registration = await check(watcher, watch);
        // What happened while there was no registration is found by looking.
        const lookMs = watch.registration?.id === registration.id ? undefined : 0;
        await records.release(held, {
          checkMs: nextCheckMs(registration),
          ...(lookMs === undefined ? {} : { lookMs }),
        });
        await sweepOrphans(watcher, watch).catch((error: unknown) =>
          log.warn({ err: error, watchId: watch.id }, 'looking for stray registrations failed'),
        );
      } catch (error) {
        const reason = error instanceof Fault ? error.message : 'Something went wrong on our side.';
        if (!(error instanceof Fault)) log.error({ err: error, watchId: watch.id }, 'a registration met a defect');
        // Polling goes on meanwhile, so nothing is lost.
        await say(watch, 'degraded', `Notifications are not registered: ${reason}`);
        const waitMs = error instanceof Fault ? (error.retryAfterMs ?? 0) : 0;
        await records.release(held, {
          checkMs: Math.max(waitMs, Math.min(30_000, intervals.checkMs)),
          isTroubled: true,
        });
      }
    },
  };
};
