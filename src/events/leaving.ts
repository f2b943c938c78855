import { sql } from 'kysely';
import { Fault } from '#kit';
import type { Log } from '#log';
import type { Store } from '#store';
import type { Registrar } from './registrar.ts';
import type { WatchReader } from './watch-reader.ts';

/** What an account leaves behind when it is disconnected. */
export type Leaving = {
  /** Ends our registrations at the service while the credential still works; answers what could not be removed. */
  deregister(workspaceId: string, accountId: string): Promise<string[]>;
  /** Erases stored content that came from the account. That it happened, and how it ended, stays. */
  erase(workspaceId: string, accountId: string): Promise<void>;
  /** Accounts that were disconnected lately, and of which runs that ended afterwards still hold something. */
  left(): Promise<{ workspaceId: string; accountId: string }[]>;
};

/** Runs that have ended with something from this account: their own, its triggers', or what a step of a tool had from there. */
const heldOf = (accountId: string) => sql`r.status in ('succeeded', 'failed', 'cancelled') and (
    r.account_id = ${accountId}
    or r.trigger_id in (select t.id from triggers t where t.workspace_id = r.workspace_id and t.account_id = ${accountId})
    -- Its trigger may have been deleted, and a run that was started again has none.
    or r.input #>> '{event,account,id}' = ${accountId}
    or r.account_id is null and (
      exists (select from json_to_recordset(r.journal) as e (data json) where e.data ->> 'accountId' = ${accountId})
      or exists (
        select from journal j where j.workspace_id = r.workspace_id and j.run_id = r.id and j.data ->> 'accountId' = ${accountId}
      )
    )
  )`;

export const createLeaving = (options: {
  store: Store;
  log: Log;
  reader: WatchReader;
  registrar: Registrar;
}): Leaving => {
  const { store, log, reader, registrar } = options;

  return {
    deregister: async (workspaceId, accountId) => {
      const rows = await store
        .of(workspaceId)
        .selectFrom('watches')
        .select(['id', 'resource'])
        .where('workspace_id', '=', workspaceId)
        .where('account_id', '=', accountId)
        .where('registration', 'is not', null)
        .execute();
      const failures = await Promise.all(
        rows.map(async ({ id, resource }) => {
          try {
            const watch = await reader.byId(id);
            if (watch !== undefined) await registrar.dismiss(watch);
            return [];
          } catch (error) {
            const reason = error instanceof Fault ? error.message : 'Something went wrong on our side.';
            if (!(error instanceof Fault))
              log.error({ err: error, watchId: id }, 'a registration could not be removed');
            return [`${resource}: ${reason}`];
          }
        }),
      );
      return failures.flat();
    },

    left: async () => {
      // Of all workspaces: whoever has left.
      const { rows } = await sql<{ workspaceId: string; accountId: string; at: Date }>`
        select workspace_id as "workspaceId", id as "accountId", disconnected_at as at from accounts
        where state = 'disconnected' and disconnected_at > clock_timestamp() - interval '2 hours'`.execute(
        store.system,
      );
      const found = [];
      for (const { workspaceId, accountId, at } of rows) {
        const { rows: held } = await sql`
          select from runs r where r.workspace_id = ${workspaceId} and r.finished_at >= ${at}
            and (r.journal is not null or r.output is not null or r.input::text <> '{}' or exists (
              select from journal j where j.workspace_id = r.workspace_id and j.run_id = r.id
            )) and ${heldOf(accountId)} limit 1`.execute(store.of(workspaceId));
        if (held.length > 0) found.push({ workspaceId, accountId });
      }
      return found;
    },

    erase: async (workspaceId, accountId) => {
      await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          await sql`update watches set registration = null, cursor = null, remembered = null, state = 'broken',
              reason = 'The account is not connected any more.', state_since = clock_timestamp()
            where workspace_id = ${workspaceId} and account_id = ${accountId}`.execute(tx);
          await sql`delete from arrivals r using watches w where r.workspace_id = ${workspaceId}
            and w.workspace_id = r.workspace_id and w.id = r.watch_id and w.account_id = ${accountId}`.execute(tx);
          await sql`update events e set data = null, occurrence = null, actor = null, summary = '',
              retry = case when retry is null then null else 'dead' end, next_try_at = null
            from triggers t where e.workspace_id = ${workspaceId} and t.workspace_id = e.workspace_id
              and t.id = e.trigger_id and t.account_id = ${accountId}`.execute(tx);
          await sql`with theirs as (
              update runs r set input = '{}', output = null, warnings = null, journal = null
              where r.workspace_id = ${workspaceId} and ${heldOf(accountId)} returning r.id
            ) delete from journal j using theirs where j.workspace_id = ${workspaceId} and j.run_id = theirs.id`.execute(
            tx,
          );
          await sql`delete from files where workspace_id = ${workspaceId} and account_id = ${accountId}`.execute(tx);
          await sql`update effects set request = '{}', answer = null
            where workspace_id = ${workspaceId} and account_id = ${accountId} and state <> 'intended'`.execute(tx);
        });
    },
  };
};
