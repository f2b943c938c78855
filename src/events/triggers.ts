import { isDeepStrictEqual } from 'node:util';
import { type Kysely, sql } from 'kysely';
import { type Accounts, type Caller, requireScopes } from '#accounts';
import type { Clock, Intervals } from '#clock';
import {
  type Catalogue,
  type CatalogueTrigger,
  Fault,
  inOneLine,
  otherNames,
  type SettleContext,
  type WatchContext,
  wrong,
  wrongFields,
} from '#kit';
import type { Log } from '#log';
import { type Agent, type Agents, type CallOff, usesOfEvent } from '#runs';
import { type Actor, newId, type Store, type Tables } from '#store';
import { toUpstream } from '#upstream';
import { recordAudit } from '#workspaces';
import type { Arrivals } from './arrivals.ts';
import type { FirstLook } from './first-look.ts';
import { createGoingOn } from './going-on.ts';
import {
  createTriggerRecords,
  type Trigger,
  type TriggerFilter,
  type TriggerRow,
  unknownTrigger,
} from './trigger-records.ts';
import { pollResource, type WatchRecords } from './watch-records.ts';

export type NewTrigger = {
  agentId: string;
  type: string;
  accountId: string;
  config: unknown;
  name?: string | undefined;
};

export type TriggerChange = {
  name?: string | undefined;
  config?: unknown;
  state?: 'enabled' | 'paused' | undefined;
  /** With `state: enabled`: what was skipped during the pause starts the agent now. */
  catchUp?: boolean | undefined;
  /** The version that this is a change of: refused when it is another by now. */
  version?: number | undefined;
};

/** For so long a board may be there before the service lists it. */
const unlistedMs = 60_000;

export const triggerOf = (catalogue: Catalogue, type: string): CatalogueTrigger => {
  const definition = catalogue.trigger(type);
  if (definition !== undefined) return definition;
  const types = catalogue.triggers.map(({ id }) => id);
  throw wrong('type', `There is no trigger of the type "${type}"; there are: ${types.join(', ')}.`, { types });
};

const refuseIfChanged = ({ version }: { version: number }, expected: number | undefined): void => {
  if (expected === undefined || expected === version) return;
  const words = `The trigger was changed meanwhile; it is at version ${version} now. Look at it again.`;
  throw new Fault('conflict', words, { details: { version } });
};

const pausedAgain = () => new Fault('conflict', 'The trigger was paused again meanwhile, so it stays paused.');

export const parseConfig = (definition: CatalogueTrigger, given: unknown): Record<string, unknown> => {
  const parsed = definition.config.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const fields = wrongFields(parsed.error.issues, 'config');
  const known = otherNames(parsed.error.issues, definition.config.shape);
  throw new Fault('invalid_input', `The configuration does not fit ${definition.id}. ${inOneLine(fields)}${known}`, {
    details: { fields },
  });
};

