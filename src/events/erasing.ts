import { sql } from 'kysely';
import type { Clock } from '#clock';
import type { CallOff } from '#runs';
import { accountsLeaving, firstIdAt, readableJson, type Store } from '#store';

type Left = { workspaceId: string; accountId: string };

/** Stored content of accounts that have left. That something happened, and how it ended, stays. */
export type Erasing = {
  /** Ends what the account has started and has not begun. */
  callOff(workspaceId: string, accountId: string): Promise<void>;
  erase(workspaceId: string, accountId: string, others: Others): Promise<void>;
  /** Accounts of which nobody has erased everything: who began has died, or the database was away. */
  unfinished(): Promise<Left[]>;
  /** Erases what was under way when its account left, and has ended since. */
  eraseEnded(others: Others): Promise<void>;
};

/** What other rooms hold of an account, of runs that have ended. */
type Others = (workspaceId: string, accountId: string) => Promise<void>;

/** No statement takes long, however much has happened. */
const atOnce = 2_000;
/** Each may mean to go through a whole history; other sweeps wait meanwhile. */
const accountsAtOnce = 20;
/** Whoever disconnects an account erases; only later it is taken up by others. */
const graceMs = 60_000;

const ended = sql`r.status in ('succeeded', 'failed', 'cancelled')`;

/** Whether a run holds something from the account: its own, its triggers', or what a step of a tool had from there. */
const heldBy = ({ accountId, triggerIds }: { accountId: string; triggerIds: readonly string[] }) => sql`(
    r.account_id = ${accountId}
    or r.trigger_id = any(${triggerIds}::text[])
    -- One that was started again has no trigger. Text is looked through faster than it is read.
    or case when strpos(r.input::text, ${accountId}) > 0 then
      ${readableJson(sql`r.input`)} #>> '{event,account,id}' = ${accountId} else false end
    or r.account_id is null and (
      case when strpos(r.journal::text, ${accountId}) > 0 then exists (
        select from json_to_recordset(${readableJson(sql`r.journal`)}) as e (data json) where e.data ->> 'accountId' = ${accountId}
      ) else false end
      or exists (
        select from journal j where j.workspace_id = r.workspace_id and j.run_id = r.id
          and ${readableJson(sql`j.data`)} ->> 'accountId' = ${accountId}
      )
    )
  )`;

type Part = { last: string | null; count: number };

const throughAll = async (erasePart: (after: string) => Promise<Part | undefined>): Promise<void> => {
  for (let after = ''; ; ) {
    const part = await erasePart(after);
    if (part === undefined || part.last === null || part.count < atOnce) return;
    after = part.last;
  }
};

