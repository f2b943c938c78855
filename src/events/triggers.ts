import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Clock } from '#clock';
import { type Catalogue, type CatalogueTrigger, Fault, type SettleContext } from '#kit';
import { type Agent, type Agents, type CallOff, usesOfEvent } from '#runs';
import { type Actor, newId, type Store, sinceStored } from '#store';
import { understood } from '#upstream';
import { recordAudit } from '#workspaces';
import type { Arrivals } from './arrivals.ts';
import { type ChosenNames, createChosenNames } from './chosen-names.ts';
import type { FirstLook } from './first-look.ts';
import { createGoingOn } from './going-on.ts';
import type { LookAround } from './look-around.ts';
import { createTriggerRecords, holdTrigger, type Trigger, type TriggerFilter } from './trigger-records.ts';
import { parseConfig, triggerOf } from './trigger-settings.ts';
import type { WatchRecords } from './watch-records.ts';

export type NewTrigger = {
  agentId: string;
  type: string;
  /** Its id, or what it is called exactly. */
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

const refuseIfChanged = ({ version }: { version: number }, expected: number | undefined): void => {
  if (expected === undefined || expected === version) return;
  const words = `The trigger was changed meanwhile; it is at version ${version} now. Look at it again.`;
  throw new Fault('conflict', words, { details: { version } });
};

const notPaused = () =>
  new Fault(
    'conflict',
    'The trigger is not paused, so there is nothing to catch up with. What was skipped in an earlier pause can be replayed, each event by itself.',
  );
const pausedAgain = () => new Fault('conflict', 'The trigger was paused again meanwhile, so it stays paused.');

/** What the audit tells of a change: the fields by their names, never what they hold. */
const toldOf = (
  before: { name: string; config: Record<string, unknown> },
  { name, config, state, catchUp }: Omit<TriggerChange, 'config'> & { name: string; config: Record<string, unknown> },
) => {
  const settings = [...new Set([...Object.keys(before.config), ...Object.keys(config)])];
  const fields = [
    ...(name === before.name ? [] : ['name']),
    ...settings.filter((field) => !isDeepStrictEqual(before.config[field], config[field])),
  ];
  return {
    name,
    ...(fields.length === 0 ? {} : { fields }),
    ...(state === undefined ? {} : { state }),
    ...(catchUp === undefined ? {} : { catchUp }),
  };
};

export const createTriggers = (options: {
  store: Store;
  clock: Clock;
  catalogue: Catalogue;
  agents: Pick<Agents, 'holdFor' | 'get'>;
  callOff: CallOff;
  records: WatchRecords;
  arrivals: Pick<Arrivals, 'idle'>;
  firstLook: FirstLook;
  lookAround: Pick<LookAround, 'asking' | 'resourcesOf' | 'mayGrow' | 'resyncAt'>;
  poke: () => void;
}) => {
  const { store, clock, catalogue, agents, callOff, records, firstLook, poke } = options;
  const { asking, resourcesOf, mayGrow, resyncAt } = options.lookAround;
  const { pausesOf, lookThrough, takeUp, goOn } = createGoingOn(options);
  const shown = createTriggerRecords({ store, catalogue });
  const chosenNames = createChosenNames({ store, clock });

  const settled = async (
    definition: CatalogueTrigger,
    config: Record<string, unknown>,
    context: SettleContext,
    agent: Agent,
  ): Promise<Record<string, unknown>> =>
    definition.settle === undefined
      ? config
      : ((await understood(definition.settle(config, context, usesOfEvent(agent)))) as typeof config);

  /** What follows once it is stored. */
  const begun = (
    workspaceId: string,
    saved: { id: string; version: number },
    watchIds: readonly string[],
    names: ChosenNames | undefined,
  ): Promise<Trigger> =>
    sinceStored(async () => {
      if (names !== undefined) await chosenNames.keep(workspaceId, saved, names);
      await firstLook(workspaceId, watchIds);
      poke();
      return shown.get(workspaceId, saved.id);
    });

  return {
    get: shown.get,
    list: (workspaceId: string, filter: TriggerFilter, page: { limit: number; cursor?: string | undefined }) =>
      shown.list(workspaceId, filter, page),

    create: async (workspaceId: string, given: NewTrigger, actor: Actor): Promise<Trigger> => {
      const definition = triggerOf(catalogue, given.type);
      const parsed = parseConfig(definition, given.config);
      const agent = await agents.get(workspaceId, given.agentId);
      const { context, endUserId, now } = await asking(workspaceId, given.accountId, definition);
      const accountId = context.account.id;
      const config = await settled(definition, parsed, context, agent);
      const at = clock.now();
      const id = newId('trg', at);
      const resources = await resourcesOf(definition, id, config, context);
      const names = await chosenNames.read(definition, config, {}, context);
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
              account_id: accountId,
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
          const trigger = { id, workspaceId, accountId, definition };
          const details = { name: given.name ?? definition.title };
          await recordAudit(tx, clock, { workspaceId, actor, action: 'trigger.created', target: id, details });
          return records.link(tx, trigger, resources, since);
        });
      return begun(workspaceId, { id, version: 1 }, made, names);
    },

    change: async (workspaceId: string, id: string, change: TriggerChange, actor: Actor): Promise<Trigger> => {
      // Whoever pauses it from now on has the last word.
      const pauses = change.state === 'enabled' ? await pausesOf(workspaceId, id) : undefined;
      const before = await shown.get(workspaceId, id);
      refuseIfChanged(before, change.version);
      const definition = triggerOf(catalogue, before.type);
      const parsed = change.config === undefined ? undefined : parseConfig(definition, change.config);
      const asked = parsed && (await asking(workspaceId, before.accountId, definition, before.names));
      const agent = asked && (await agents.get(workspaceId, before.agentId));
      const config = agent && (await settled(definition, parsed, asked.context, agent));
      const resources = asked && (await resourcesOf(definition, id, config, asked.context));
      const names = asked && config && (await chosenNames.read(definition, config, before.names, asked.context));
      if (change.state === 'enabled' && before.state === 'paused' && change.catchUp !== true) {
        await lookThrough(workspaceId, id);
      }
      const at = clock.now();
      const { made, version } = await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const row = await holdTrigger(tx, workspaceId, id);
          refuseIfChanged(row, change.version);
          const { name = row.name, state } = change;
          const isNew = name !== row.name || !isDeepStrictEqual(config ?? row.config, row.config);
          const version = row.version + (isNew ? 1 : 0);
          const goesOn = change.state === 'enabled' && row.state === 'paused';
          if (goesOn && row.pauses !== pauses) throw pausedAgain();
          if (change.catchUp === true && !goesOn) throw notPaused();
          if (change.catchUp === true) await takeUp(tx, row);
          // What is new to it is found by looking around, which knows since when it may be there.
          const looksAround = asked !== undefined && mayGrow(definition, row.config) && mayGrow(definition, config);
          const told = looksAround
            ? { resync_at: sql<Date>`clock_timestamp()` }
            : asked && { resync_at: resyncAt(definition, config), told_at: asked.context.now };
          await tx
            .updateTable('triggers')
            .set({
              name,
              version,
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
          const made = resources && !looksAround ? await records.link(tx, trigger, resources, asked.now()) : [];
          await records.renumber(tx, workspaceId, id);
          const details = toldOf(row, { ...change, name, config: config ?? row.config });
          await recordAudit(tx, clock, { workspaceId, actor, action: 'trigger.changed', target: id, details });
          return { made, version };
        });
      return begun(workspaceId, { id, version }, made, names);
    },

    remove: async (workspaceId: string, id: string, actor: Actor): Promise<void> => {
      await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const { name } = await holdTrigger(tx, workspaceId, id);
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
  };
};

export type Triggers = ReturnType<typeof createTriggers>;
