import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { column } from '#store';
import { freshDatabase } from '../../test/database.ts';
import { plannedConnection, scansOf } from '../../test/scans-of.ts';
import { endRuns } from './lanes.ts';

/*
 * The statements that take a run and end it decide between processes; here each condition of theirs is met alone. What they do
 * together is in lanes.test.ts.
 */

let db: Awaited<ReturnType<typeof freshDatabase>>;
let client: pg.Client;
beforeAll(async () => {
  db = await freshDatabase();
  client = new pg.Client({ connectionString: db.connectionString });
  await client.connect();
  await client.query(`select set_config('app.workspace', '*', false)`);
  await client.query(`
    insert into workspaces values ('wsp_1', 'Home', now());
    insert into tools values ('tol_1', 'wsp_1', 'Comment', 4, now(), now());
    insert into agents (id, workspace_id, name, state, version, tool_ids, created_at, updated_at)
      values ('agt_1', 'wsp_1', 'Commenter', 'enabled', 2, '{tol_1}', now(), now())`);
});
beforeEach(() => client.query(`delete from runs; update workspaces set stopped_at = null`));
afterAll(async () => {
  await client.end();
  await db[Symbol.asyncDispose]();
});

type Stored = {
  id: string;
  status?: string;
  /** Its place in the lane. */
  order?: string;
  attempts?: number;
  owner?: string | null;
  /** How long its lease goes on. */
  seconds?: number;
  lane?: string | null;
};

const aRun = async ({ id, status = 'queued', order = id, lane = 'card 1', ...rest }: Stored) => {
  const { attempts = status === 'queued' ? 0 : 1, owner = status === 'running' ? 'me' : null, seconds } = rest;
  await client.query(
    `insert into runs (id, workspace_id, status, started_by, input, may_send, attempts, created_at, lane, lane_order,
      lease_owner, lease_until, finished_at)
    values ($1, 'wsp_1', $2, '{}', '{}', true, $3, now(), $4, $5, $6, clock_timestamp() + make_interval(secs => $7),
      case when $2 in ('succeeded', 'failed', 'cancelled') then now() end)`,
    [id, status, attempts, lane, order, owner, seconds ?? (owner === null ? null : 60)],
  );
};

/** A run as it stands; of its lease, to how many times ten seconds it goes on. */
const runNow = async (id: string) => {
  const { rows } = await client.query(
    `select status, attempts, lease_owner as owner, warnings,
      round(extract(epoch from lease_until - clock_timestamp()) / 10)::integer as tens from runs where id = $1`,
    [id],
  );
  return rows[0];
};

const finish = async (id = 'run_1', room = 1) => {
  const { rows } = await client.query(endRuns.text, [
    ...[column([id]), column(['wsp_1']), column(['succeeded']), column([null]), column(['["w"]']), column([null])],
    ...[column(['[]']), new Date(), 'me', room, 60],
  ]);
  return rows;
};

describe('a run that ends', () => {
  const called = (next: object) => [{ run_id: 'run_1', next_workspace: 'wsp_1', ...next }];
  const nobody = [{ run_id: 'run_1', next_workspace: null, next_id: null, next_taken: null }];

  test('is nobody’s any more, and says what was told with it', async () => {
    await aRun({ id: 'run_1', status: 'running' });
    expect(await finish()).toEqual(nobody);
    expect(await runNow('run_1')).toEqual({
      status: 'succeeded',
      attempts: 1,
      owner: null,
      warnings: ['w'],
      tens: null,
    });
  });

  test.each([
    ['another process has taken it over', { status: 'running', owner: 'you' }],
    ['a person has cancelled it meanwhile', { status: 'cancelled', owner: 'me' }],
    ['it waits for a person', { status: 'waiting_approval', owner: 'me' }],
  ])('is left as it is when %s', async (_, changed) => {
    await aRun({ id: 'run_1', ...changed });
    await aRun({ id: 'run_2' });
    expect(await finish()).toEqual([]);
    expect(await runNow('run_1')).toMatchObject(changed);
    expect(await runNow('run_2')).toMatchObject({ status: 'queued', owner: null });
  });

  test('calls the next of its lane, which is taken where there is room', async () => {
    await aRun({ id: 'run_1', status: 'running' });
    await aRun({ id: 'run_2', order: '3' });
    await aRun({ id: 'run_3', order: '2' });
    expect(await finish()).toEqual(called({ next_id: 'run_3', next_taken: true }));
    expect(await runNow('run_3')).toMatchObject({ status: 'running', attempts: 1, owner: 'me', tens: 6 });
    expect(await runNow('run_2')).toMatchObject({ status: 'queued', attempts: 0, owner: null, tens: null });
  });

  test.each([
    ['there is no room', 0, 'select'],
    ['the workspace was stopped', 1, 'update workspaces set stopped_at = now()'],
  ])('leaves the next of its lane to others, who have time to take it, when %s', async (_, room, situation) => {
    await aRun({ id: 'run_1', status: 'running' });
    await aRun({ id: 'run_2' });
    await client.query(situation);
    expect(await finish('run_1', room)).toEqual(called({ next_id: 'run_2', next_taken: false }));
    expect(await runNow('run_2')).toMatchObject({ status: 'queued', attempts: 0, owner: null, tens: 18 });
  });

  test.each<[string, Stored]>([
    ['waits for a person', { id: 'run_2', status: 'waiting_approval' }],
    ['has begun elsewhere', { id: 'run_2', status: 'running', owner: 'you' }],
    ['is being taken elsewhere', { id: 'run_2', owner: 'you' }],
    ['has begun, and its process has let it go', { id: 'run_2', status: 'running', owner: null }],
  ])('calls nobody when the next of its lane %s', async (_, next) => {
    await aRun({ id: 'run_1', status: 'running' });
    await aRun(next);
    await aRun({ id: 'run_3' });
    const before = [await runNow('run_2'), await runNow('run_3')];
    expect(await finish()).toEqual(nobody);
    expect([await runNow('run_2'), await runNow('run_3')]).toEqual(before);
  });
});

