import { randomBytes } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Clock, Intervals } from '#clock';
import type { CatalogueTrigger, CaughtUp, Registration } from '#kit';
import type { Log } from '#log';
import { newId, type Store, type StoredRegistration, type Tables, type WatchState } from '#store';
import { shortened } from './draft.ts';
import { isDue } from './due.ts';
import { createGrip } from './grip.ts';
import { countLapse, leftUntil } from './lapses.ts';
import { rewind } from './rewind.ts';
import { dueAmong, type Suspects } from './suspects.ts';

export type Place = { workspaceId: string; watchId: string };

/** A watch that this process holds for a while, with what a look needs beyond the seen watch. */
export type HeldWatch = {
  id: string;
  workspace_id: string;
  /** What it was taken by: this process, and for which time. Whoever takes it next has another one, even here. */
  lease_owner: string;
  cursor: unknown;
  failures: number;
  /** How many looks in a row never came to an end: their process died. */
  lapses: number;
  caught_up_at: Date | null;
  /** When it was to be looked at and checked, to the microsecond: whoever asks for either meanwhile changes it. */
  look_due: string;
  check_due: string;
  glance_due: string | null;
};

export type Linked = { id: string; workspaceId: string; accountId: string; definition: CatalogueTrigger };

/** What must be watched for a trigger of its own, and for nobody else. */
export const pollResource = (triggerId: string): string => `poll/${triggerId}`;
export const isPoll = (resource: string): boolean => resource.startsWith('poll/');

export const toRegistration = ({ id, expiresAt }: StoredRegistration): Registration => ({
  id,
  expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
});

