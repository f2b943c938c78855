import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';

let bench: Workbench;
let credentials: { key: string; token: string }[];
beforeAll(async () => {
  bench = await workbench();
  credentials = (
    (await (await fetch(`${bench.board.url}/_control/credentials`)).json()) as { members: typeof credentials }
  ).members;
});
afterAll(() => bench[Symbol.asyncDispose]());

const connect = (member: number, more: Record<string, unknown> = {}) => {
  const { key, token } = credentials[member] ?? { key: '', token: '' };
  return bench.owned('POST', '/v1/accounts', {
    integration: 'board',
    auth: { type: 'key_token', key, token },
    ...more,
  });
};
const whoAmI = (accountId?: string) =>
  bench.owned('POST', '/v1/steps/board.api_call/run', {
    accountId,
    input: { method: 'GET', endpoint: '/1/members/me' },
  });

const query = async (text: string, values: unknown[] = []) => {
  const client = new pg.Client({ connectionString: bench.connectionString });
  await client.connect();
  await client.query("select set_config('app.workspace', '*', false)");
  const { rows } = await client.query(text, values);
  await client.end();
  return rows;
};

test('a credential that the service refuses is not stored', async () => {
  const { status, body } = await bench.owned('POST', '/v1/accounts', {
    integration: 'board',
    auth: { type: 'key_token', key: '0'.repeat(32), token: 'wrong' },
  });
  expect([status, body.error.code]).toEqual([400, 'invalid_input']);
  expect((await bench.owned('GET', '/v1/accounts')).body.items).toEqual([]);
});

test.each([
  ['an unknown integration', { integration: 'fax', auth: { type: 'key_token' } }, 'there are: board'],
  ['an unknown way to connect', { integration: 'board', auth: { type: 'telepathy' } }, 'use one of: key_token'],
  ['a missing field', { integration: 'board', auth: { type: 'key_token', key: '0'.repeat(32) } }, 'incomplete'],
])('%s is refused with what there is', async (_, body, expected) => {
  const { status, body: answer } = await bench.owned('POST', '/v1/accounts', body);
  expect(status).toBe(400);
  expect(JSON.stringify(answer)).toContain(expected);
});

test('connecting a known identity updates its account and keeps its name', async () => {
  const { body: first } = await connect(0, { name: 'Mine' });
  const { body: second } = await connect(0);
  expect(second).toMatchObject({ id: first.id, name: 'Mine', state: 'connected' });
});

test('one account may be left out, several are listed and none is guessed', async () => {
  expect((await whoAmI()).body).toMatchObject({ account: { name: 'Mine' }, output: { status: 200 } });
  const { body: second } = await connect(1);
  const { status, body } = await whoAmI();
  expect(status).toBe(400);
  expect(body.error.details.candidates.map(({ name }: { name: string }) => name)).toEqual([second.name, 'Mine']);
  const found = async (asked: string) =>
    (await bench.owned('GET', `/v1/accounts?${asked}`)).body.items.map(({ id }: { id: string }) => id);
  expect(await found(`query=${second.identity.username.toUpperCase()}`)).toEqual([second.id]);
  await bench.owned('PATCH', `/v1/accounts/${second.id}`, { paused: true });
  expect(await found('state=paused')).toEqual([second.id]);
  const { candidates } = (await whoAmI()).body.error.details;
  expect(candidates).toEqual([
    { id: second.id, name: second.name, state: 'paused' },
    { id: expect.any(String), name: 'Mine' },
  ]);
  expect(await found(`state=connected&query=${second.identity.username}`)).toEqual([]);
  await bench.owned('DELETE', `/v1/accounts/${second.id}`);
});

test('a paused account is not used until it is resumed, also when it is connected again', async () => {
  const { body: account } = await connect(0);
  await bench.owned('PATCH', `/v1/accounts/${account.id}`, { state: 'paused' });
  const seen = bench.board.control.log.list().length;
  expect((await whoAmI(account.id)).body.error).toMatchObject({
    code: 'conflict',
    details: { accountId: account.id },
  });
  expect(bench.board.control.log.list()).toHaveLength(seen);
  expect((await connect(0)).body).toMatchObject({ id: account.id, state: 'paused' });
  const refused = async () => {
    bench.board.control.faults.add({ match: { path: '/1/members/me' }, kind: 'status', status: 401, times: 1 });
    return (await bench.owned('POST', `/v1/accounts/${account.id}/test`)).body.account.state;
  };
  expect(await refused()).toBe('needs_reconnect');
  expect((await connect(0)).body).toMatchObject({ id: account.id, state: 'paused' });
  expect(await refused()).toBe('needs_reconnect');
  expect((await bench.owned('POST', `/v1/accounts/${account.id}/test`)).body.account.state).toBe('paused');
  await bench.owned('PATCH', `/v1/accounts/${account.id}`, { paused: false });
  expect((await whoAmI(account.id)).status).toBe(200);
});

