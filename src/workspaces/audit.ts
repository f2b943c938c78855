import { sql } from 'kysely';
import type { Clock } from '#clock';
import { type AuditAction, afterId, lookThrough, type Page, type PageRequest, type Stretch, searching } from '#kit';
import { type Actor, type Database, firstIdAt, newId, readableJson, type Store } from '#store';

export type AuditRecord = {
  id: string;
  at: Date;
  actor: Actor;
  action: string;
  target: string | null;
  details: Record<string, unknown>;
};

export type AuditEntry = {
  workspaceId: string;
  actor: Actor;
  action: AuditAction;
  target?: string;
  details?: Record<string, unknown>;
};

/** Writes a record in the caller's own transaction, so that deed and record stand or fall together. */
export const recordAudit = async (db: Database, clock: Clock, entry: AuditEntry): Promise<void> => {
  const at = clock.now();
  await db
    .insertInto('audit')
    .values({
      id: newId('aud', at),
      workspace_id: entry.workspaceId,
      at,
      actor: JSON.stringify(entry.actor),
      action: entry.action,
      target: entry.target ?? null,
      details: JSON.stringify(entry.details ?? {}),
    })
    .execute();
};

/** Which records are wanted; what is left out does not matter. */
export type AuditFilter = {
  /** The first words of the action: `effect`, `approval.approved`. */
  action?: string | undefined;
  accountId?: string | undefined;
  agentId?: string | undefined;
  stepId?: string | undefined;
  runId?: string | undefined;
  effect?: 'write' | 'send' | 'destroy' | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
};

export type Audit = {
  list(workspaceId: string, page: PageRequest, filter?: AuditFilter): Promise<Page<AuditRecord>>;
};

const told = readableJson(sql.ref('details'));

const about = (name: string, id: string) => sql<boolean>`(target = ${id} or ${told} ->> ${sql.lit(name)} = ${id})`;

/** Records of a run tell its id, and the run tells who it was. */
const ofRuns = (workspaceId: string, column: 'agent_id' | 'step_id', id: string) => sql<boolean>`exists (
  select from runs r where r.workspace_id = ${workspaceId} and r.id = ${told} ->> 'runId' and r.${sql.ref(column)} = ${id})`;

const conditions = (workspaceId: string, filter: Omit<AuditFilter, 'from' | 'to'>) => {
  const { action, accountId, agentId, stepId, runId, effect } = filter;
  return [
    ...(action === undefined ? [] : [sql<boolean>`starts_with(action || '.', ${`${action}.`})`]),
    ...(accountId === undefined ? [] : [about('accountId', accountId)]),
    ...(agentId === undefined
      ? []
      : [sql<boolean>`(${about('agentId', agentId)} or ${ofRuns(workspaceId, 'agent_id', agentId)})`]),
    ...(stepId === undefined ? [] : [ofRuns(workspaceId, 'step_id', stepId)]),
    ...(runId === undefined ? [] : [about('runId', runId)]),
    ...(effect === undefined ? [] : [sql<boolean>`${told} ->> 'effect' = ${effect}`]),
  ];
};

export const createAudit = (store: Store, { stretch, patienceMs } = searching): Audit => {
  const records = (workspaceId: string, { first, after }: Stretch) =>
    store
      .of(workspaceId)
      .selectFrom('audit')
      .where('workspace_id', '=', workspaceId)
      .$if(first !== undefined, (query) => query.where('id', '>=', first as string))
      .$if(after !== undefined, (query) => query.where('id', '<', after as string))
      .orderBy('id', 'desc');

  return {
    // Records are found by their time alone. What is rare among them is looked for a stretch at a time: an index for each
    // question would cost every write to a service.
    list: async (workspaceId, page, { from, to, ...filter } = {}) => {
      const earliest = from && firstIdAt('aud', from);
      const latest = [afterId('aud', page), to && firstIdAt('aud', to)].filter((id) => id !== undefined);
      const wanted = conditions(workspaceId, filter);
      const endOf = async (after: string | undefined): Promise<string | undefined> => {
        if (wanted.length === 0) return undefined;
        const within = records(workspaceId, { first: earliest, after }).select('id');
        const end = await within
          .offset(stretch - 1)
          .limit(1)
          .executeTakeFirst();
        return end?.id;
      };
      return lookThrough(
        page,
        {
          after: latest.toSorted()[0],
          endOf,
          find: ({ first = earliest, after }, most) =>
            records(workspaceId, { first, after })
              .selectAll()
              .where((eb) => eb.and(wanted))
              .limit(most)
              .execute(),
          patienceMs,
        },
        ({ id, at, actor, action, target, details }) => ({ id, at, actor, action, target, details }),
      );
    },
  };
};