/** Watches as the database keeps them. */
export const createWatchRecords = (options: {
  store: Store;
  clock: Clock;
  intervals: Intervals;
  log: Log;
  owner: string;
  suspects: Suspects;
}) => {
  const { store, clock, intervals, log, owner, suspects } = options;
  const lease = sql`clock_timestamp() + ${intervals.leaseMs}::float * interval '1 ms'`;
  const grip = createGrip({
    intervals,
    log,
    renew: (ids) =>
      sql`update watches set lease_until = greatest(lease_until, ${lease})
        where starts_with(lease_owner, ${`${owner}/`}) and id in (
        select id from watches where id = any(${ids}::text[]) order by id for no key update)`.execute(store.system),
  });

  // Where looking ends processes however little is done there, they get on with all the rest in between.
  let takes = 0;
  const taken = () =>
    sql`lease_owner = ${`${owner}/${++takes}`}, lease_until = ${leftUntil(intervals.leaseMs, intervals.lookMs)}, ${countLapse}`;
  const columns = sql`id, workspace_id, lease_owner, cursor, failures, lapses, caught_up_at, next_look_at::text as look_due,
    next_check_at::text as check_due, glance_at::text as glance_due`;

  const claim = async (
    column: 'next_look_at' | 'next_check_at' | 'glance_at',
    limit: number,
    most: number,
  ): Promise<HeldWatch[]> => {
    // Of all workspaces: whoever's time has come. An account that cannot be used is left alone until it can. Of now() the
    // index can be asked, unlike of clock_timestamp(), which may change from row to row.
    const { rows } = await sql<HeldWatch>`
      update watches set ${taken()}
      where id in (
        ${dueAmong(
          sql`watches w join accounts a on a.workspace_id = w.workspace_id and a.id = w.account_id
          where ${sql.ref(`w.${column}`)} <= now() and a.state = 'connected'
            and (w.lease_until is null or w.lease_until < now())`,
          { columns: sql`w.id`, of: sql`w`, order: sql.ref(`w.${column}`), limit, suspects: most },
        )}
      )
      returning ${columns}`.execute(store.system);
    return rows;
  };

  const claimDue = async (column: Parameters<typeof claim>[0], limit: number): Promise<HeldWatch[]> =>
    (await isDue(store, column)) ? suspects.claim((most) => claim(column, limit, most)) : [];

  return {
    /** Others keep off a watch while it is worked on, and take it soon after this process has died. */
    holding: async <T>(held: HeldWatch, work: () => Promise<T>): Promise<T> => {
      const { id, lease_owner } = held;
      grip.hold(id);
      try {
        return await work();
      } catch (error) {
        // It failed, and nobody died.
        await sql`update watches set lease_owner = null where id = ${id} and lease_owner = ${lease_owner}`.execute(
          store.system,
        );
        throw error;
      } finally {
        grip.letGo(id);
        suspects.letGo(held);
      }
    },
    close: () => grip.close(),

    claimLooks: (limit: number) => claimDue('next_look_at', limit),
    claimGlances: (limit: number) => claimDue('glance_at', limit),
    claimChecks: (limit: number) => claimDue('next_check_at', limit),

    /** Takes one watch that is nobody's just now. */
    claimOne: async ({ workspaceId, watchId }: Place): Promise<HeldWatch | undefined> => {
      const { rows } = await sql<HeldWatch>`
        update watches set ${taken()}
        where workspace_id = ${workspaceId} and id = ${watchId}
          and (lease_until is null or lease_until < clock_timestamp())
        returning ${columns}`.execute(store.of(workspaceId));
      return rows[0];
    },

    /** What somebody has asked for meanwhile is done next, unless what was done met trouble. `failures` are those of looks. */
    release: async (
      { id, workspace_id, lease_owner, look_due, check_due, glance_due }: HeldWatch,
      next: { lookMs?: number; checkMs?: number; failures?: number; isTroubled?: boolean; hasGlanced?: boolean },
    ) => {
      const due = (column: 'next_look_at' | 'next_check_at', was: string, ms: number | undefined) => {
        const asked = sql.ref(column);
        if (ms === undefined) return asked;
        const then = sql`clock_timestamp() + ${ms}::float * interval '1 ms'`;
        return next.isTroubled ? then : sql`case when ${asked} = ${was}::timestamptz then ${then} else ${asked} end`;
      };
      // Whatever has looked has looked for that, too; what failed is made up for by looking through everything.
      const glance = sql`case when ${next.isTroubled ?? false} or glance_at = ${glance_due}::timestamptz then null else glance_at end`;
      const hasLooked = next.hasGlanced === true || next.lookMs !== undefined;
      await sql`update watches set lease_owner = null, lease_until = null,
          glance_at = ${hasLooked ? glance : sql`glance_at`},
          glanced_at = ${next.hasGlanced === true ? sql`clock_timestamp()` : sql`glanced_at`},
          next_look_at = ${due('next_look_at', look_due, next.lookMs)},
          next_check_at = ${due('next_check_at', check_due, next.checkMs)},
          failures = ${next.failures ?? sql`failures`},
          lapses = ${next.failures === undefined ? sql`lapses` : 0}
        where workspace_id = ${workspace_id} and id = ${id} and lease_owner = ${lease_owner}`.execute(
        store.of(workspace_id),
      );
    },

    /** Stores where catching up goes on; answers the number of the roster by then, and nothing when the watch was taken over meanwhile. */
    advance: async (
      tx: Transaction<Tables>,
      { id, workspace_id, lease_owner }: HeldWatch,
      { cursor, isOver, hindrance, name }: Pick<CaughtUp, 'cursor' | 'hindrance' | 'name'> & { isOver: boolean },
    ): Promise<number | undefined> => {
      const { rows } = await sql<{
        roster: number;
      }>`update watches set cursor = ${JSON.stringify(cursor)}, lease_until = ${lease}, lapses = 0,
          caught_up_at = case when ${isOver} then clock_timestamp() else caught_up_at end,
          hindrance = ${hindrance ?? null}, name = coalesce(${name === undefined ? null : shortened(name)}, name)
        where workspace_id = ${workspace_id} and id = ${id} and lease_owner = ${lease_owner} returning roster`.execute(
        tx,
      );
      return rows[0]?.roster;
    },

    setState: async ({ workspaceId, watchId }: Place, state: WatchState, reason: string | null): Promise<boolean> => {
      const { rows } =
        await sql`update watches set state = ${state}, reason = ${reason}, state_since = clock_timestamp()
        where workspace_id = ${workspaceId} and id = ${watchId} and (state, coalesce(reason, '')) <> (${state}, ${reason ?? ''})
        returning 1`.execute(store.of(workspaceId));
      return rows.length > 0;
    },

    /** The secret is known to us before the service can show it. The one before stays good for notices on their way. */
    expect: async ({ workspaceId, watchId }: Place, callback: string, secretDigest: Buffer): Promise<void> => {
      await sql`update watches set callback = ${callback}, roster = roster + 1,
          secret_digests = array_prepend(${secretDigest}::bytea, secret_digests[1:1])
        where workspace_id = ${workspaceId} and id = ${watchId}`.execute(store.of(workspaceId));
    },

    setRegistration: async ({ workspaceId, watchId }: Place, registration: Registration | null, callback?: string) => {
      await store
        .of(workspaceId)
        .updateTable('watches')
        .set({
          registration: registration === null ? null : JSON.stringify(registration),
          ...(callback === undefined ? {} : { callback }),
        })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', watchId)
        .execute();
    },

    recordGaps: async (
      tx: Kysely<Tables>,
      { workspaceId, watchId }: Place,
      texts: readonly string[],
    ): Promise<void> => {
      if (texts.length === 0) return;
      const at = clock.now();
      await tx
        .insertInto('gaps')
        .values(texts.map((text) => ({ id: newId('gap', at), workspace_id: workspaceId, watch_id: watchId, at, text })))
        .execute();
    },

    /** Links a trigger to exactly these resources, and answers the watches that are new to it. */
    link: async (
      tx: Transaction<Tables>,
      trigger: Linked,
      resources: readonly string[],
      since: Date,
    ): Promise<string[]> => {
      const { id, workspaceId, accountId, definition } = trigger;
      const wanted = [...new Set(resources)].sort();
      const at = clock.now();
      const rows = wanted.map((resource) => ({
        id: newId('wch', at),
        workspace_id: workspaceId,
        account_id: accountId,
        integration: definition.integration.name,
        resource,
        token: randomBytes(24).toString('base64url'),
        state: 'starting' as const,
        state_since: at,
        created_at: at,
      }));
      const missing = async (): Promise<typeof rows> => {
        // Held until the end: what is being removed at this moment is waited for, and made again.
        const held = await sql<{ resource: string }>`
          select resource from watches where workspace_id = ${workspaceId} and account_id = ${accountId}
            and resource = any(${wanted}::text[]) order by resource for key share`.execute(tx);
        const there = new Set(held.rows.map(({ resource }) => resource));
        return rows.filter(({ resource }) => !there.has(resource));
      };
      for (let needed = await missing(); needed.length > 0; needed = await missing()) {
        await tx
          .insertInto('watches')
          .values(needed)
          .onConflict((conflict) => conflict.columns(['workspace_id', 'account_id', 'resource']).doNothing())
          .execute();
      }
      const linked = await sql<{ watch_id: string }>`
        insert into trigger_watches (workspace_id, trigger_id, watch_id, since)
        select workspace_id, ${id}, id, ${since} from watches
        where workspace_id = ${workspaceId} and account_id = ${accountId} and resource = any(${wanted}::text[])
        on conflict do nothing returning watch_id`.execute(tx);
      const left = await sql<{ watch_id: string }>`
        delete from trigger_watches l using watches w
        where l.workspace_id = ${workspaceId} and l.trigger_id = ${id}
          and w.workspace_id = l.workspace_id and w.id = l.watch_id and w.resource <> all(${wanted}::text[])
        returning l.watch_id`.execute(tx);
      // Whoever keeps their lists learns that it is on them, or no longer.
      const changed = [...linked.rows, ...left.rows].map((row) => row.watch_id);
      await sql`update watches set roster = roster + 1 where id in (
        select id from watches where workspace_id = ${workspaceId} and id = any(${changed}::text[])
        order by id for no key update)`.execute(tx);
      await rewind(
        tx,
        trigger,
        linked.rows.map((row) => row.watch_id),
        since,
      );
      return linked.rows.map((row) => row.watch_id);
    },

    /** Looks through it once more from an earlier place, if it has got further than `until`; whoever looks just now is stopped. */
    beginAnew: async (
      tx: Kysely<Tables>,
      { id, cursor, until }: { id: string; cursor: unknown; until: Date },
    ): Promise<void> => {
      await sql`update watches set cursor = ${JSON.stringify(cursor)}, next_look_at = clock_timestamp(),
          lease_owner = null, lease_until = null
        where id = ${id} and caught_up_at >= ${until}`.execute(tx);
    },

    /** Tells everyone who keeps the list of a trigger's watches that it has changed. */
    renumber: async (tx: Kysely<Tables>, workspaceId: string, triggerId: string): Promise<void> => {
      await sql`update watches w set roster = roster + 1 from trigger_watches l
        where l.workspace_id = ${workspaceId} and l.trigger_id = ${triggerId}
          and w.workspace_id = l.workspace_id and w.id = l.watch_id`.execute(tx);
    },

    /** Watches that no trigger needs any more. */
    unneeded: async (limit: number): Promise<{ id: string; workspace_id: string }[]> => {
      const needed = sql`(select true from trigger_watches l
        where l.workspace_id = w.workspace_id and l.watch_id = w.id limit 1)`;
      const { rows } = await sql<{ id: string; workspace_id: string }>`
        with again as (update watches w set needless = false where w.needless and ${needed})
        select w.id, w.workspace_id from watches w where w.needless and ${needed} is null limit ${limit}`.execute(
        store.system,
      );
      return rows;
    },

    /** Unless a trigger came to need it meanwhile; answers whether it is gone. */
    remove: ({ workspaceId, watchId }: Place): Promise<boolean> =>
      store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          // Whoever links a trigger to it holds its row: only after that can be seen whether it is needed.
          await sql`select from watches where workspace_id = ${workspaceId} and id = ${watchId} for update`.execute(tx);
          const { rows } = await sql`delete from watches w where workspace_id = ${workspaceId} and id = ${watchId}
            and not exists (select from trigger_watches l where l.workspace_id = w.workspace_id and l.watch_id = w.id)
            returning 1`.execute(tx);
          return rows.length > 0;
        }),
  };
};

export type WatchRecords = ReturnType<typeof createWatchRecords>;
