import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultIntervals } from '#clock';
import { bootstrapKey, callerFor, type Workbench, workbench } from '#test';

let bench: Workbench;
let second: { origin: string; stop(): Promise<void> };
beforeAll(async () => {
  const intervals = { ...defaultIntervals, leaseMs: 1_000, leaseRenewMs: 300 };
  bench = await workbench({ mail: true, config: { intervals } });
  second = await bench.startProcess('api');
});
afterAll(() => bench[Symbol.asyncDispose]());
beforeEach(async () => {
  bench.mail.reset();
  await fetch(`${bench.mail.url}/_control/limits`, { method: 'POST', body: '{"off":true}' });
  bench.mail.control.faults.clear();
  bench.board.reset();
});

const inputs: Record<string, unknown> = {
  'mail.list_folders': {},
  'board.get_boards': {},
  'board.api_call': { method: 'GET', endpoint: '/1/members/me' },
};
const run = (accountId: string, origin = bench.origin, step = 'mail.list_folders') =>
  callerFor(origin)('POST', `/v1/steps/${step}/run`, { key: bootstrapKey, body: { accountId, input: inputs[step] } });
const tokenCalls = () => bench.mail.control.log.list(0, '/oauth2/v2.0/token');
const account = async (id: string) => (await bench.owned('GET', `/v1/accounts/${id}`)).body;
const connectBoard = async () => {
  bench.board.consent.current = { mode: 'auto', as: 'ada' };
  const { body } = await bench.owned('POST', '/v1/connect', { integration: 'board', method: 'oauth2' });
  return (await bench.visitor().visit(body.url)).accountId ?? '';
};
const query = async (text: string, values: unknown[] = []) => {
  const client = new pg.Client({ connectionString: bench.connectionString });
  await client.connect();
  await client.query("select set_config('app.workspace', '*', false)");
  const { rows } = await client.query(text, values);
  await client.end();
  return rows;
};

test('40 parallel calls in two processes at expiry: one refresh, no call fails', async () => {
  const id = await bench.connectMail();
  bench.mail.world.tokens.expire();
  bench.mail.control.log.clear();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => run(id, n % 2 === 0 ? bench.origin : second.origin)),
  );
  expect(answers.flatMap(({ status, body }) => (status === 200 ? [] : [body.error]))).toEqual([]);
  expect(tokenCalls()).toHaveLength(1);
});

test('a rotating server is refreshed once, too, and again at the next expiry', async () => {
  const id = await connectBoard();
  for (const round of [1, 2]) {
    bench.board.control.clock.advance(3_600_001);
    bench.board.control.log.clear();
    const calls = Array.from({ length: 40 }, (_, n) =>
      run(id, n % 2 === 0 ? bench.origin : second.origin, 'board.get_boards'),
    );
    const answers = await Promise.all(calls);
    expect([round, ...answers.map(({ status }) => status)]).toEqual([round, ...Array(40).fill(200)]);
    expect(bench.board.control.log.list(0, '/oauth/token')).toHaveLength(1);
  }
});

test('a credential is renewed before it ends, so no call is refused', async () => {
  const id = await bench.connectMail();
  const later = await bench.startProcess('api', { clockOffsetMs: 3_599_000 - 110_000 });
  bench.mail.control.log.clear();
  expect((await run(id, later.origin)).status).toBe(200);
  expect(tokenCalls()).toHaveLength(1);
  expect(bench.mail.control.log.list().filter(({ status }) => status === 401)).toEqual([]);
  await later.stop();
});

test('while the token server is slow, others wait for the one refresh', async () => {
  const id = await bench.connectMail();
  bench.mail.world.tokens.expire();
  bench.mail.control.log.clear();
  // Longer than the right to renew lasts without a sign of life.
  bench.mail.control.faults.add({ match: { path: '/common/oauth2/v2.0/token' }, kind: 'latency', ms: 2_000 });
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => run(id, n % 2 === 0 ? bench.origin : second.origin)),
  );
  expect(answers.flatMap(({ status, body }) => (status === 200 ? [] : [body.error]))).toEqual([]);
  expect(tokenCalls()).toHaveLength(1);
});

test('a renewal stores what was granted in its own account alone, and not over what was granted meanwhile', async () => {
  const [id, other] = [await bench.connectMail(), await bench.connectMail('ben@sandbox.test')];
  const stored = (which: string) =>
    query('select version, credential, refresh_owner from accounts where id = $1', [which]);
  const [before, theirs] = [await stored(id), await stored(other)];
  bench.mail.world.tokens.expire();
  expect((await run(id)).status).toBe(200);
  expect(await stored(id)).not.toEqual(before);
  expect(await stored(other)).toEqual(theirs);

  bench.mail.world.tokens.expire();
  bench.mail.control.faults.add({ match: { path: '/common/oauth2/v2.0/token' }, kind: 'latency', ms: 1_500, times: 1 });
  const call = run(id);
  await expect
    .poll(() => query('select refresh_owner from accounts where id = $1', [id]))
    .not.toEqual([{ refresh_owner: null }]);
  expect(await bench.connectMail()).toBe(id);
  const again = await stored(id);
  expect((await call).status).toBe(200);
  expect(await stored(id)).toEqual(again);
});

