import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { type Accounts, type Caller, requireScopes } from '#accounts';
import type { Clock, Intervals } from '#clock';
import { type Catalogue, type CatalogueTrigger, Fault, type SettleContext, type WatchContext, wrong } from '#kit';
import type { Log } from '#log';
import type { Store } from '#store';
import { toUpstream } from '#upstream';
import { type ChosenNames, nameIn } from './chosen-names.ts';
import { holdTrigger, type TriggerRow } from './trigger-records.ts';
import { parseConfig } from './trigger-settings.ts';
import { pollResource, type WatchRecords } from './watch-records.ts';

/** For so long a board may be there before the service lists it. */
const unlistedMs = 60_000;

/** What a trigger must watch: asked of the service, when it is made or changed, and again and again for those on "all boards". */
export const createLookAround = (options: {
  store: Store;
  clock: Clock;
  intervals: Intervals;
  log: Log;
  catalogue: Catalogue;
  accounts: Accounts;
  caller: Caller;
  records: WatchRecords;
  poke: () => void;
}) => {
  const { store, clock, intervals, log, catalogue, accounts, caller, records, poke } = options;

  /** The service's own time, where an answer told it: ours may be wrong. */
  const asking = async (workspaceId: string, called: string, definition: CatalogueTrigger, names: ChosenNames = {}) => {
    const how = { field: 'accountId', integration: definition.integration.name, endUserId: undefined };
    const account = await accounts.get(workspaceId, await accounts.idOf(workspaceId, called, how));
    if (account.integration !== definition.integration.name) {
      throw wrong('accountId', `${definition.id} needs a ${definition.integration.name} account.`);
    }
    if (account.state === 'disconnected') throw new Fault('not_found', 'There is no such account.');
    requireScopes(account, definition);
    let told: Date | undefined;
    const upstream = toUpstream(async (request) => {
      const answer = await caller.asAccount(workspaceId, account.id, request);
      const date = new Date(answer.headers['date'] ?? '');
      if (!Number.isNaN(date.getTime())) told = date;
      return answer;
    }, definition.integration.upstream.readFault);
    const { id, identity, scopes, endUserId } = account;
    const context: SettleContext = {
      upstream,
      account: { id, identity, scopes },
      now: clock.now(),
      triggers: new Set(),
      require: (needed) => requireScopes(account, { integration: definition.integration, scopes: needed }),
      nameOf: (id) => nameIn(names, id),
    };
    return { context, endUserId, now: () => told ?? clock.now() };
  };

  const resourcesOf = async (
    definition: CatalogueTrigger,
    triggerId: string,
    config: unknown,
    context: WatchContext,
  ): Promise<readonly string[]> =>
    definition.kind === 'poll' ? [pollResource(triggerId)] : definition.resources(config, context);

  /** Of settings that do not fit any more nobody knows. */
  const mayGrow = (definition: CatalogueTrigger, config: unknown): boolean => {
    if (definition.kind !== 'webhook') return false;
    const parsed = definition.config.safeParse(config);
    return parsed.success && definition.resourcesChange?.(parsed.data) === true;
  };

  const resyncAt = (definition: CatalogueTrigger, config: unknown) =>
    mayGrow(definition, config) ? sql<Date>`clock_timestamp() + ${intervals.resyncMs}::float * interval '1 ms'` : null;

  /** What others watch already has been looked through for them alone: where to begin, so that it is for this one, too. */
  const begunAnew = async (
    { workspace_id, account_id, id }: TriggerRow,
    resources: readonly string[],
    since: Date,
    context: WatchContext,
  ): Promise<{ id: string; cursor: unknown }[]> => {
    const { rows } = await sql<{ id: string; resource: string; integration: string }>`
      select w.id, w.resource, w.integration from watches w
      where w.workspace_id = ${workspace_id} and w.account_id = ${account_id} and w.resource = any(${resources}::text[])
        and w.cursor is not null and not exists (select from trigger_watches l
          where l.workspace_id = w.workspace_id and l.watch_id = w.id and l.trigger_id = ${id})`.execute(
      store.of(workspace_id),
    );
    const begun = rows.map(async (watch) => {
      const watching = catalogue.integration(watch.integration)?.watching;
      return { id: watch.id, cursor: await watching?.begin(watch.resource, since, context) };
    });
    return Promise.all(begun);
  };

  /** Watches what has come since it was last asked, and no longer what has gone. */
  const lookAround = async (row: TriggerRow): Promise<void> => {
    const definition = catalogue.trigger(row.type);
    if (definition === undefined) return;
    const config = parseConfig(definition, row.config);
    const { context, now: toldNow } = await asking(row.workspace_id, row.account_id, definition);
    const resources = await resourcesOf(definition, row.id, config, context);
    const trigger = { id: row.id, workspaceId: row.workspace_id, accountId: row.account_id, definition };
    // By our own time; what happens is told by that of the service.
    const aheadMs = Math.min(0, toldNow().getTime() - clock.now().getTime());
    const lately = new Date(row.told_at.getTime() - unlistedMs + aheadMs);
    const since = row.since > lately ? row.since : lately;
    const begun = await begunAnew(row, resources, lately, context);
    await store
      .of(row.workspace_id)
      .transaction()
      .execute(async (tx) => {
        // Whoever changed it meanwhile has asked anew.
        const now = await holdTrigger(tx, row.workspace_id, row.id);
        if (!isDeepStrictEqual(now.config, row.config)) return;
        await records.link(tx, trigger, resources, since);
        for (const { id, cursor } of begun) await records.beginAnew(tx, { id, cursor, until: row.told_at });
        await tx
          .updateTable('triggers')
          .set({ resync_at: resyncAt(definition, config), told_at: context.now })
          .where('workspace_id', '=', row.workspace_id)
          .where('id', '=', row.id)
          .execute();
      });
  };

  /** Asks again what must be watched, for triggers on "all boards" and the like; answers for how many. */
  const resync = async (limit: number): Promise<number> => {
    // Whoever could not ask, or died while asking, is followed soon.
    const soonMs = Math.min(intervals.pollMs, intervals.resyncMs);
    // Of all workspaces: whoever's time has come.
    const { rows } = await sql<TriggerRow>`
      update triggers t set resync_at = clock_timestamp() + ${soonMs}::float * interval '1 ms'
      from (
        select t.id from triggers t
          join accounts a on a.workspace_id = t.workspace_id and a.id = t.account_id
        where t.resync_at < now() and a.state = 'connected'
        order by t.resync_at limit ${limit} for update of t skip locked
      ) due where t.id = due.id returning t.*`.execute(store.system);
    await Promise.all(
      rows.map((row) =>
        lookAround(row).catch((error: unknown) =>
          log.warn({ err: error, triggerId: row.id }, 'what a trigger must watch could not be asked now'),
        ),
      ),
    );
    if (rows.length > 0) poke();
    return rows.length;
  };

  return { asking, resourcesOf, mayGrow, resyncAt, resync };
};

export type LookAround = ReturnType<typeof createLookAround>;
