import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootstrapKey, callerFor, type Workbench, workbench } from '#test';

let bench: Workbench;
let second: { origin: string; stop(): Promise<void> };
beforeAll(async () => {
  bench = await workbench({ mail: true });
  second = await bench.startProcess('api');
  bench.board.limits.set({ off: true });
});
afterAll(() => bench[Symbol.asyncDispose]());

const run = (accountId: string, origin: string, endpoint: string) =>
  callerFor(origin)('POST', '/v1/steps/board.api_call/run', {
    key: bootstrapKey,
    body: { accountId, input: { method: 'GET', endpoint } },
  });
const connect = async (method: 'oauth2' | 'authorize', as = 'ada'): Promise<string> => {
  bench.board.consent.current = { mode: 'auto', as };
  const visitor = bench.visitor();
  const { body } = await bench.owned('POST', '/v1/connect', { integration: 'board', method });
  if (body.url === undefined) throw new Error(JSON.stringify(body));
  const page = await visitor.visit(body.url);
  return (method === 'oauth2' ? page : await visitor.bringFragment(page)).accountId ?? '';
};
const audited = async (target: string): Promise<string[]> => {
  const { body } = await bench.owned('GET', '/v1/audit?limit=20');
  return body.items
    .filter((item: { target: string }) => item.target === target)
    .map((item: { action: string; details: { reason?: string } }) =>
      [item.action, item.details.reason ?? ''].join(' ').trim(),
    );
};
const slow = '/1/boards/000000000000000000000000';
/** Calls that hang are noted when the service gets round to answering them, long after they arrived. */
const noted = () => bench.board.control.log.list().filter(({ path }) => path !== slow);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('with 50 calls in flight in two processes, nothing is sent after it returns and all calls end', async () => {
  const id = await bench.connectBoard();
  const quick = `/1/lists/${bench.board.newList().id}`;
  bench.board.control.faults.add({ match: { path: slow }, kind: 'latency', ms: 20_000 });
  const at = (n: number) => (n % 2 === 0 ? bench.origin : second.origin);
  const hanging = Array.from({ length: 50 }, (_, n) => run(id, at(n), slow));
  await pause(500);
  expect((await run(id, at(0), quick)).status).toBe(200);
  // Some begin before, some while and some after the account is disconnected.
  const others = Array.from({ length: 40 }, async (_, n) => {
    await pause(n * 40);
    return run(id, at(n), quick);
  });
  await pause(400);
  const { status } = await bench.owned('DELETE', `/v1/accounts/${id}`);
  const seen = noted().length;
  expect(status).toBe(204);
  const ended = await Promise.race([Promise.all(hanging), pause(15_000)]);
  expect(Array.isArray(ended) && ended.every(({ body }) => body.error !== undefined)).toBe(true);
  await Promise.all(others);
  const late = await Promise.all([0, 1].map((n) => run(id, at(n), quick)));
  expect(late.map((answer) => answer.status)).toEqual([404, 404]);
  expect(noted().slice(seen)).toEqual([]);
  bench.board.control.faults.clear();
});

