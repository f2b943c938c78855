import type { Clock } from '#clock';
import { afterId, type Page, type PageRequest, toPage } from '#kit';
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
  /** Noun and verb: `account.connected`. */
  action: string;
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

export type Audit = { list(workspaceId: string, page: PageRequest): Promise<Page<AuditRecord>> };

export const createAudit = (store: Store): Audit => ({
  list: async (workspaceId, page) => {
    const after = afterId(page);
    const rows = await store
      .of(workspaceId)
      .selectFrom('audit')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .$if(after !== undefined, (query) => query.where('id', '<', after as string))
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
