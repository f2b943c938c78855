import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { defaultIntervals } from '#clock';
import { type Inventory, makeInventory } from './inventory.ts';
import { openReceiver } from './webhook-receiver.ts';
import { type Answer, callerFor, type Tenant, type Workbench, workbench } from './workbench.ts';

let bench: Workbench;
let second: { origin: string };
let house: string;
let doomed: Tenant;
let neighbour: Tenant;
let held: Inventory;
let receiver: Awaited<ReturnType<typeof openReceiver>>;
let db: pg.Client;

beforeAll(async () => {
  receiver = await openReceiver();
  bench = await workbench({
    mail: true,
    reachable: true,
    config: { intervals: { ...defaultIntervals, sweepMs: 200 } },
  });
  second = await bench.startProcess();
  house = (await bench.owned('GET', '/v1/workspace')).body.id;
  doomed = await bench.newTenant('Doomed');
  neighbour = await bench.newTenant('Neighbour');
  held = await makeInventory(bench, doomed, { name: 'doomed', receiver: receiver.url });
  await makeInventory(bench, neighbour, { name: 'neighbour', receiver: receiver.url });
  db = new pg.Client({ connectionString: bench.connectionString });
  await db.connect();
  await db.query(`set app.workspace = '*'`);
});
afterAll(async () => {
  await db.end();
  await bench[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const remove = (id: string, credential: { cookie?: string; key?: string }) =>
  bench.call('DELETE', `/v1/workspaces/${id}`, credential);

/** How many rows each table holds of a workspace; tables that hold none are left out. */
const rowsOf = async (workspaceId: string): Promise<Record<string, number>> => {
  const { rows: tables } = await db.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await db.query(`select count(*)::integer as n from "${name}" where workspace_id = $1`, [
      workspaceId,
    ]);
    if (rows[0].n > 0) counts[name] = rows[0].n;
  }
  return counts;
};

describe('a workspace is deleted', () => {
  test('by nobody but an owner of it', async () => {
    const link = await bench.call('POST', `/v1/members/${held.member}/sign-in-link`, { key: doomed.key });
    const viewer = await bench.signIn(link.body.url);
    expect((await remove(doomed.workspaceId, { cookie: viewer })).status).toBe(403);
    expect((await remove(doomed.workspaceId, { key: doomed.key })).status).toBe(403);

    // An owner elsewhere, who is a viewer here, and a stranger.
    const own = await bench.call('POST', '/v1/members', {
      key: neighbour.key,
      body: { email: 'only@doomed.test', role: 'owner' },
    });
    const there = await bench.call('POST', `/v1/members/${own.body.id}/sign-in-link`, { key: neighbour.key });
    const elsewhere = await bench.signIn(there.body.url);
    const [theirs, nobodys] = [
      await remove(doomed.workspaceId, { cookie: elsewhere }),
      await remove('ws_unknown', { cookie: elsewhere }),
    ];
    expect([theirs.status, theirs.body.error.message]).toEqual([404, nobodys.body.error.message]);
    await bench.call('DELETE', `/v1/members/${own.body.id}`, { key: neighbour.key });
  });

  test('but not the first one, where the terminal and the operator’s key lead', async () => {
    const refused = await remove(house, { cookie: await bench.signInAsOwner() });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    expect((await bench.owned('GET', '/v1/workspace')).status).toBe(200);
  });
});

describe('when a workspace has been deleted', () => {
  let before: Record<string, number>;
  let registration: string;
  let underWay: Promise<Answer>;
  beforeAll(async () => {
    await vi.waitFor(async () => {
      const { rows } = await db.query(
        `select registration ->> 'id' as id from watches where workspace_id = $1 and registration is not null`,
        [doomed.workspaceId],
      );
      registration = rows[0].id;
    }, 45_000);
    expect(bench.board.world.webhooks.has(registration)).toBe(true);
    before = await rowsOf(neighbour.workspaceId);
    const endpoint = '/1/boards/000000000000000000000000';
    bench.board.control.faults.add({ match: { path: endpoint }, kind: 'latency', ms: 20_000 });
    underWay = bench.call('POST', '/v1/steps/board.api_call/run', {
      key: doomed.key,
      body: { accountId: held.account, input: { method: 'GET', endpoint } },
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await remove(doomed.workspaceId, { cookie: doomed.cookie })).status).toBe(204);
  });

  test('what was under way at that moment has ended', async () => {
    expect((await underWay).body.error).toBeDefined();
  });

  test('no key opens it any more, in any process', async () => {
    for (const { origin } of [bench, second])
      expect((await callerFor(origin)('GET', '/v1/runs', { key: doomed.key })).status).toBe(401);
  });

  test('who deleted it goes on in another workspace, and nobody finds it there', async () => {
    const session = await bench.call('GET', '/v1/session', { cookie: doomed.cookie });
    expect([session.status, session.body.workspace.id]).toEqual([200, house]);
    const { body } = await bench.call('GET', '/v1/workspaces', { cookie: doomed.cookie });
    expect(body.items.map(({ id }: { id: string }) => id)).not.toContain(doomed.workspaceId);
    expect((await remove(doomed.workspaceId, { cookie: doomed.cookie })).status).toBe(404);
  });

  test('its members are gone with it, unless they belong elsewhere', async () => {
    const { rows } = await db.query('select email from people order by email');
    expect(rows).toEqual([{ email: 'only@neighbour.test' }, { email: 'owner@switchboard.local' }]);
  });

  test('its accounts have left the services, with what they had registered', async () => {
    const { rows } = await db.query(
      `select id from accounts where workspace_id = $1 and (state <> 'disconnected' or credential is not null)`,
      [doomed.workspaceId],
    );
    expect([rows, bench.board.world.webhooks.has(registration)]).toEqual([[], false]);
  });

  test('within minutes nothing at all is left of it, and nothing else is touched', async () => {
    expect(Object.keys(await rowsOf(doomed.workspaceId))).toEqual(expect.arrayContaining(['events', 'runs', 'audit']));
    await db.query(`update workspaces set deleted_at = deleted_at - interval '1 min' where workspace_id = $1`, [
      doomed.workspaceId,
    ]);
    await expect.poll(() => rowsOf(doomed.workspaceId)).toEqual({});
    const after = await rowsOf(neighbour.workspaceId);
    // Budgets fill up by themselves.
    const fewer = Object.keys(before).filter(
      (table) => table !== 'budgets' && (after[table] ?? 0) < (before[table] ?? 0),
    );
    expect(fewer).toEqual([]);
    expect((await bench.call('GET', '/v1/accounts', { key: neighbour.key })).body.items).toHaveLength(2);
  });
});
