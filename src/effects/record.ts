import { createHash } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Clock } from '#clock';
import { type Effect, Fault, type UpstreamAnswer, type UpstreamRequest } from '#kit';
import { type Actor, type Database, firstIdAt, newId, type Store, type Tables } from '#store';
import { recordAudit, stopped } from '#workspaces';
import { RunCancelled } from './run-cancelled.ts';
import { createTogether, type Intended, type NewIntent } from './write-together.ts';

/** A record, and how long ago its last attempt was intended, by the database's time. */
export type EffectRow = Selectable<Tables['effects']> & { age_ms: number };

/** An intent just committed. */
export type Intent = { id: string; intendedAt: Date; attempt: number };

/** Another process has taken the run over, or the workspace was stopped: whoever continues looks at what happened. */
export class Overtaken extends Fault {
  constructor() {
    super('unavailable', 'This run goes on elsewhere, or waits.');
  }
}

/** The run on whose behalf something is written outside. */
export type Owner = {
  workspaceId: string;
  runId: string;
  accountId: string;
  actor: Actor;
  /** What started the run, if something did that happened outside. */
  eventId: string | null;
  /** What a person approved, where that was needed. */
  approval?: { id: string; digest: string } | undefined;
};

/** Where every outside write is written down: before it is tried, and how it ended. */
export type EffectRecords = {
  find(owner: Owner, ordinal: number): Promise<EffectRow | undefined>;
  /** Those of a run, between two ordinals, in that order. */
  all(owner: Pick<Owner, 'workspaceId' | 'runId'>, after: number, before: number): Promise<EffectRow[]>;
  /** What is committed before a write is tried. */
  plan(
    owner: Owner,
    ordinal: number,
    effect: Exclude<Effect, 'read'>,
    request: UpstreamRequest,
    before?: unknown,
  ): NewIntent;
  /** Commits the intent. Refused while the workspace is stopped, and once the run is to be cancelled. */
  intend(owner: Owner, planned: NewIntent): Promise<Intent>;
  /** Those of a run, between two ordinals, of which nobody knows yet how they ended. */
  open(owner: Owner, after: number, before: number): Promise<EffectRow[]>;
  /**
   * Commits that it will be tried once more, or another request in its place, because it provably did not happen. Refused
   * if it was renewed since `seen`.
   */
  intendAgain(
    owner: Owner,
    id: string,
    again: { request: UpstreamRequest; before?: unknown; seen?: Date | undefined },
  ): Promise<Intent>;
  /** Restarts the clock of an attempt that takes long, before the moment that counts. */
  renew(owner: Owner, intent: Intent): Promise<void>;
  settle(owner: Owner, id: string, end: EffectEnd): Promise<void>;
  /** Those of these that another effect of the account made. */
  taken(owner: Owner, upstreamIds: readonly string[]): Promise<Set<string>>;
  /** Ends an uncertain effect as sent by what was found, unless another effect of the account has claimed it. */
  claim(owner: Owner, id: string, candidate: Candidate): Promise<boolean>;
  /** Whether the same request is on its way for another effect of the account, so that its result could be mistaken. */
  hasTwin(owner: Owner, id: string, withinMs: number): Promise<boolean>;
  /** What other runs intended lately for the account, or for a mailbox that may be its own. */
  besides(owner: Owner, withinMs: number): Promise<Besides[]>;
};

/** `made`: the ids of what its run had made by then. */
export type Besides = Pick<EffectRow, 'state' | 'method' | 'path' | 'request'> & { made: string[] };

/** Something found outside that an uncertain effect may have made. */
export type Candidate = { upstreamId: string; about: string | undefined; answer: UpstreamAnswer };

export type EffectEnd =
  | {
      state: 'sent';
      answer: UpstreamAnswer;
      upstreamId: string | undefined;
      /** What was changed or sent, where nothing was made that has an id of its own. It is told, and claims nothing. */
      about?: string | undefined;
      found: boolean;
    }
  | { state: 'not_sent' | 'unknown'; reason: string };

// Ids begin with the time of the process that made them.
const skewMs = 120_000;

/** Stands for exactly this request, whatever the order of its fields. */
export const digestOf = ({ method, path, query, headers, body }: UpstreamRequest): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(ordered({ method, path, query, headers, body })))
    .digest();

/** Bytes stand for themselves by their digest: neither hashed nor kept as a list of numbers. */
const brief = (bytes: Uint8Array) => ({
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

const ordered = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return brief(value);
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, ordered(each)]));
};

// What a step found may be a whole event with its invitation; what is longer is found anew.
const longestBefore = 64_000;

