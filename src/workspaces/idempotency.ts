import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { Fault } from '#kit';
import { removePast, type Sealer, type Store } from '#store';

export type KeyedRequest = {
  workspaceId: string;
  caller: string;
  key: string;
  method: string;
  path: string;
  body: string;
};

export type KeyedAnswer = { status: number; body: string };

/** Remembers the answers to keyed writes, so that a repeated request is answered and not done again. */
export type Idempotency = {
  /** `undefined`: this request is the first with its key and may go on. Otherwise the answer given then. */
  begin(request: KeyedRequest): Promise<KeyedAnswer | undefined>;
  finish(request: KeyedRequest, answer: KeyedAnswer): Promise<void>;
  /** Nothing was done, so the key may be used again. */
  release(request: KeyedRequest): Promise<void>;
  sweep(): Promise<void>;
};

export const usedForAnother = (): Fault =>
  new Fault('conflict', 'This Idempotency-Key was used for another request; use a new one.');

// By the database's time, which all processes share: a skewed clock must not forget a key, or take one for interrupted.
const now = sql<Date>`clock_timestamp()`;
// Longer than any request may take: after this an unfinished one was interrupted.
const interrupted = sql<boolean>`created_at < clock_timestamp() - interval '2 minutes'`;

export const createIdempotency = (options: { store: Store; sealer: Sealer }): Idempotency => {
  const { store, sealer } = options;
  const digestOf = ({ method, path, body }: KeyedRequest): Buffer =>
    createHash('sha256')
      .update(JSON.stringify([method, path, body]))
      .digest();
  const placeOf = ({ workspaceId, caller, key }: KeyedRequest) => ({
    workspace: workspaceId,
    table: 'idempotency',
    row: `${caller} ${key}`,
    column: 'answer',
  });
  const where = ({ workspaceId, caller, key }: KeyedRequest) =>
    [
      ['workspace_id', workspaceId],
      ['caller', caller],
      ['key', key],
    ] as const;

  return {
    begin: async (request) => {
      const { workspaceId, caller, key } = request;
      const db = store.of(workspaceId);
      const digest = digestOf(request);
      const first = await db
        .insertInto('idempotency')
        .values({
          workspace_id: workspaceId,
          caller,
          key,
          request_digest: digest,
          created_at: now,
          status: null,
          answer: null,
        })
        .onConflict((on) => on.doNothing())
        .returning('key')
        .executeTakeFirst();
      if (first !== undefined) return undefined;

      let query = db.selectFrom('idempotency').selectAll().select(interrupted.as('interrupted'));
      for (const [column, value] of where(request)) query = query.where(column, '=', value);
      const earlier = await query.executeTakeFirst();
      if (earlier === undefined)
        throw new Fault('conflict', 'A request with this Idempotency-Key just ended; repeat it.');
      if (!earlier.request_digest.equals(digest)) {
        throw usedForAnother();
      }
      if (earlier.status !== null && earlier.answer !== null) {
        return { status: earlier.status, body: sealer.open(earlier.answer, placeOf(request)) };
      }
      if (earlier.interrupted) {
        throw new Fault(
          'outcome_unknown',
          'An earlier request with this Idempotency-Key was interrupted; look before repeating.',
        );
      }
      throw new Fault('conflict', 'A request with this Idempotency-Key is still being handled.', {
        retryAfterMs: 1_000,
      });
    },

    finish: async (request, { status, body }) => {
      let query = store
        .of(request.workspaceId)
        .updateTable('idempotency')
        .set({ status, answer: sealer.seal(body, placeOf(request)) });
      for (const [column, value] of where(request)) query = query.where(column, '=', value);
      await query.execute();
    },

    release: async (request) => {
      let query = store.of(request.workspaceId).deleteFrom('idempotency');
      for (const [column, value] of where(request)) query = query.where(column, '=', value);
      await query.execute();
    },

    sweep: async () => {
      await removePast(store.system, 'idempotency', sql`created_at < now() - interval '24 hours'`);
    },
  };
};