export const createTriggers = (options: {
  store: Store;
  clock: Clock;
  intervals: Intervals;
  log: Log;
  catalogue: Catalogue;
  accounts: Accounts;
  agents: Pick<Agents, 'holdFor' | 'get'>;
  callOff: CallOff;
  caller: Caller;
  records: WatchRecords;
  arrivals: Pick<Arrivals, 'idle'>;
  firstLook: FirstLook;
  poke: () => void;
}) => {
  const { store, clock, intervals, log, catalogue, accounts, agents, callOff, caller, records } = options;
  const { firstLook, poke } = options;
  const { pausesOf, lookThrough, takeUp, goOn } = createGoingOn(options);
  const shown = createTriggerRecords({ store, catalogue });

  /** The service's own time, where an answer told it: ours may be wrong. */
  const asking = async (workspaceId: string, accountId: string, definition: CatalogueTrigger) => {
    const account = await accounts.get(workspaceId, accountId);
    if (account.integration !== definition.integration.name) {
      throw wrong('accountId', `${definition.id} needs a ${definition.integration.name} account.`);
    }
    if (account.state === 'disconnected') throw new Fault('not_found', 'There is no such account.');
    requireScopes(account, definition);
    let told: Date | undefined;
    const upstream = toUpstream(async (request) => {
      const answer = await caller.asAccount(workspaceId, accountId, request);
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
    };
    return { context, endUserId, now: () => told ?? clock.now() };
  };

  const settled = async (
    definition: CatalogueTrigger,
    config: Record<string, unknown>,
    context: SettleContext,
    agent: Agent,
  ): Promise<Record<string, unknown>> =>
    definition.settle === undefined
      ? config
      : ((await definition.settle(config, context, usesOfEvent(agent))) as typeof config);

  const resourcesOf = async (
    definition: CatalogueTrigger,
    triggerId: string,
    config: unknown,
    context: WatchContext,
  ): Promise<readonly string[]> =>
    definition.kind === 'poll' ? [pollResource(triggerId)] : definition.resources(config, context);

  const mayGrow = (definition: CatalogueTrigger, config: unknown): boolean =>
    definition.kind === 'webhook' && definition.resourcesChange?.(config) === true;

  const resyncAt = (definition: CatalogueTrigger, config: unknown) =>
    mayGrow(definition, config) ? sql<Date>`clock_timestamp() + ${intervals.resyncMs}::float * interval '1 ms'` : null;

  const rowOf = async (tx: Kysely<Tables>, workspaceId: string, id: string): Promise<TriggerRow> => {
    const row = await tx
      .selectFrom('triggers')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) throw unknownTrigger();
    return row;
  };

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
    const { context, now } = await asking(row.workspace_id, row.account_id, definition);
    const resources = await resourcesOf(definition, row.id, config, context);
    const trigger = { id: row.id, workspaceId: row.workspace_id, accountId: row.account_id, definition };
    // By our own time; what happens is told by that of the service.
    const aheadMs = Math.min(0, now().getTime() - clock.now().getTime());
    const lately = new Date(row.told_at.getTime() - unlistedMs + aheadMs);
    const since = row.since > lately ? row.since : lately;
    const begun = await begunAnew(row, resources, lately, context);
    await store
      .of(row.workspace_id)
      .transaction()
      .execute(async (tx) => {
        // Whoever changed it meanwhile has asked anew.
        const now = await rowOf(tx, row.workspace_id, row.id);
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

  return {
    get: shown.get,
    list: (workspaceId: string, filter: TriggerFilter, page: { limit: number; cursor?: string | undefined }) =>
      shown.list(workspaceId, filter, page),

    create: async (workspaceId: string, given: NewTrigger, actor: Actor): Promise<Trigger> => {
      const definition = triggerOf(catalogue, given.type);
      const parsed = parseConfig(definition, given.config);
      const agent = await agents.get(workspaceId, given.agentId);
      const { context, endUserId, now } = await asking(workspaceId, given.accountId, definition);
      const config = await settled(definition, parsed, context, agent);
      const at = clock.now();
      const id = newId('trg', at);
      const resources = await resourcesOf(definition, id, config, context);
      const since = now();
      const made = await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          await agents.holdFor(tx, { workspaceId, id: given.agentId, endUserId });
          await tx
            .insertInto('triggers')
            .values({
              id,
              workspace_id: workspaceId,
              agent_id: given.agentId,
              account_id: given.accountId,
              type: definition.id,
              name: given.name ?? definition.title,
              config: JSON.stringify(config),
              state: 'enabled',
              since,
              created_at: at,
              resync_at: resyncAt(definition, config),
              told_at: context.now,
            })
            .execute();
          const trigger = { id, workspaceId, accountId: given.accountId, definition };
          const details = { name: given.name ?? definition.title };
          await recordAudit(tx, clock, { workspaceId, actor, action: 'trigger.created', target: id, details });
          return records.link(tx, trigger, resources, since);
        });
      await firstLook(workspaceId, made);
      poke();
      return shown.get(workspaceId, id);
    },

    change: async (workspaceId: string, id: string, change: TriggerChange, actor: Actor): Promise<Trigger> => {
      // Whoever pauses it from now on has the last word.
      const pauses = change.state === 'enabled' ? await pausesOf(workspaceId, id) : undefined;
      const before = await shown.get(workspaceId, id);
      refuseIfChanged(before, change.version);
      const definition = triggerOf(catalogue, before.type);
      const parsed = change.config === undefined ? undefined : parseConfig(definition, change.config);
      const asked = parsed && (await asking(workspaceId, before.accountId, definition));
      const agent = asked && (await agents.get(workspaceId, before.agentId));
      const config = agent && (await settled(definition, parsed, asked.context, agent));
      const resources = asked && (await resourcesOf(definition, id, config, asked.context));
      if (change.state === 'enabled' && before.state === 'paused' && change.catchUp !== true) {
        await lookThrough(workspaceId, id);
      }
      const at = clock.now();
      const made = await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const row = await rowOf(tx, workspaceId, id);
          refuseIfChanged(row, change.version);
          const { name = row.name, state } = change;
          const isNew = name !== row.name || !isDeepStrictEqual(config ?? row.config, row.config);
          const goesOn = change.state === 'enabled' && row.state === 'paused';
          if (goesOn && row.pauses !== pauses) throw pausedAgain();
          if (goesOn && change.catchUp === true) await takeUp(tx, row);
          // What is new to it is found by looking around, which knows since when it may be there.
          const looksAround = asked !== undefined && mayGrow(definition, row.config) && mayGrow(definition, config);
          const told = looksAround
            ? { resync_at: sql<Date>`clock_timestamp()` }
            : asked && { resync_at: resyncAt(definition, config), told_at: asked.context.now };
          await tx
            .updateTable('triggers')
            .set({
              name,
              version: row.version + (isNew ? 1 : 0),
              ...(config === undefined ? {} : { config: JSON.stringify(config) }),
              ...told,
              ...(state === undefined || state === row.state
                ? {}
                : { state, paused_at: state === 'paused' ? at : null }),
              pauses: row.pauses + (state === 'paused' ? 1 : 0),
            })
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', id)
            .execute();
          if (goesOn) await goOn(tx, row, change.catchUp === true, at);
          const trigger = { id, workspaceId, accountId: row.account_id, definition };
          const fresh = resources && !looksAround ? await records.link(tx, trigger, resources, asked.now()) : [];
          await records.renumber(tx, workspaceId, id);
          const details = { name, ...(state === undefined ? {} : { state }) };
          await recordAudit(tx, clock, { workspaceId, actor, action: 'trigger.changed', target: id, details });
          return fresh;
        });
      await firstLook(workspaceId, made);
      poke();
      return shown.get(workspaceId, id);
    },

    remove: async (workspaceId: string, id: string, actor: Actor): Promise<void> => {
      await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const { name } = await rowOf(tx, workspaceId, id);
          await records.renumber(tx, workspaceId, id);
          await tx.deleteFrom('triggers').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
          const why = 'The trigger was deleted before this run began.';
          await callOff.within(tx, { workspaceId, triggerIds: [id] }, why);
          await recordAudit(tx, clock, {
            workspaceId,
            actor,
            action: 'trigger.deleted',
            target: id,
            details: { name },
          });
        });
      poke();
    },

    /** Asks again what must be watched, for triggers on "all boards" and the like; answers for how many. */
    resync: async (limit: number): Promise<number> => {
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
    },
  };
};

export type Triggers = ReturnType<typeof createTriggers>;
