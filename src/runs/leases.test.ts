import { type RawBuilder, sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultIntervals } from '#clock';
import { silentLog } from '#log';
import type { Store } from '#store';
import { freshStore } from '../../test/fresh-store.ts';
import { readInVain } from '../../test/read-in-vain.ts';
import { nextInLane } from './cancelling.ts';
import { type Cancelled, createLeases, type Leases, orphaned } from './leases.ts';

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

describe('a process', () => {
  const intervals = { ...defaultIntervals, leaseMs: 60_000, leaseRenewMs: 20 };
  let here: Leases;
  beforeEach(async () => {
    here = createLeases({ store, log: silentLog, intervals });
    await sql`delete from runs`.execute(store.system);
  });
  afterEach(() => here.close());

  /** Runs whose lease ends in a second, unless said otherwise. */
  const insert = async (id: string, as: { owner?: string | null; status?: string; endsIn?: number } = {}) => {
    const { owner = here.owner, status = 'running', endsIn = 1 } = as;
    await sql`insert into runs (id, workspace_id, status, started_by, input, may_send, attempts, created_at, lease_owner, lease_until)
      values (${id}, 'ws', ${status}, '{}', '{}', true, 1, now(), ${owner}, now() + make_interval(secs => ${endsIn}))`.execute(
      store.system,
    );
  };
  const runs = async () => {
    const { rows } = await sql<{ id: string; status: string; owner: string | null; left: number }>`
      select id, status, lease_owner as owner, round(extract(epoch from lease_until - now()))::integer as left
      from runs order by id`.execute(store.system);
    return rows;
  };
  const about = (seconds: number) => expect.closeTo(seconds, -1);
  const held = { workspace_id: 'ws', id: 'run_a', attempts: 1 };

  test('keeps what it works on and what is still its own, and learns there what is to be cancelled', async () => {
    await insert('run_a');
    await insert('run_b', { owner: 'somebody else' });
    await insert('run_c');
    await sql`update runs set cancel_asked = '{}' where id = 'run_a'`.execute(store.system);
    const until = ({ signal }: Cancelled) => new Promise((resolve) => signal.addEventListener('abort', resolve));
    const cancelled = Promise.withResolvers<void>();
    const other = here.holding({ ...held, id: 'run_b' }, async ({ signal }) => {
      await cancelled.promise;
      return signal.aborted;
    });
    await here.holding(held, until);
    cancelled.resolve();
    expect([await other, here.held()]).toEqual([false, 0]);
    expect((await runs()).map(({ id, left }) => [id, left > 30])).toEqual([
      ['run_a', true],
      ['run_b', false],
      ['run_c', false],
    ]);
  });

  test('goes on with what it was given once more, until somebody else had it in between or it is let go', async () => {
    await insert('run_a');
    expect(await here.goesOn({ ...held, attempts: 2 })).toBe(false);
    await here.holding(held, async () => {
      expect(await here.goesOn({ ...held, attempts: 2 })).toBe(true);
      expect(await here.goesOn({ ...held, attempts: 3 })).toBe(true);
      expect(await runs()).toMatchObject([{ owner: here.owner, status: 'running' }]);
      expect(await here.goesOn({ ...held, attempts: 5 })).toBe(true);
      expect(await runs()).toMatchObject([{ owner: null, status: 'queued', left: about(60) }]);
      here.letsGo('run_a');
      expect(await here.goesOn({ ...held, attempts: 6 })).toBe(false);
      await here.holding({ ...held, attempts: 6 }, async () => expect(here.held()).toBe(1));
    });
    expect(here.held()).toBe(0);
  });

  test('gives back only what is its own and open, and at once what is to be cancelled', async () => {
    await insert('run_a');
    await insert('run_b', { owner: 'somebody else' });
    await insert('run_c', { status: 'waiting_approval' });
    await insert('run_d');
    await sql`update runs set cancel_asked = '{}' where id = 'run_d'`.execute(store.system);
    for (const { id } of (await runs()).slice(0, 3)) await here.giveBack({ workspaceId: 'ws', runId: id }, 30_000);
    expect(await runs()).toMatchObject([
      { status: 'queued', owner: null, left: about(30) },
      { status: 'running', owner: 'somebody else' },
      { status: 'waiting_approval', owner: here.owner },
      { status: 'running', owner: here.owner },
    ]);
    await here.giveBack({ workspaceId: 'ws', runId: 'run_d' }, 30_000);
    expect((await runs()).at(-1)).toMatchObject({ status: 'queued', owner: null, left: about(0) });
  });

  test("hands over what is nobody's once, and nothing of a workspace that is stopped", async () => {
    await insert('run_a', { endsIn: -1 });
    await insert('run_b', { endsIn: 30 });
    await insert('run_c', { endsIn: -1, status: 'waiting_approval' });
    const handedOver: string[][] = [];
    const collect = () =>
      here.collectOrphans(async (_, orphans) => void handedOver.push(orphans.map(({ runId }) => runId)));
    const stop = (at: Date | null) => sql`update workspaces set stopped_at = ${at}`.execute(store.system);
    await stop(new Date());
    await collect();
    await stop(null);
    await collect();
    await collect();
    expect(handedOver).toEqual([['run_a']]);
    expect(await runs()).toMatchObject([{ owner: null, left: about(180) }, { left: about(30) }, { owner: here.owner }]);
  });
});
