import { sql } from 'kysely';
import { type Clock, orLate } from '#clock';
import { Fault } from '#kit';
import type { Log } from '#log';
import { type Actor, type Database, type Store, settleMs } from '#store';
import type { Caller } from './access.ts';
import { firstOwner } from './first-start.ts';
import { reaches } from './reach.ts';
import { removeAll } from './remove-all.ts';

type Member = Extract<Caller, { kind: 'member' }>;

/** An account or a secret of a workspace, which has to leave with it. */
export type Held = { workspaceId: string; id: string; kind: 'account' | 'secret' };

export type Deleting = {
  /**
   * When it returns nobody comes in any more, by session, key or program, and nothing is started or sent. Its accounts leave
   * next, and then all that is kept of it goes. There is no way back.
   */
  begin(workspaceId: string, caller: Member): Promise<void>;
  /** Goes on with what others have begun. */
  sweep(): Promise<void>;
};

const patienceMs = 5_000;
/** At the services; each takes a second or two. */
const leavingAtOnce = 8;
const workspacesAtOnce = 20;

/** Whatever was under way when it was deleted has come to its end by then. */
const settled = sql`deleted_at < clock_timestamp() - interval '1 min'`;

const ofTheHouse = () =>
  new Fault(
    'conflict',
    'This is the first workspace of this installation: the sign-in link of the terminal and BOOTSTRAP_API_KEY lead here, so it stays. Disconnect its accounts and delete its agents instead.',
  );