const keepableBefore = (before: unknown): unknown =>
  before !== undefined && JSON.stringify(before).length <= longestBefore ? before : undefined;

const kept = ({ query, body }: UpstreamRequest, before: unknown): string =>
  JSON.stringify({ query, body: body instanceof Uint8Array ? brief(body) : body, before: keepableBefore(before) });

const notCancelled = ({ workspaceId, runId }: Owner) => sql`not exists (
  select from runs where workspace_id = ${workspaceId} and id = ${runId} and cancel_asked is not null)`;

const intent = async (store: Store, owner: Owner, id: string, [row]: readonly Intended[]): Promise<Intent> => {
  if (row !== undefined) return { id, intendedAt: row.intended_at, attempt: row.attempts };
  const { rows } = await sql<{ open: boolean }>`select ${notCancelled(owner)} as open`.execute(
    store.of(owner.workspaceId),
  );
  throw rows[0]?.open === false ? new RunCancelled() : stopped();
};

const ofRun = (store: Store, { workspaceId, runId }: Pick<Owner, 'workspaceId' | 'runId'>) =>
  store
    .of(workspaceId)
    .selectFrom('effects')
    .selectAll()
    .select(sql<number>`(extract(epoch from clock_timestamp() - intended_at) * 1000)::float8`.as('age_ms'))
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId);

const between = (store: Store, owner: Pick<Owner, 'workspaceId' | 'runId'>, after: number, before: number) =>
  ofRun(store, owner).where('ordinal', '>', after).where('ordinal', '<', before).orderBy('ordinal');

export const createEffectRecords = (options: { store: Store; clock: Clock }): EffectRecords => {
  const { store, clock } = options;
  const together = createTogether(store);
  return {
    find: (owner, ordinal) => ofRun(store, owner).where('ordinal', '=', ordinal).executeTakeFirst(),

    all: (owner, after, before) => between(store, owner, after, before).execute(),

    open: (owner, after, before) => between(store, owner, after, before).where('state', '=', 'intended').execute(),

    plan: ({ workspaceId, runId, accountId }, ordinal, effect, request, before) => ({
      id: newId('eff', clock.now()),
      workspaceId,
      runId,
      ordinal,
      accountId,
      effect,
      method: request.method,
      path: request.path,
      request: kept(request, before),
      digest: digestOf(request),
    }),

    intend: async (owner, planned) => {
      const row = await together.intend(planned);
      return intent(store, owner, planned.id, row === undefined ? [] : [row]);
    },

    intendAgain: async (owner, id, { request, before, seen }) => {
      const { workspaceId } = owner;
      const { method, path } = request;
      const { rows } = await sql<Intended>`
      update effects set state = 'intended', method = ${method}, path = ${path}, request = ${kept(request, before)},
        digest = ${digestOf(request)}, attempts = attempts + 1, intended_at = clock_timestamp(), finished_at = null
      where workspace_id = ${workspaceId} and id = ${id} and state <> 'sent'
        and (${seen ?? null}::timestamptz is null or date_trunc('milliseconds', intended_at) = ${seen ?? null})
        and exists (select from workspaces where workspace_id = ${workspaceId} and stopped_at is null)
        and ${notCancelled(owner)}
      returning intended_at, attempts`.execute(store.of(workspaceId));
      return intent(store, owner, id, rows);
    },

    renew: async ({ workspaceId }, { id, attempt }) => {
      const { rows } = await sql`
      update effects set intended_at = clock_timestamp()
      where workspace_id = ${workspaceId} and id = ${id} and state = 'intended' and attempts = ${attempt}
        and exists (select from workspaces where workspace_id = ${workspaceId} and stopped_at is null)
      returning 1`.execute(store.of(workspaceId));
      if (rows.length === 0) throw new Overtaken();
    },

    settle: (owner, id, end) => {
      const at = clock.now();
      const { workspaceId, accountId, actor, approval } = owner;
      const sent = end.state === 'sent';
      const upstreamId = sent ? keepable(end.upstreamId) : null;
      const rest = {
        ...(approval === undefined ? {} : { approvalId: approval.id, approvalDigest: approval.digest }),
        ...(sent ? { upstreamId: toldId(upstreamId, end.about), found: end.found } : { reason: end.reason }),
      };
      return together.settle({
        id,
        workspaceId,
        state: end.state,
        at,
        upstreamId,
        answer: sent ? JSON.stringify(end.answer) : null,
        auditId: newId('aud', at),
        actor,
        before: JSON.stringify({ ...causeOf(owner), accountId }).slice(0, -1),
        after: JSON.stringify(rest).slice(1),
      });
    },

    taken: (owner, upstreamIds) => takenIn(store.of(owner.workspaceId), owner, upstreamIds),

    claim: (owner, id, candidate) =>
      store
        .of(owner.workspaceId)
        .transaction()
        .execute(async (tx) => {
          // One claim at a time per account: two effects must not take the same result.
          await sql`select pg_advisory_xact_lock(hashtextextended(${`claim ${owner.accountId}`}, 0))`.execute(tx);
          if ((await takenIn(tx, owner, [candidate.upstreamId])).size > 0) return false;
          await settleWithin(tx, clock, owner, id, { state: 'sent', found: true, ...candidate });
          return true;
        }),

    hasTwin: async ({ workspaceId, accountId }, id, withinMs) => {
      const { rows } = await sql`
      select 1 from effects this join effects twin using (workspace_id, account_id, digest)
      where workspace_id = ${workspaceId} and account_id = ${accountId} and this.id = ${id} and twin.id <> this.id
        and twin.state = 'intended'
        and twin.intended_at > clock_timestamp() - make_interval(secs => ${withinMs / 1000})
      limit 1`.execute(store.of(workspaceId));
      return rows.length > 0;
    },

    besides: async ({ workspaceId, accountId, runId }, withinMs) => {
      const lately = firstIdAt('eff', new Date(clock.now().getTime() - withinMs - skewMs));
      const { rows } = await sql<Besides>`
      select state, method, path, request, array(
        select upstream_id from effects m
        where m.workspace_id = e.workspace_id and m.run_id = e.run_id and m.method = 'POST' and m.upstream_id is not null
      ) as made
      from effects e
      where workspace_id = ${workspaceId} and run_id <> ${runId} and (state = 'intended' or id >= ${lately})
        and intended_at > clock_timestamp() - make_interval(secs => ${withinMs / 1000})
        and (account_id = ${accountId} or path !~* '^/me/')`.execute(store.of(workspaceId));
      return rows;
    },
  };
};