describe('what was granted to us is ended at the service', () => {
  test.each(['oauth2', 'authorize'] as const)('by %s', async (method) => {
    const id = await connect(method);
    const seen = noted().length;
    await bench.owned('DELETE', `/v1/accounts/${id}`);
    const calls = noted().slice(seen);
    expect(calls.map((call) => `${call.method} ${call.path} ${call.status}`)).toEqual(['DELETE /1/tokens/… 200']);
    expect((await audited(id)).slice(0, 2)).toEqual(['account.revoked', 'account.disconnected']);
    const { items } = (await bench.owned('GET', '/v1/audit?action=account.disconnected&limit=1')).body;
    expect(items).toMatchObject([{ target: id, details: { integration: 'board', name: 'ada' } }]);
  });

  test('and a failure to do so is recorded while the disconnect stands', async () => {
    const id = await connect('oauth2');
    bench.board.control.faults.add({ match: { method: 'DELETE', path: '/1/tokens' }, kind: 'status', status: 500 });
    expect((await bench.owned('DELETE', `/v1/accounts/${id}`)).status).toBe(204);
    bench.board.control.faults.clear();
    expect((await audited(id))[0]).toBe('account.not_revoked failed');
    expect((await bench.owned('GET', `/v1/accounts/${id}`)).body.state).toBe('disconnected');
  });

  /** What is ended at the service after somebody came back from it and it would not tell who they are. */
  const endedUnnamed = async (method: 'oauth2' | 'authorize'): Promise<string[]> => {
    const fault = { match: { path: '/1/members/me' }, kind: 'status', status: 400 } as const;
    bench.board.control.faults.add(fault);
    const seen = noted().length;
    expect(await connect(method)).toBe('');
    bench.board.control.faults.clear();
    return revoked(seen);
  };
  const revoked = (since: number) =>
    noted()
      .slice(since)
      .filter(({ method }) => method === 'DELETE')
      .map(({ path, status }) => `${path} ${status}`);

  test.each(['oauth2', 'authorize'] as const)('by %s, also when it does not tell whose it is', async (method) => {
    expect(await endedUnnamed(method)).toEqual(['/1/tokens/… 200']);
  });

  test('but not while another account lives on the same token', async () => {
    const tenant = await bench.newTenant('Neighbour');
    const mine = await connect('authorize');
    const visitor = bench.visitor();
    const { body } = await bench.call('POST', '/v1/connect', {
      key: tenant.key,
      body: { integration: 'board', method: 'authorize' },
    });
    await visitor.bringFragment(await visitor.visit(body.url));
    await bench.owned('DELETE', `/v1/accounts/${mine}`);
    expect((await audited(mine))[0]).toBe('account.not_revoked in_use_elsewhere');
    const { body: works } = await bench.call('POST', `/v1/accounts/${tenant.accountId}/test`, { key: tenant.key });
    expect(works.works).toBe(true);
    // Of a token that is nobody's by name it may be the one.
    expect(await endedUnnamed('authorize')).toEqual([]);
  });

  const reconnecting = async (method: 'oauth2' | 'authorize') => {
    // The neighbour lives on Ada's token.
    const id = await connect(method, 'ben');
    const visitor = bench.visitor();
    const request = { integration: 'board', method, accountId: id };
    const link: string = (await bench.owned('POST', '/v1/connect', request)).body.url;
    const service = await visitor.peek(link);
    const comeBack = async () => {
      const page = await visitor.visit(service);
      return method === 'oauth2' ? page : visitor.bringFragment(page);
    };
    return { id, link, visitor, comeBack };
  };
  const over = 'This link no longer works';

  test.each(['oauth2', 'authorize'] as const)('also what comes back by %s to a link of before', async (method) => {
    const { id, link, visitor, comeBack } = await reconnecting(method);
    await bench.owned('DELETE', `/v1/accounts/${id}`);
    const seen = noted().length;

    const page = await comeBack();

    expect([page.heading, page.text.includes('href="/connect/')]).toEqual([over, false]);
    expect(revoked(seen)).toEqual(['/1/tokens/… 200']);
    // Nobody is sent to the service in vain.
    expect((await visitor.visit(link)).heading).toBe(over);
  });

  test('also what comes back in the moment of the disconnect, and no other account takes its place', async () => {
    const { id, comeBack } = await reconnecting('oauth2');
    const client = new pg.Client({ connectionString: bench.connectionString });
    await client.connect();
    await client.query("select set_config('app.workspace', '*', false)");
    const key = "hashtextextended('connect ' || workspace_id || ' ' || integration || ' ' || identity_id, 0)";
    await client.query(`select pg_advisory_lock(${key}) from accounts where id = $1`, [id]);
    const coming = comeBack();
    const waiting = `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`;
    await expect.poll(async () => (await client.query(waiting)).rows[0].n).toBe(1);
    await bench.owned('DELETE', `/v1/accounts/${id}`);
    const seen = noted().length;
    await client.end();

    expect((await coming).heading).toBe(over);
    expect(revoked(seen)).toEqual(['/1/tokens/… 200']);
    const { body } = await bench.owned('GET', '/v1/accounts?integration=board&state=connected');
    expect(body.items.map((account: { id: string }) => account.id).filter((each: string) => each > id)).toEqual([]);
  });

  test('and a key and token that somebody typed stay theirs', async () => {
    const id = await bench.connectBoard();
    const seen = noted().length;
    await bench.owned('DELETE', `/v1/accounts/${id}`);
    expect(noted()).toHaveLength(seen);
  });
});

test('a refresh under way in another process stores nothing afterwards', async () => {
  const id = await bench.connectMail();
  bench.mail.world.tokens.expire();
  bench.mail.control.faults.add({ match: { path: '/common/oauth2' }, kind: 'latency', ms: 900, times: 1 });
  const call = callerFor(second.origin)('POST', '/v1/steps/mail.api_call/run', {
    key: bootstrapKey,
    body: { accountId: id, input: { method: 'GET', endpoint: '/me' } },
  });
  await pause(300);
  await bench.owned('DELETE', `/v1/accounts/${id}`);
  expect((await call).status).not.toBe(200);
  await pause(600);
  const client = new pg.Client({ connectionString: bench.connectionString });
  await client.connect();
  await client.query("select set_config('app.workspace', '*', false)");
  const { rows } = await client.query('select state, credential from accounts where id = $1', [id]);
  await client.end();
  expect(rows).toEqual([{ state: 'disconnected', credential: null }]);
});
