import { createHash } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Clock } from '#clock';
import { type Effect, Fault, type UpstreamAnswer, type UpstreamRequest } from '#kit';
import { type Actor, newId, type Store, type Tables } from '#store';
import { recordAudit } from '#workspaces';

/** A record, and how long ago its last attempt was intended, by the database's time. */
export type EffectRow = Selectable<Tables['effects']> & { age_ms: number };

/** An intent just committed. */
export type Intent = { id: string; intendedAt: Date };

/** The run on whose behalf something is written outside. */
export type Owner = { workspaceId: string; runId: string; accountId: string; actor: Actor };

/** Where every outside write is written down: before it is tried, and how it ended. */
export type EffectRecords = {
  find(owner: Owner, ordinal: number): Promise<EffectRow | undefined>;
  /** Commits the intent. Refused while the workspace is stopped. */
  intend(owner: Owner, ordinal: number, effect: Exclude<Effect, 'read'>, request: UpstreamRequest): Promise<Intent>;
  /** Commits that it will be tried once more, because it provably did not happen. */
  intendAgain(owner: Owner, id: string): Promise<Intent>;
  settle(owner: Owner, id: string, end: EffectEnd): Promise<void>;
  /** Those of these upstream ids that belong to another effect of the account. */
  claimed(owner: Owner, upstreamIds: readonly string[]): Promise<Set<string>>;
};

export type EffectEnd =
  | { state: 'sent'; answer: UpstreamAnswer; upstreamId: string | undefined; found: boolean }
  | { state: 'not_sent' | 'unknown'; reason: string };

/** The emergency stop, as work under way meets it: the run waits, nothing is lost. */
export const stopped = () =>
  new Fault('unavailable', 'This workspace is stopped; it goes on when an owner resumes it.', {
    details: { stopped: true },
  });

/** Stands for exactly this request, whatever the order of its fields. */
export const digestOf = ({ method, path, query, headers, body }: UpstreamRequest): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(ordered({ method, path, query, headers, body })))
    .digest();

const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, ordered(each)]));
};

const intent = (id: string, [row]: readonly { intended_at: Date }[]): Intent => {
  if (row === undefined) throw stopped();
  return { id, intendedAt: row.intended_at };
};

export const createEffectRecords = ({ store, clock }: { store: Store; clock: Clock }): EffectRecords => ({
  find: ({ workspaceId, runId }, ordinal) =>
    store
      .of(workspaceId)
      .selectFrom('effects')
      .selectAll()
      .select(sql<number>`(extract(epoch from clock_timestamp() - intended_at) * 1000)::float8`.as('age_ms'))
      .where('workspace_id', '=', workspaceId)
      .where('run_id', '=', runId)
      .where('ordinal', '=', ordinal)
      .executeTakeFirst(),

  intend: async ({ workspaceId, runId, accountId }, ordinal, effect, request) => {
    const id = newId('eff', clock.now());
    const { method, path, query, body } = request;
    const { rows } = await sql<{ intended_at: Date }>`
      insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest, state, intended_at)
      select ${id}, ${workspaceId}, ${runId}, ${ordinal}, ${accountId}, ${effect}, ${method}, ${path},
        ${JSON.stringify({ query, body })}, ${digestOf(request)}, 'intended', clock_timestamp()
      from workspaces where workspace_id = ${workspaceId} and stopped_at is null
      returning intended_at`.execute(store.of(workspaceId));
    return intent(id, rows);
  },

  intendAgain: async ({ workspaceId }, id) => {
    const { rows } = await sql<{ intended_at: Date }>`
      update effects set state = 'intended', attempts = attempts + 1, intended_at = clock_timestamp(), finished_at = null
      where workspace_id = ${workspaceId} and id = ${id} and state <> 'sent'
        and exists (select from workspaces where workspace_id = ${workspaceId} and stopped_at is null)
      returning intended_at`.execute(store.of(workspaceId));
    return intent(id, rows);
  },

  settle: ({ workspaceId, runId, accountId, actor }, id, end) =>
    store
      .of(workspaceId)
      .transaction()
      .execute(async (tx) => {
        const sent = end.state === 'sent';
        const row = await tx
          .updateTable('effects')
          .set({
            state: end.state,
            finished_at: clock.now(),
            upstream_id: sent ? (end.upstreamId ?? null) : null,
            answer: sent ? JSON.stringify(end.answer) : null,
          })
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id)
          .where('state', '=', 'intended')
          .returning(['effect', 'method', 'path', 'digest', 'attempts', 'upstream_id'])
          .executeTakeFirst();
        if (row === undefined) return;
        const details = {
          runId,
          accountId,
          effect: row.effect,
          method: row.method,
          path: row.path,
          digest: row.digest.toString('hex'),
          attempts: row.attempts,
          ...(sent ? { upstreamId: row.upstream_id, found: end.found } : { reason: end.reason }),
        };
        await recordAudit(tx, clock, { workspaceId, actor, action: `effect.${end.state}`, target: id, details });
      }),

  claimed: async ({ workspaceId, accountId }, upstreamIds) => {
    if (upstreamIds.length === 0) return new Set();
    const rows = await store
      .of(workspaceId)
      .selectFrom('effects')
      .select('upstream_id')
      .where('workspace_id', '=', workspaceId)
      .where('account_id', '=', accountId)
      .where('upstream_id', 'in', upstreamIds)
      .execute();
    return new Set(rows.flatMap(({ upstream_id: id }) => (id === null ? [] : [id])));
  },
});
