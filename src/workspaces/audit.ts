import { sql } from 'kysely';
import type { Clock } from '#clock';
import { type AuditAction, afterId, type Page, type PageRequest, toPage } from '#kit';
import { type Actor, type Database, newId, type Store } from '#store';

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

const about = (name: string, id: string) => sql<boolean>`(target = ${id} or details ->> ${sql.lit(name)} = ${id})`;

/** Records of a run tell its id, and the run tells who it was. */
const ofRuns = (workspaceId: string, column: 'agent_id' | 'step_id', id: string) => sql<boolean>`exists (
  select from runs r where r.workspace_id = ${workspaceId} and r.id = details ->> 'runId' and r.${sql.ref(column)} = ${id})`;

const conditions = (workspaceId: string, filter: AuditFilter) => {
  const { action, accountId, agentId, stepId, runId, effect, from, to } = filter;
  return [
    ...(action === undefined ? [] : [sql<boolean>`starts_with(action || '.', ${`${action}.`})`]),
    ...(accountId === undefined ? [] : [about('accountId', accountId)]),
    ...(agentId === undefined
      ? []
      : [sql<boolean>`(${about('agentId', agentId)} or ${ofRuns(workspaceId, 'agent_id', agentId)})`]),
    ...(stepId === undefined ? [] : [ofRuns(workspaceId, 'step_id', stepId)]),
    ...(runId === undefined ? [] : [about('runId', runId)]),
    ...(effect === undefined ? [] : [sql<boolean>`details ->> 'effect' = ${effect}`]),
    ...(from === undefined ? [] : [sql<boolean>`at >= ${from}`]),
    ...(to === undefined ? [] : [sql<boolean>`at < ${to}`]),
  ];
};

export const createAudit = (store: Store): Audit => ({
  list: async (workspaceId, page, filter = {}) => {
    const after = afterId('aud', page);
    const rows = await store
      .of(workspaceId)
      .selectFrom('audit')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .$if(after !== undefined, (query) => query.where('id', '<', after as string))
      .where((eb) => eb.and(conditions(workspaceId, filter)))
      .orderBy('id', 'desc')
      .limit(page.limit + 1)
      .execute();
    return toPage(rows, page, ({ id, at, actor, action, target, details }) => ({
      id,
      at,
      actor,
      action,
      target,
      details,
    }));
  },
});