// The audit outlives the run: the event is named beside it.
const causeOf = ({ runId, eventId }: Owner) => ({ runId, ...(eventId === null ? {} : { eventId }) });

// The service chooses it. One that no index holds must not keep a write that happened from being recorded as sent.
const keepable = (id: string | undefined): string | null =>
  id === undefined || id.includes('\ufffd') || Buffer.byteLength(id) > 1_000 ? null : id;

/** What was found for a change is claimed under more than an id, which may hold what was written: that is told to nobody. */
const toldId = (claimed: string | null, about: string | undefined): string | null =>
  claimed === null || claimed.includes(' ') ? keepable(about) : claimed;

// Only what was made counts: an update names the thing it changed, and claims nothing.
const takenIn = async (db: Database, owner: Owner, upstreamIds: readonly string[]): Promise<Set<string>> => {
  if (upstreamIds.length === 0) return new Set();
  const { rows } = await sql<{ upstream_id: string }>`
    select upstream_id from effects
    where workspace_id = ${owner.workspaceId} and account_id = ${owner.accountId}
      and upstream_id = any(${[...upstreamIds]}) and method = 'POST'`.execute(db);
  return new Set(rows.map((row) => row.upstream_id));
};

/** Writes down how an effect ended, and its one audit record, together. */
const settleWithin = async (tx: Database, clock: Clock, owner: Owner, id: string, end: EffectEnd): Promise<void> => {
  const { workspaceId, accountId, actor, approval } = owner;
  const sent = end.state === 'sent';
  const row = await tx
    .updateTable('effects')
    .set({
      state: end.state,
      finished_at: clock.now(),
      upstream_id: sent ? keepable(end.upstreamId) : null,
      answer: sent ? JSON.stringify(end.answer) : null,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('state', '=', 'intended')
    .returning(['effect', 'method', 'path', 'digest', 'attempts', 'upstream_id'])
    .executeTakeFirst();
  if (row === undefined) return;
  const details = {
    ...causeOf(owner),
    accountId,
    effect: row.effect,
    method: row.method,
    path: row.path,
    digest: row.digest.toString('hex'),
    attempts: row.attempts,
    ...(approval === undefined ? {} : { approvalId: approval.id, approvalDigest: approval.digest }),
    ...(sent ? { upstreamId: toldId(row.upstream_id, end.about), found: end.found } : { reason: end.reason }),
  };
  await recordAudit(tx, clock, { workspaceId, actor, action: `effect.${end.state}`, target: id, details });
};