export const createErasing = (options: { store: Store; clock: Clock; callOff: CallOff }): Erasing => {
  const { store, clock, callOff } = options;

  const triggersOf = async ({ workspaceId, accountId }: Left): Promise<string[]> => {
    const { rows } = await sql<{ id: string }>`
      select id from triggers where workspace_id = ${workspaceId} and account_id = ${accountId}
      union all select id from past_triggers where workspace_id = ${workspaceId} and account_id = ${accountId}`.execute(
      store.of(workspaceId),
    );
    return rows.map(({ id }) => id);
  };

  const eraseEvents = (workspaceId: string, triggerId: string): Promise<void> =>
    throughAll(async (after) => {
      const { rows } = await sql<Part>`
        with part as (
          select e.id from events e
          where e.workspace_id = ${workspaceId} and e.trigger_id = ${triggerId} and e.id > ${after}
          order by e.id limit ${atOnce}
        ), erased as (
          update events e set data = null, occurrence = null, actor = null, summary = '',
            retry = case when retry is null then null else 'dead' end, next_try_at = null
          from part where e.workspace_id = ${workspaceId} and e.id = part.id
        )
        select max(id) as last, count(*)::integer as count from part`.execute(store.of(workspaceId));
      return rows[0];
    });

  /** Of these runs, those that have ended with something from the account. */
  const eraseRuns = async (
    { workspaceId, accountId }: Left,
    triggerIds: readonly string[],
    which: ReturnType<typeof sql>,
  ): Promise<Part | undefined> => {
    const { rows } = await sql<Part>`
      with part as (
        select r.id, ${ended} and ${heldBy({ accountId, triggerIds })} as held from runs r
        where r.workspace_id = ${workspaceId} and ${which} order by r.id limit ${atOnce}
      ), theirs as (
        update runs r set input = '{}', output = null, warnings = null, journal = null
        from part where r.workspace_id = ${workspaceId} and r.id = part.id and part.held returning r.id
      ), told as (
        delete from journal j using theirs where j.workspace_id = ${workspaceId} and j.run_id = theirs.id
      ), done as (
        update effects f set request = '{}', answer = null from part
        where f.workspace_id = ${workspaceId} and f.run_id = part.id and f.account_id = ${accountId} and f.state <> 'intended'
      )
      select max(id) as last, count(*)::integer as count from part`.execute(store.of(workspaceId));
    return rows[0];
  };

  const eraseLooks = ({ workspaceId, accountId }: Left): Promise<void> =>
    store
      .of(workspaceId)
      .transaction()
      .execute(async (tx) => {
        await sql`update watches set registration = null, cursor = null, remembered = null, name = null,
            hindrance = null, state = 'broken',
            reason = 'The account is not connected any more.', state_since = clock_timestamp()
          where workspace_id = ${workspaceId} and account_id = ${accountId}`.execute(tx);
        await sql`delete from arrivals r using watches w where r.workspace_id = ${workspaceId}
          and w.workspace_id = r.workspace_id and w.id = r.watch_id and w.account_id = ${accountId}`.execute(tx);
        await sql`update triggers set names = '{}'
          where workspace_id = ${workspaceId} and account_id = ${accountId}`.execute(tx);
        await sql`delete from files where workspace_id = ${workspaceId} and account_id = ${accountId}`.execute(tx);
      });

  const isDeleted = async (workspaceId: string): Promise<boolean> => {
    const { rows } = await sql`
      select from workspaces where workspace_id = ${workspaceId} and deleted_at is not null`.execute(
      store.of(workspaceId),
    );
    return rows.length > 0;
  };

  /** No run that began before can hold anything. */
  const connectedAt = async ({ workspaceId, accountId }: Left): Promise<Date> => {
    const { created_at } = await store
      .of(workspaceId)
      .selectFrom('accounts')
      .select('created_at')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
    return created_at;
  };

  const openRuns = async ({ workspaceId }: Left): Promise<string[]> => {
    const { rows } = await sql<{ id: string }>`
      select r.id from runs r where r.workspace_id = ${workspaceId}
        and r.status in ('queued', 'running', 'waiting_approval')`.execute(store.of(workspaceId));
    return rows.map(({ id }) => id);
  };

  const note = async ({ workspaceId, accountId }: Left, open: readonly string[]): Promise<void> => {
    await sql`update accounts set open_runs = ${open}::text[]
      where workspace_id = ${workspaceId} and id = ${accountId} and state = 'disconnected'`.execute(
      store.of(workspaceId),
    );
  };

  const endWaiting = ({ workspaceId }: Left, triggerIds: readonly string[]): Promise<void> =>
    callOff.apart({ workspaceId, triggerIds }, 'The account was disconnected before this run began.');

  return {
    callOff: async (workspaceId, accountId) =>
      endWaiting({ workspaceId, accountId }, await triggersOf({ workspaceId, accountId })),

    erase: async (workspaceId, accountId, others) => {
      const left = { workspaceId, accountId };
      // Everything goes with it, at once.
      if (await isDeleted(workspaceId)) return;
      await eraseLooks(left);
      const triggerIds = await triggersOf(left);
      // What came in the last moment, too.
      await endWaiting(left, triggerIds);
      for (const each of triggerIds) await eraseEvents(workspaceId, each);
      // Before the ended ones are gone through: what ends meanwhile is among either.
      const open = await openRuns(left);
      const since = firstIdAt('run', await connectedAt(left));
      await throughAll((after) => eraseRuns(left, triggerIds, sql`r.id > ${after === '' ? since : after}`));
      await others(workspaceId, accountId);
      await note(left, open);
    },

    unfinished: async () => {
      const begun = new Date(clock.now().getTime() - graceMs);
      // Of all workspaces: whoever has left.
      const { rows } = await sql<Left>`
        select workspace_id as "workspaceId", id as "accountId" from accounts
        where ${accountsLeaving} and open_runs is null and disconnected_at < ${begun}
          and not exists (select from workspaces w where w.workspace_id = accounts.workspace_id and w.deleted_at is not null)
        order by disconnected_at limit ${accountsAtOnce}`.execute(store.system);
      return rows;
    },

    eraseEnded: async (others) => {
      const { rows } = await sql<Left & { open: string[] }>`
        select workspace_id as "workspaceId", id as "accountId", open_runs as open from accounts
        where ${accountsLeaving} and open_runs is not null`.execute(store.system);
      for (const { open, ...left } of rows) {
        const still = new Set(await openRuns(left));
        const [over, waiting] = [open.filter((id) => !still.has(id)), open.filter((id) => still.has(id))];
        if (over.length === 0) continue;
        const triggerIds = await triggersOf(left);
        await throughAll((after) => eraseRuns(left, triggerIds, sql`r.id = any(${over}::text[]) and r.id > ${after}`));
        await others(left.workspaceId, left.accountId);
        await note(left, waiting);
      }
    },
  };
};
