import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Store } from '#store';
import { freshStore } from '../../test/fresh-store.ts';
import { readInVain } from '../../test/read-in-vain.ts';
import { nextInLane } from './cancelling.ts';
import { orphaned } from './leases.ts';

let opened: Awaited<ReturnType<typeof freshStore>>;
let store: Store;

beforeAll(async () => {
  opened = await freshStore();
  store = opened.store;
  await sql`insert into workspaces (workspace_id, name, created_at) values ('ws', 'ws', now())`.execute(store.system);
  await sql`insert into runs (id, workspace_id, step_id, status, started_by, input, may_send, attempts, created_at, lease_until)
    select 'run_' || n, 'ws', 'board.api_call', 'queued', '{}', '{}', true, 1, now(),
      case when n > 2 then now() + interval '1 hour' else now() - interval '1 hour' end
    from generate_series(1, 2000) n`.execute(store.system);
  await sql`analyze`.execute(store.system);
  // After it was counted how many wait: as much as in a minute that brings more than the day before.
  await sql`insert into runs (id, workspace_id, step_id, status, started_by, input, may_send, attempts, created_at, lane, lane_order)
    select 'run_lane_' || n, 'ws', 'board.api_call', 'queued', '{}', '{}', true, 0, now(), 'lane', md5(n::text)
    from generate_series(1, 2000) n`.execute(store.system);
});
afterAll(() => opened[Symbol.asyncDispose]());

test('runs whose process is gone are found without going through those that wait', async () => {
  const { rows } = await orphaned.execute(store.system);
  expect(rows).toHaveLength(2);
  const { sql: text, parameters } = orphaned.compile(store.system);
  expect(await readInVain(store, text, parameters)).toBe(0);
});

test('the next of a lane is taken, or called, without going through those that wait behind it', async () => {
  const lookedAt = await store.system.transaction().execute(async (tx) => {
    const look = async (statement: RawBuilder<unknown>) => {
      const { rows } = await sql<{ 'QUERY PLAN': readonly [{ Plan: { 'Shared Hit Blocks': number } }] }>`
        explain (analyze, buffers, format json) ${statement}`.execute(tx);
      return rows[0]?.['QUERY PLAN'][0].Plan['Shared Hit Blocks'] ?? Number.NaN;
    };
    const take = sql`select take_run('ws', 'run_lane_7', 'somebody', interval '1 min')`;
    const call = nextInLane('ws', 'lane', 60_000);
    // With nobody begun, and behind one that has.
    return [await look(call), await look(take), await look(take), await look(call)];
  });
  expect(Math.max(...lookedAt)).toBeLessThan(500);
  const { rows } = await sql`select attempts from runs where lane is not null order by lane_order limit 2`.execute(
    store.system,
  );
  expect(rows).toEqual([{ attempts: 1 }, { attempts: 0 }]);
});
