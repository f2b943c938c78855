import { sql } from 'kysely';
import type { Clock } from '#clock';
import { Fault } from '#kit';
import { type Actor, type Database, newId, type Role, type Store, settleMs } from '#store';
import { recordAudit } from './audit.ts';
import { reaches, type VouchedBy } from './reach.ts';

export type Workspace = { id: string; name: string; role: Role | null; stopped: boolean; createdAt: Date };

/** The tenants: making them, naming them, stopping them. */
export type Workspaces = {
  /** All that this person belongs to, as far as the session's word reaches. */
  ofPerson(personId: string, vouchedBy: VouchedBy): Promise<Workspace[]>;
  get(workspaceId: string): Promise<Omit<Workspace, 'role'>>;
  /** A new workspace owned by this person. */
  create(name: string, owner: { personId: string; actor: Actor; vouchedBy: VouchedBy }): Promise<Workspace>;
  rename(workspaceId: string, name: string, actor: Actor): Promise<void>;
  /** Emergency stop: from now on nothing is started and nothing is written outside; nothing is lost. */
  stop(workspaceId: string, actor: Actor): Promise<void>;
  resume(workspaceId: string, actor: Actor): Promise<void>;
};

/** The emergency stop, as work meets it: the run waits, nothing is lost. */
export const stopped = () =>
  new Fault('unavailable', 'This workspace is stopped; it goes on when an owner resumes it.', {
    details: { stopped: true },
  });

/** The time that agents on other platforms have stands still meanwhile: they could do nothing. */
const giveTimeBack = (tx: Database, workspaceId: string) =>
  sql`
  update handovers h set deadline = deadline + (clock_timestamp() - w.stopped_at),
    next_at = case when next_at > w.stopped_at then next_at + (clock_timestamp() - w.stopped_at) else next_at end
  from workspaces w, runs r
  where w.workspace_id = ${workspaceId} and h.workspace_id = w.workspace_id and h.deadline > w.stopped_at
    and r.workspace_id = h.workspace_id and r.id = h.run_id and r.status in ('queued', 'running', 'waiting_approval')`.execute(
    tx,
  );

export const createWorkspaces = ({ store, clock }: { store: Store; clock: Clock }): Workspaces => {
  const setStopped = async (workspaceId: string, stopped: boolean, actor: Actor) => {
    await store
      .of(workspaceId)
      .transaction()
      .execute(async (tx) => {
        if (!stopped) await giveTimeBack(tx, workspaceId);
        const { numUpdatedRows } = await tx
          .updateTable('workspaces')
          .set({ stopped_at: stopped ? clock.now() : null })
          .where('workspace_id', '=', workspaceId)
          .where('stopped_at', stopped ? 'is' : 'is not', null)
          .where('deleted_at', 'is', null)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return;
        const action = stopped ? 'workspace.stopped' : 'workspace.resumed';
        await recordAudit(tx, clock, { workspaceId, actor, action, target: workspaceId });
      });
    store.pulse.tell(`workspace ${workspaceId}`);
    // Until then a process could still begin something by an older look.
    if (stopped) await clock.sleep(settleMs);
  };

  return {
    ofPerson: async (personId, vouchedBy) => {
      // Across workspaces by nature: the person's own memberships.
      const rows = await store.system
        .selectFrom('members')
        .innerJoin('workspaces', 'workspaces.workspace_id', 'members.workspace_id')
        .select(['workspaces.workspace_id', 'workspaces.name', 'members.role', 'stopped_at', 'workspaces.created_at'])
        .where('members.person_id', '=', personId)
        .where(reaches(vouchedBy))
        .orderBy('workspaces.workspace_id', 'desc')
        .execute();
      return rows.map((row) => ({
        id: row.workspace_id,
        name: row.name,
        role: row.role,
        stopped: row.stopped_at !== null,
        createdAt: row.created_at,
      }));
    },

    get: async (workspaceId) => {
      const row = await store
        .of(workspaceId)
        .selectFrom('workspaces')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst();
      if (row === undefined) throw new Fault('not_found', 'There is no such workspace.');
      return { id: row.workspace_id, name: row.name, stopped: row.stopped_at !== null, createdAt: row.created_at };
    },

    create: async (name, { personId, actor, vouchedBy }) => {
      const createdAt = clock.now();
      const id = newId('ws', createdAt);
      await store
        .of(id)
        .transaction()
        .execute(async (tx) => {
          await tx
            .insertInto('workspaces')
            .values({ workspace_id: id, name, created_at: createdAt, stopped_at: null })
            .execute();
          await tx
            .insertInto('members')
            .values({
              workspace_id: id,
              person_id: personId,
              role: 'owner',
              name: actor.name,
              vouched_by: vouchedBy,
              created_at: createdAt,
            })
            .execute();
          await recordAudit(tx, clock, { workspaceId: id, actor, action: 'workspace.created', target: id });
        });
      return { id, name, role: 'owner', stopped: false, createdAt };
    },

    rename: (workspaceId, name, actor) =>
      store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          await tx.updateTable('workspaces').set({ name }).where('workspace_id', '=', workspaceId).execute();
          await recordAudit(tx, clock, {
            workspaceId,
            actor,
            action: 'workspace.renamed',
            target: workspaceId,
            details: { name },
          });
        }),

    stop: (workspaceId, actor) => setStopped(workspaceId, true, actor),
    resume: (workspaceId, actor) => setStopped(workspaceId, false, actor),
  };
};