test('the end of a run goes through nothing that has left the index of open runs', async () => {
  await aRun({ id: 'run_1', status: 'running' });
  await aRun({ id: 'run_2' });
  const usual = client;
  client = await plannedConnection(db.connectionString);
  try {
    await client.query('begin');
    const scans = await scansOf(client, 'runs', finish);
    await client.query('commit');
    expect(scans.map(({ name }) => name)).toEqual(['runs_lane', 'runs_pkey']);
  } finally {
    await client.end();
    client = usual;
  }
  expect(await runNow('run_2')).toMatchObject({ status: 'running' });
});

describe('whoever asks for a run', () => {
  const take = async (id: string) => {
    const { rows } = await client.query(`select id from take_run('wsp_1', $1, 'me', interval '60 s')`, [id]);
    return rows.map((row: { id: string }) => row.id);
  };

  test('has it for as long as a lease lasts, and it counts as one more try', async () => {
    await aRun({ id: 'run_1', attempts: 2 });
    expect(await take('run_1')).toEqual(['run_1']);
    expect(await runNow('run_1')).toMatchObject({ status: 'running', attempts: 3, owner: 'me', tens: 6 });
  });

  test.each<[string, Stored, string]>([
    ['another holds it', { id: 'run_1', status: 'running', owner: 'you' }, 'select'],
    ['it has ended', { id: 'run_1', status: 'succeeded' }, 'select'],
    ['it waits for a person', { id: 'run_1', status: 'waiting_approval' }, 'select'],
    ['the workspace was stopped', { id: 'run_1' }, 'update workspaces set stopped_at = now()'],
  ])('does not get it when %s', async (_, run, situation) => {
    await aRun(run);
    await client.query(situation);
    const before = await runNow('run_1');
    expect(await take('run_1')).toEqual([]);
    expect(await runNow('run_1')).toEqual(before);
  });

  test('gets it when the lease of whoever had it has passed', async () => {
    await aRun({ id: 'run_1', status: 'running', owner: 'you', seconds: -1 });
    expect(await take('run_1')).toEqual(['run_1']);
  });

  test.each([
    ['begins with the tool as it is by then', 0, 4],
    ['goes on with the tool as it was when it began', 1, 3],
  ])('has one that %s', async (_, attempts, version) => {
    await aRun({ id: 'run_1', attempts });
    await client.query(`update runs set agent_id = 'agt_1', agent_version = 2, tool_id = 'tol_1', tool_version = 3`);
    expect(await take('run_1')).toEqual(['run_1']);
    const { rows } = await client.query('select tool_version from runs');
    expect(rows).toEqual([{ tool_version: version }]);
  });

  test.each<[string, Stored[], string[]]>([
    ['the one before it', [{ id: 'run_2', order: '0' }], ['run_2']],
    ['the one that has begun, though it comes after', [{ id: 'run_2', order: '9', attempts: 1 }], ['run_2']],
    ['none while one before it waits for a person', [{ id: 'run_2', order: '0', status: 'waiting_approval' }], []],
    ['it when those before have ended', [{ id: 'run_2', order: '0', status: 'failed' }], ['run_1']],
    ['it when those before are of another lane', [{ id: 'run_2', order: '0', lane: 'card 2' }], ['run_1']],
  ])('gets, of its lane, %s', async (_, others, expected) => {
    await aRun({ id: 'run_1', order: '1' });
    for (const other of others) await aRun(other);
    expect(await take('run_1')).toEqual(expected);
  });
});
