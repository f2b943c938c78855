import { type Kysely, type Selectable, sql } from 'kysely';
import { afterId, type Catalogue, Fault, type Page, type PageRequest, toPage } from '#kit';
import { areNow, type Store, type Tables, type TriggerState, triggersNow, type WatchState } from '#store';
import type { ChosenNames } from './chosen-names.ts';
import { misfitOf } from './misfit.ts';
import { missingFields } from './missing-fields.ts';

export type TriggerRow = Selectable<Tables['triggers']>;

/** How a trigger comes to know what happens, for people. */
export type TriggerWatch = {
  id: string;
  resource: string;
  /** What people call it, where the service told that. */
  name: string | null;
  state: WatchState;
  reason: string | null;
  /** `push`: the service notifies us. `poll`: we look from time to time. */
  way: 'push' | 'poll';
  lastNotifiedAt: Date | null;
  caughtUpAt: Date | null;
  nextLookAt: Date;
};

export type Trigger = {
  id: string;
  agentId: string;
  accountId: string;
  /** Whose account that is, on an embedding platform. */
  endUserId?: string;
  type: string;
  name: string;
  config: Record<string, unknown>;
  /** What ids in it were called when it was last saved. */
  names: ChosenNames;
  /** Grows with each change of its name or configuration. */
  version: number;
  state: TriggerState;
  reason: string | null;
  /** What the agent's inputs take from an event, and no event of this type has. */
  missing: string[];
  since: Date;
  createdAt: Date;
  watches: TriggerWatch[];
};

type Joined = TriggerRow & {
  end_user_id: string | null;
  state_now: TriggerState;
  reason_now: string | null;
  agent_input: Record<string, unknown> | null;
  watches: (Omit<TriggerWatch, 'lastNotifiedAt' | 'caughtUpAt' | 'nextLookAt'> & {
    lastNotifiedAt: string | null;
    caughtUpAt: string | null;
    nextLookAt: string;
  })[];
};

export const unknownTrigger = () => new Fault('not_found', 'There is no such trigger.');

/** Nobody else changes it meanwhile. */
export const holdTrigger = async (tx: Kysely<Tables>, workspaceId: string, id: string): Promise<TriggerRow> => {
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

const time = (text: string | null): Date | null => (text === null ? null : new Date(text));

const show = (row: Joined, missing: string[], misfit: string | undefined): Trigger => ({
  id: row.id,
  agentId: row.agent_id,
  accountId: row.account_id,
  ...(row.end_user_id === null ? {} : { endUserId: row.end_user_id }),
  type: row.type,
  name: row.name,
  config: row.config,
  names: row.names,
  version: row.version,
  state: row.state_now,
  reason: row.reason_now ?? misfit ?? null,
  missing,
  since: row.since,
  createdAt: row.created_at,
  watches: row.watches.map((watch) => ({
    ...watch,
    lastNotifiedAt: time(watch.lastNotifiedAt),
    caughtUpAt: time(watch.caughtUpAt),
    nextLookAt: new Date(watch.nextLookAt),
  })),
});

export type TriggerFilter = {
  agentId?: string | undefined;
  accountId?: string | undefined;
  endUserId?: string | undefined;
  state?: TriggerState | undefined;
};

/** Triggers as people see them. */
export const createTriggerRecords = ({ store, catalogue }: { store: Store; catalogue: Catalogue }) => {
  const select = (workspaceId: string, where: ReturnType<typeof sql>, limit: number) =>
    sql<Joined>`
      select t.*, coalesce((
        select json_agg(json_build_object('id', w.id, 'resource', w.resource, 'name', w.name, 'state', w.state_now,
          'reason', case when w.state = 'healthy' then coalesce(w.hindrance, w.reason) else w.reason end,
          'way', case when w.registration is null then 'poll' else 'push' end, 'lastNotifiedAt', w.last_notified_at,
          'caughtUpAt', w.caught_up_at, 'nextLookAt', w.next_look_at) order by w.resource)
        from (
          select w.*, case when w.state = 'healthy' and w.hindrance is not null then 'degraded' else w.state end as state_now
          from trigger_watches l join watches w on w.workspace_id = l.workspace_id and w.id = l.watch_id
          where l.workspace_id = t.workspace_id and l.trigger_id = t.id order by w.resource limit 50
        ) w), '[]') as watches, (
        select v.definition #> '{runner,input}' from agents g join agent_versions v
          on (v.workspace_id, v.agent_id, v.version) = (g.workspace_id, g.id, g.version)
        where g.workspace_id = t.workspace_id and g.id = t.agent_id) as agent_input
      from ${triggersNow(workspaceId)} t where ${where} order by t.id desc limit ${limit}`.execute(
      store.of(workspaceId),
    );

  const shown = (row: Joined): Trigger => {
    const definition = catalogue.trigger(row.type);
    const missing = definition === undefined ? [] : missingFields(row.agent_input ?? {}, definition);
    return show(row, missing, misfitOf(catalogue, row));
  };

  return {
    get: async (workspaceId: string, id: string): Promise<Trigger> => {
      const { rows } = await select(workspaceId, sql`t.id = ${id}`, 1);
      if (rows[0] === undefined) throw unknownTrigger();
      return shown(rows[0]);
    },

    list: async (workspaceId: string, filter: TriggerFilter, page: PageRequest): Promise<Page<Trigger>> => {
      const after = afterId('trg', page);
      const { rows } = await select(
        workspaceId,
        sql`${after === undefined ? sql`true` : sql`t.id < ${after}`}
          and ${filter.agentId === undefined ? sql`true` : sql`t.agent_id = ${filter.agentId}`}
          and ${filter.accountId === undefined ? sql`true` : sql`t.account_id = ${filter.accountId}`}
          and ${filter.endUserId === undefined ? sql`true` : sql`t.end_user_id = ${filter.endUserId}`}
          and ${filter.state === undefined ? sql`true` : areNow(workspaceId, filter.state)}`,
        page.limit + 1,
      );
      return toPage(rows, page, shown);
    },
  };
};