export const createDeleting = (options: {
  store: Store;
  clock: Clock;
  log: Log;
  /** Takes back at the service what was granted, and forgets the credential. Leaving twice does no harm. */
  leave: (held: Held, actor: Actor) => Promise<void>;
}): Deleting => {
  const { store, clock, log, leave } = options;
  // Of several workspaces, or of people who belong to several, hence the house's own view; each statement names its own.
  const db = store.system;

  const requireOwned = async (tx: Database, workspaceId: string, { personId, vouchedBy }: Member): Promise<void> => {
    const found = await tx
      .selectFrom('workspaces')
      .innerJoin('members', 'members.workspace_id', 'workspaces.workspace_id')
      .select('members.role')
      .where('workspaces.workspace_id', '=', workspaceId)
      .where('members.person_id', '=', personId)
      .where(reaches(vouchedBy))
      .forUpdate('workspaces')
      .executeTakeFirst();
    if (found === undefined) throw new Fault('not_found', 'There is no such workspace.');
    if (found.role !== 'owner') throw new Fault('forbidden', 'A workspace is deleted by an owner of it.');
  };

  /** At the next start another workspace would become the first, and the operator's key would open that one. */
  const refuseOfTheHouse = async (tx: Database, workspaceId: string): Promise<void> => {
    const first = await firstOwner(tx);
    const { rows } =
      await sql`select from api_keys where workspace_id = ${workspaceId} and created_by = 'system' limit 1`.execute(tx);
    if (first?.workspaceId === workspaceId || rows.length > 0) throw ofTheHouse();
  };

  /** Whoever deletes goes on in another workspace, where there is one. */
  const moveOn = (tx: Database, workspaceId: string, { sessionId, personId, vouchedBy }: Member) =>
    sql`
    update sessions set workspace_id = other.workspace_id from (
      select members.workspace_id from members
      where members.person_id = ${personId} and members.workspace_id <> ${workspaceId} and ${reaches(vouchedBy)}
      order by members.created_at limit 1
    ) other where sessions.id = ${sessionId} and sessions.workspace_id = ${workspaceId}`.execute(tx);

  /** Sessions, sign-in links and programs end with the membership they were given for. */
  const closeDoors = async (tx: Database, workspaceId: string): Promise<string[]> => {
    const { rows: people } = await sql<{ id: string }>`
      delete from members where workspace_id = ${workspaceId} returning person_id as id`.execute(tx);
    const ids = people.map(({ id }) => id);
    // Held first: whoever is made a member elsewhere at this moment is seen to be one.
    await sql`select from people where id = any(${ids}::text[]) order by id for update`.execute(tx);
    await sql`delete from people p where p.id = any(${ids}::text[])
      and not exists (select from members m where m.person_id = p.id)`.execute(tx);
    // Of those who stay, the password that was chosen under this workspace's word, unless it opens what was made under it.
    await sql`update people p set password_hash = null, password_by = null
      where p.id = any(${ids}::text[]) and p.password_by = ${workspaceId}
        and not exists (select from members m where m.person_id = p.id and m.vouched_by = ${workspaceId})`.execute(tx);
    for (const table of ['connects', 'webhooks', 'run_keys'])
      await sql`delete from ${sql.table(table)} where workspace_id = ${workspaceId}`.execute(tx);
    const { rows: keys } = await sql<{ id: string }>`
      delete from api_keys where workspace_id = ${workspaceId} returning id`.execute(tx);
    return keys.map(({ id }) => id);
  };

  const heldBy = async (workspaceId: string): Promise<Held[]> => {
    const rows = await db
      .selectFrom('accounts')
      .select(['id', 'kind'])
      .where('workspace_id', '=', workspaceId)
      .where('state', '<>', 'disconnected')
      .orderBy('id')
      .execute();
    return rows.map((row) => ({ ...row, workspaceId }));
  };

  const whoLeaves: Actor = { kind: 'system', id: 'system', name: 'Deleted workspace' };

  /** One that cannot leave now keeps none of the others; the next sweep tries again. */
  const leaveAll = async (workspaceId: string): Promise<void> => {
    const waiting = await heldBy(workspaceId);
    const next = async (): Promise<void> => {
      for (let held = waiting.shift(); held !== undefined; held = waiting.shift()) {
        const { id } = held;
        await leave(held, whoLeaves).catch((error: unknown) =>
          log.warn({ err: error, workspaceId, id }, 'an account of a deleted workspace has not left yet'),
        );
      }
    };
    await Promise.all(Array.from({ length: leavingAtOnce }, next));
  };

  /** What is under way stops before its next write or turn of a model. */
  const callOff = (workspaceId: string) =>
    sql`
    update runs set cancel_asked = ${JSON.stringify(whoLeaves)}
    where workspace_id = ${workspaceId} and status in ('queued', 'running', 'waiting_approval') and cancel_asked is null`.execute(
      db,
    );

  const isAtRest = async (workspaceId: string): Promise<boolean> => {
    const { rows } = await sql`
      select from workspaces w where w.workspace_id = ${workspaceId} and ${settled}
        and not exists (select from accounts a where a.workspace_id = w.workspace_id and a.state <> 'disconnected')
        and not exists (select from revocations v where v.workspace_id = w.workspace_id)
        and not exists (select from runs r where r.workspace_id = w.workspace_id and r.lease_owner is not null
          and r.lease_until > clock_timestamp())`.execute(db);
    return rows.length > 0;
  };

  const goOn = async (workspaceId: string): Promise<void> => {
    // Whoever was let in by an older look may have made a key.
    await db.transaction().execute((tx) => closeDoors(tx, workspaceId));
    await callOff(workspaceId);
    await leaveAll(workspaceId);
    if (!(await isAtRest(workspaceId)) || !(await removeAll(db, workspaceId))) return;
    log.info({ workspaceId }, 'nothing is left of a deleted workspace');
  };

  const underWay = new Map<string, Promise<void>>();

  /** Fails never. Whoever asks while this process is at it already waits for that. */
  const goOnLater = (workspaceId: string): Promise<void> => {
    const begun =
      underWay.get(workspaceId) ??
      goOn(workspaceId)
        .catch((error: unknown) =>
          log.warn({ err: error, workspaceId }, 'a deleted workspace is not gone yet; the next sweep tries again'),
        )
        .finally(() => underWay.delete(workspaceId));
    underWay.set(workspaceId, begun);
    return begun;
  };

  const goThrough = async (): Promise<void> => {
    const { rows } = await sql<{ id: string }>`
      select workspace_id as id from workspaces where deleted_at is not null
      order by deleted_at limit ${workspacesAtOnce}`.execute(db);
    for (const { id } of rows) await goOnLater(id);
  };
  let round: Promise<void> | undefined;

  return {
    begin: async (workspaceId, caller) => {
      const keys = await db.transaction().execute(async (tx) => {
        await requireOwned(tx, workspaceId, caller);
        await refuseOfTheHouse(tx, workspaceId);
        await moveOn(tx, workspaceId, caller);
        await sql`update workspaces set deleted_at = clock_timestamp(),
          stopped_at = coalesce(stopped_at, clock_timestamp()) where workspace_id = ${workspaceId}`.execute(tx);
        return closeDoors(tx, workspaceId);
      });
      log.info({ workspaceId, by: caller.personId }, 'a workspace is deleted');
      for (const told of [`workspace ${workspaceId}`, ...keys.map((id) => `key ${id}`)]) store.pulse.tell(told);
      // Until then a process could still let somebody in, or begin something, by an older look.
      await clock.sleep(settleMs);
      await orLate(clock, goOnLater(workspaceId), patienceMs, undefined);
    },

    sweep: async () => {
      round ??= goThrough().finally(() => {
        round = undefined;
      });
      // Other sweeps wait for this one, while a service may keep a thousand accounts waiting.
      await orLate(clock, round, patienceMs, undefined);
    },
  };
};