test('a paused account stays paused when it is renewed although another process was refused meanwhile', async () => {
  const id = await bench.connectMail();
  await bench.owned('PATCH', `/v1/accounts/${id}`, { paused: true });
  bench.mail.world.tokens.expire();
  bench.mail.control.faults.add({ match: { path: '/common/oauth2/v2.0/token' }, kind: 'latency', ms: 1_500, times: 1 });
  const renewal = bench.owned('POST', `/v1/accounts/${id}/test`);
  await expect
    .poll(() => query('select refresh_owner from accounts where id = $1', [id]))
    .not.toEqual([{ refresh_owner: null }]);
  await query(`update accounts set state = 'needs_reconnect', reason = 'refused' where id = $1`, [id]);
  expect((await renewal).status).toBe(200);
  expect((await account(id)).state).toBe('paused');
  expect((await bench.owned('PATCH', `/v1/accounts/${id}`, { paused: false })).status).toBe(200);
  expect((await run(id)).status).toBe(200);
});

test('the right to renew that a dead process left behind is taken over with the same refresh token', async () => {
  const id = await bench.connectMail();
  bench.mail.world.tokens.expire();
  await query(
    `update accounts set refresh_owner = 'dead', refresh_until = clock_timestamp() + interval '1 second' where id = $1`,
    [id],
  );
  expect((await run(id)).status).toBe(200);
  expect((await account(id)).state).toBe('connected');
});

describe('a refresh that fails', () => {
  test('because the grant is dead marks the account after one attempt, with reason and record', async () => {
    const id = await bench.connectMail();
    bench.mail.world.tokens.revoke();
    bench.mail.control.log.clear();
    const answers = await Promise.all(Array.from({ length: 10 }, () => run(id)));
    expect(new Set(answers.map(({ body }) => body.error?.code))).toEqual(new Set(['reconnect_needed']));
    expect(tokenCalls()).toHaveLength(1);
    const dry = await bench.owned('POST', '/v1/steps/mail.list_labels/run', { accountId: id, input: {}, dryRun: true });
    const { connect } = dry.body.error.details;
    expect([answers[0]?.body.error.details, connect]).toMatchObject([{ accountId: id, connect }, { accountId: id }]);
    expect((await bench.owned('POST', '/v1/connect', connect)).status).toBe(201);
    expect(await account(id)).toMatchObject({
      state: 'needs_reconnect',
      reason: expect.stringContaining('invalid_grant'),
    });
    const { body } = await bench.owned('GET', '/v1/audit?limit=5');
    expect(body.items[0]).toMatchObject({ action: 'account.needs_reconnect', target: id, actor: { kind: 'system' } });

    bench.mail.control.log.clear();
    await run(id);
    expect(bench.mail.control.log.list()).toEqual([]);
    await bench.connectMail();
    expect((await run(id)).status).toBe(200);
  });

  test('because a new sign-in is wanted says so', async () => {
    const id = await bench.connectMail();
    bench.mail.world.tokens.expire();
    bench.mail.world.tokens.demandInteraction();
    expect((await run(id)).body.error.message).toContain('asks for a new sign-in');
    // What the service wants is told it where the person signs in.
    const claimsAt = async (accountId?: string) => {
      const { body } = await bench.owned('POST', '/v1/connect', { integration: 'mail', accountId });
      return new URL(await bench.visitor().peek(body.url)).searchParams.get('claims');
    };
    expect(JSON.parse((await claimsAt(id)) ?? '')).toEqual({
      access_token: { capolids: { essential: true, values: ['sandbox'] } },
    });
    expect(await claimsAt()).toBeNull();
    await bench.connectMail();
    expect((await run(id)).status).toBe(200);
    expect(await claimsAt(id)).toBeNull();
  });

  test.each([
    ['is away', { kind: 'status', status: 503 } as const],
    ['waited too long for us', { kind: 'status', status: 408 } as const],
    ['is not where it was', { kind: 'status', status: 404 } as const],
    ['breaks the connection', { kind: 'reset' } as const],
  ])('because the token server %s leaves the account as it is', async (_, fault) => {
    const id = await bench.connectMail();
    bench.mail.world.tokens.expire();
    bench.mail.control.faults.add({ match: { path: '/common/oauth2/v2.0/token' }, times: 1, ...fault });
    expect((await run(id)).body.error.code).toBe('upstream_unavailable');
    expect((await account(id)).state).toBe('connected');
    expect((await run(id)).status).toBe(200);
  });

  test("because of the operator's own app leaves the account as it is", async () => {
    const id = await bench.connectMail();
    bench.mail.world.tokens.expire();
    const app = bench.mail.world.tokens.apps.list()[0];
    if (app === undefined) throw new Error('no app');
    bench.mail.world.tokens.apps.put({ ...app, secrets: [{ value: 'another' }] });
    const { body } = await run(id);
    expect([body.error.code, body.error.message]).toEqual(['upstream_rejected', expect.stringContaining('operator')]);
    expect((await account(id)).state).toBe('connected');
    // The next call need not wait until the right to renew has passed.
    expect(await query('select refresh_owner from accounts where id = $1', [id])).toEqual([{ refresh_owner: null }]);
  });

  test('is not tried again and again: a fresh token that is refused ends it', async () => {
    const id = await bench.connectMail();
    bench.mail.control.log.clear();
    bench.mail.control.faults.add({ match: { path: '/v1.0/' }, kind: 'status', status: 401 });
    await run(id);
    expect(tokenCalls()).toHaveLength(1);
    expect((await account(id)).state).toBe('needs_reconnect');
  });
});

test('a plain key and token that the service no longer accepts marks its account at the first call', async () => {
  const id = await bench.connectBoard();
  bench.board.control.faults.add({ match: { path: '/1/members/me' }, kind: 'status', status: 401, times: 1 });
  await run(id, bench.origin, 'board.api_call');
  expect((await account(id)).state).toBe('needs_reconnect');
});