test('a test of a revoked credential says so and marks the account; one that works again clears it', async () => {
  const { body: account } = await connect(0);
  bench.board.control.faults.add({ match: { path: '/1/members/me' }, kind: 'status', status: 401, times: 1 });
  const failed = await bench.owned('POST', `/v1/accounts/${account.id}/test`);
  expect(failed.body).toMatchObject({ works: false, account: { state: 'needs_reconnect' } });
  const paused = await bench.owned('PATCH', `/v1/accounts/${account.id}`, { state: 'paused' });
  expect(paused.body.error.message).toBe('This account must be connected again, so this cannot be done now.');
  const { code, details } = (await whoAmI(account.id)).body.error;
  expect([code, details]).toEqual(['reconnect_needed', { accountId: account.id, runId: expect.any(String) }]);
  const works = await bench.owned('POST', `/v1/accounts/${account.id}/test`);
  expect(works.body).toMatchObject({ works: true, account: { state: 'connected' } });
});

describe('disconnecting', () => {
  test('ends access: the credential is gone from the database and no call is made with it, while others go on', async () => {
    const { body: other } = await connect(0);
    const { body: account } = await connect(1);
    expect((await bench.owned('DELETE', `/v1/accounts/${account.id}`)).status).toBe(204);
    const seen = bench.board.control.log.list().length;
    expect(await whoAmI(account.id)).toMatchObject({
      status: 404,
      body: { error: { message: expect.stringContaining('was disconnected') } },
    });
    expect(bench.board.control.log.list()).toHaveLength(seen);
    const [row] = await query('select state, credential from accounts where id = $1', [account.id]);
    expect(row).toEqual({ state: 'disconnected', credential: null });
    expect((await whoAmI(other.id)).status).toBe(200);
  });

  test('ends the calls that are on the wire', async () => {
    const { body: account } = await connect(1);
    bench.board.control.faults.add({ match: { path: '/1/boards' }, kind: 'latency', ms: 20_000, times: 5 });
    const input = { method: 'GET', endpoint: '/1/boards/000000000000000000000000' };
    const calls = Array.from({ length: 5 }, () =>
      bench.owned('POST', '/v1/steps/board.api_call/run', { accountId: account.id, input }),
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    await bench.owned('DELETE', `/v1/accounts/${account.id}`);
    const answers = await Promise.all(calls);
    expect(answers.map(({ body }) => body.error.code)).toEqual(Array(5).fill('upstream_unavailable'));
    bench.board.control.faults.clear();
    const { items } = (await bench.owned('GET', '/v1/runs?status=failed&limit=1')).body;
    const again = await bench.owned('POST', `/v1/runs/${items[0].id}/retry`, {});
    expect([again.status, again.body.error?.message]).toEqual([409, expect.stringContaining('was disconnected')]);
  });

  test('twice is no mistake, and connecting again makes a new account', async () => {
    const { body: account } = await connect(1);
    await bench.owned('DELETE', `/v1/accounts/${account.id}`);
    expect((await bench.owned('DELETE', `/v1/accounts/${account.id}`)).status).toBe(204);
    expect((await connect(1)).body.id).not.toBe(account.id);
  });
});

test('swapping two sealed rows makes both unreadable, and nothing is called', async () => {
  const [{ body: one }, { body: two }] = [await connect(0), await connect(1)];
  await query(
    `update accounts a set credential = b.credential from accounts b
     where (a.id, b.id) in (($1, $2), ($2, $1))`,
    [one.id, two.id],
  );
  const seen = bench.board.control.log.list().length;
  for (const id of [one.id, two.id]) expect((await whoAmI(id)).body.error.code).toBe('reconnect_needed');
  expect(bench.board.control.log.list()).toHaveLength(seen);
});
