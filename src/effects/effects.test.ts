import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bootstrapKey, type Workbench, workbench } from '#test';
import { settle } from './write-together.ts';

let bench: Workbench;
let accountId: string;
let list: { id: string; idBoard: string };

beforeAll(async () => {
  bench = await workbench();
  accountId = await bench.connectBoard();
});
afterAll(() => bench[Symbol.asyncDispose]());
beforeEach(() => {
  bench.board.control.faults.clear();
  list = bench.board.newList();
});

const create = (name: string, headers: Record<string, string> = {}) =>
  bench.call('POST', '/v1/steps/board.create_card/run', {
    key: bootstrapKey,
    headers,
    body: { accountId, input: { idList: list.id, name } },
  });

const api = (input: Record<string, unknown>, permission?: string) =>
  bench.owned('POST', '/v1/steps/board.api_call/run', {
    accountId,
    input,
    ...(permission === undefined ? {} : { permission }),
  });

const cards = () => bench.board.cardsIn(list.id).map(({ name }) => name);
const lastRun = async () => {
  const { body } = await bench.owned('GET', '/v1/runs?limit=1');
  return (await bench.owned('GET', `/v1/runs/${body.items[0].id}`)).body;
};
const effectRecords = async () => {
  const { body } = await bench.owned('GET', '/v1/audit?limit=100');
  return body.items.filter(({ action }: { action: string }) => action.startsWith('effect.'));
};

test('an outside write has one run with a journal, and one audit record that names what it made', async () => {
  const before = (await effectRecords()).length;
  const { body } = await create('Recorded');
  const run = await lastRun();
  expect(run).toMatchObject({ id: body.runId, status: 'succeeded', stepId: 'board.create_card' });
  expect(run.journal.map(({ kind }: { kind: string }) => kind)).toEqual(['started', 'call', 'finished']);
  expect(run.journal[1].data).toMatchObject({ method: 'POST', path: '/1/cards', effect: 'write', status: 200 });
  const [record, ...older] = await effectRecords();
  expect(older).toHaveLength(before);
  expect(record).toMatchObject({ action: 'effect.sent', details: { runId: run.id, upstreamId: body.output.id } });

  // Whose answer names nothing, names it in its path.
  const [label] = bench.board.labels();
  const labelled = { accountId, input: { cardId: body.output.id, label: label?.id } };
  expect((await bench.owned('POST', '/v1/steps/board.add_label/run', labelled)).status).toBe(200);
  const [latest] = await effectRecords();
  expect(latest).toMatchObject({
    details: { upstreamId: body.output.id, path: `/1/cards/${body.output.id}/idLabels` },
  });
});

test('nothing leaves before what is intended is stored', async () => {
  const holder = new pg.Client({ connectionString: bench.connectionString });
  await holder.connect();
  await holder.query('begin; lock table effects in share mode');
  const creating = create('Intended first');
  const blocked = "select count(*)::integer as n from pg_locks where relation = 'effects'::regclass and not granted";
  await expect.poll(async () => (await holder.query(blocked)).rows[0].n).toBeGreaterThan(0);
  // Whatever would leave by itself has had a moment for it.
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(cards()).toEqual([]);
  await holder.query('commit');
  await holder.end();
  expect((await creating).status).toBe(200);
  expect(cards()).toEqual(['Intended first']);
});

test('how a write ended is written down by its key, however many others are open', async () => {
  const client = new pg.Client({ connectionString: bench.connectionString });
  await client.connect();
  await client.query("begin; select set_config('app.workspace', '*', true); set local enable_seqscan = off");
  await client.query(
    `insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest, state,
      intended_at)
    select 'eff_' || n, workspace_id, 'run_' || n, 1, $1, 'write', 'POST', '/1/cards', '{}', '', 'intended', now()
    from generate_series(1, 500) n, workspaces`,
    [accountId],
  );
  const { rows } = await client.query(`explain (generic_plan) ${settle.text}`);
  await client.query('rollback');
  await client.end();
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/Index Scan using effects_pkey on effects/);
});

test('a read leaves no effect record', async () => {
  const before = (await effectRecords()).length;
  await api({ method: 'GET', endpoint: '/1/members/me' });
  expect(await effectRecords()).toHaveLength(before);
});

describe('when the service did it but the answer was lost', () => {
  test.each([
    ['a gateway timeout', { kind: 'accept_then' as const, status: 504 }],
    ['a broken connection', { kind: 'accept_then' as const }],
  ])('%s ends as done, with the card that was made, and nothing is made twice', async (name, fault) => {
    bench.board.control.faults.add({ match: { method: 'POST', path: '/1/cards' }, times: 1, ...fault });
    const { status, body } = await create(name);
    expect([status, body.output?.name]).toEqual([200, name]);
    expect(cards()).toEqual([name]);
    const [record] = await effectRecords();
    expect(record).toMatchObject({ action: 'effect.sent', details: { found: true, upstreamId: body.output.id } });
  });

  test('two identical cards at once are not taken for each other', async () => {
    bench.board.control.faults.add({
      match: { method: 'POST', path: '/1/cards' },
      kind: 'accept_then',
      status: 504,
      times: 1,
    });
    const answers = await Promise.all([create('Twin'), create('Twin'), create('Twin')]);
    const ids = answers.map(({ body }) => body.output.id);
    expect(new Set(ids).size).toBe(3);
    expect(cards()).toEqual(['Twin', 'Twin', 'Twin']);
  });
});

test('a card that another run changes while its creation is in doubt is still known as the one that was made', async () => {
  bench.board.control.faults.add({
    match: { method: 'POST', path: '/1/cards' },
    kind: 'accept_then',
    status: 504,
    times: 1,
  });
  const creation = create('Once');
  await expect.poll(() => bench.board.cardsIn(list.id).length, { interval: 10 }).toBe(1);
  const input = { cardId: bench.board.cardsIn(list.id)[0]?.id, desc: 'by another run' };
  await bench.owned('POST', '/v1/steps/board.update_card/run', { accountId, input });
  expect((await creation).status).toBe(200);
  expect(cards()).toEqual(['Once']);
});

describe('when the service did not do it', () => {
  test('a refusal is passed on with its reason and recorded as not sent', async () => {
    const idList = 'a'.repeat(24);
    const { status, body } = await bench.owned('POST', '/v1/steps/board.create_card/run', {
      accountId,
      input: { idList, name: 'x' },
    });
    expect([status, body.error.code, body.error.details.upstream.status]).toEqual([404, 'not_found', 404]);
    expect((await effectRecords())[0]).toMatchObject({ action: 'effect.not_sent' });
  });

  test('a lost connection that left nothing behind is proven so, and tried once more', async () => {
    bench.board.control.faults.add({ match: { method: 'POST', path: '/1/cards' }, kind: 'reset', times: 1 });
    const { status } = await create('Second try');
    expect(status).toBe(200);
    expect(cards()).toEqual(['Second try']);
    expect((await effectRecords())[0]).toMatchObject({ action: 'effect.sent', details: { attempts: 2 } });
  });

  test('what never arrives is told as not done, not as unknown', async () => {
    bench.board.control.faults.add({ match: { method: 'POST', path: '/1/cards' }, kind: 'reset' });
    const { status, body } = await create('Never');
    expect([status, body.error.code]).toEqual([502, 'upstream_unavailable']);
    expect(cards()).toEqual([]);
    expect((await effectRecords())[0]).toMatchObject({ action: 'effect.not_sent' });
  });

  test('what cannot be looked for is told as unknown and not repeated', async () => {
    bench.board.control.faults.add({ match: { path: '/1/' }, kind: 'reset' });
    const { status, body } = await create('In the dark');
    expect([status, body.error.code]).toEqual([504, 'outcome_unknown']);
    bench.board.control.faults.clear();
    expect(cards()).toEqual([]);
    expect((await effectRecords())[0]).toMatchObject({ action: 'effect.unknown' });
  });

  test('a full queue at the service is told with the time to wait', async () => {
    bench.board.control.faults.add({
      match: { path: '/1/cards' },
      kind: 'status',
      status: 429,
      retryAfter: 1,
      times: 1,
    });
    const { status, body } = await create('Later');
    expect([status, body.error.retryAfterMs]).toEqual([429, 1000]);
    expect(cards()).toEqual([]);
  });
});

describe('an Idempotency-Key', () => {
  test('makes a repeated request answer from the first run', async () => {
    const [first, second] = [
      await create('Once', { 'idempotency-key': 'k1' }),
      await create('Once', { 'idempotency-key': 'k1' }),
    ];
    expect(second.body).toMatchObject({ runId: first.body.runId, replayed: true, output: first.body.output });
    expect(cards()).toEqual(['Once']);
  });

  test('makes a repeated request that was refused tell as much as the first time', async () => {
    bench.board.control.faults.add({ match: { path: '/1/cards' }, kind: 'status', status: 400 });
    const [first, second] = [
      await create('Refused', { 'idempotency-key': 'k8' }),
      await create('Refused', { 'idempotency-key': 'k8' }),
    ];
    expect(first.body.error.details.upstream).toEqual({ status: 400 });
    expect([second.status, second.body.error]).toEqual([
      422,
      {
        ...first.body.error,
        details: { ...first.body.error.details, runId: expect.any(String), status: 'failed', replayed: true },
        requestId: expect.any(String),
      },
    ]);
  });

  test('holds for many at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create('Crowd', { 'idempotency-key': 'k2' })));
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(cards()).toEqual(['Crowd']);
  });

  test('is free again when the service only asked to wait', async () => {
    const fault = {
      match: { method: 'POST', path: '/1/cards' },
      kind: 'status' as const,
      status: 429,
      retryAfter: 1,
      times: 1,
    };
    bench.board.control.faults.add(fault);
    expect((await create('Patient', { 'idempotency-key': 'k4' })).status).toBe(429);
    await expect.poll(async () => (await create('Patient', { 'idempotency-key': 'k4' })).status).toBe(200);
    expect(cards()).toEqual(['Patient']);
  });

  test('given to another permission is a conflict', async () => {
    const request = (permission: string) =>
      bench.call('POST', '/v1/steps/board.create_card/run', {
        key: bootstrapKey,
        headers: { 'idempotency-key': 'k5' },
        body: { accountId, permission, input: { idList: list.id, name: 'Allowed' } },
      });
    expect((await request('autopilot')).status).toBe(200);
    expect((await request('approval')).body.error.code).toBe('conflict');
    expect((await request('autopilot')).body.replayed).toBe(true);
    expect(cards()).toEqual(['Allowed']);
  });

  test('given to another input is a conflict', async () => {
    await create('One', { 'idempotency-key': 'k3' });
    const { error } = (await create('Two', { 'idempotency-key': 'k3' })).body;
    expect([error.code, error.details]).toEqual([
      'conflict',
      { runId: expect.stringMatching(/^run_/), status: 'succeeded' },
    ]);
    expect(cards()).toEqual(['One']);
  });

  test('of blanks is refused, beside the input and in it', async () => {
    const beside = await create('Blank', { 'idempotency-key': ' ' });
    expect([beside.status, beside.body.error.message]).toEqual([400, expect.stringContaining('not blanks alone')]);
    const input = { idList: list.id, name: 'Blank', idempotencyKey: '  ' };
    const within = await bench.owned('POST', '/v1/steps/board.create_card/run', { accountId, input });
    expect([within.status, within.body.error.details.fields]).toEqual([
      400,
      [{ field: 'input.idempotencyKey', message: 'must not be blank' }],
    ]);
    expect(cards()).toEqual([]);
  });

  test('and another key in the input are refused, the same one is not', async () => {
    const request = (idempotencyKey: string) =>
      bench.call('POST', '/v1/steps/board.create_card/run', {
        key: bootstrapKey,
        headers: { 'idempotency-key': 'k6' },
        body: { accountId, input: { idList: list.id, name: 'Both', idempotencyKey } },
      });
    expect((await request('k7')).body.error).toMatchObject({
      code: 'invalid_input',
      details: { fields: [{ field: 'input.idempotencyKey' }] },
    });
    const [first, second] = [await request('k6'), await request('k6')];
    expect([first.status, second.body.replayed]).toEqual([200, true]);
    expect(cards()).toEqual(['Both']);
  });
});

describe('the raw API call', () => {
  test("passes the service's own errors on as answers", async () => {
    const { status, body } = await api({ method: 'GET', endpoint: '/1/cards/ffffffffffffffffffffffff' });
    expect([status, body.output.status]).toEqual([200, 404]);
  });

  test('takes a query inside the endpoint and beside it', async () => {
    const { body } = await api({
      method: 'GET',
      endpoint: `/1/lists/${list.id}?fields=name`,
      query: { cards: 'none' },
    });
    expect(Object.keys(body.output.data).sort()).toEqual(['id', 'name']);
  });

  test.each(['https://evil.test/1/x', '/1/../x', '/1/%2e%2e/x', '/2/x', '/1/x\\y'])(
    'refuses %s before any call',
    async (endpoint) => {
      const seen = bench.board.control.log.list().length;
      const { status } = await api({ method: 'GET', endpoint });
      expect(status).toBe(400);
      expect(bench.board.control.log.list()).toHaveLength(seen);
    },
  );

  test.each(['key', 'token', 'oauth_token'])('refuses a credential named %s in the address', async (name) => {
    const { status, body } = await api({ method: 'GET', endpoint: '/1/members/me', query: { [name]: 'x' } });
    expect([status, body.error.code]).toEqual([400, 'invalid_input']);
  });

  test('that makes data visible outside waits for a person, unless the caller may let it go', async () => {
    const hook = {
      method: 'POST',
      endpoint: '/1/webhooks',
      body: { callbackURL: 'http://127.0.0.1:1/', idModel: list.idBoard },
    };
    expect((await api(hook)).body).toMatchObject({ status: 'waiting_approval', approval: { effect: 'send' } });
    const { body: limited } = await bench.owned('POST', '/v1/api-keys', { name: 'no sends', scopes: ['run'] });
    const tried = await bench.call('POST', '/v1/steps/board.api_call/run', {
      key: limited.key,
      body: { accountId, input: hook, permission: 'autopilot' },
    });
    expect([tried.status, tried.body.status]).toEqual([202, 'waiting_approval']);
    // With the right it reaches the service, which refuses the unreachable address.
    // The tests before this one may have spent the token's budget, which a raw call does not wait for.
    const refused = async () => (await api(hook, 'autopilot')).body.output?.status;
    await expect.poll(refused, { interval: 500 }).toBe(400);
  });
});

test('a dry run shows the exact request and writes nothing', async () => {
  const input = { idList: list.id, name: 'Rehearsed', pos: 'top' };
  const { body } = await bench.owned('POST', '/v1/steps/board.create_card/run', { accountId, input, dryRun: true });
  expect(body).toMatchObject({ status: 'dry_run', effect: 'write', request: { method: 'POST', path: '/1/cards' } });
  expect(body.request.body).toEqual({ ...input, idLabels: [] });
  const inside = await bench.owned('POST', '/v1/steps/board.create_card/run', {
    accountId,
    input: { ...input, dryRun: true },
  });
  expect(inside.body.request).toEqual(body.request);
  expect(cards()).toEqual([]);
});

describe('an emergency stop', () => {
  test('lets nothing start and nothing leave, and loses nothing', async () => {
    await bench.owned('POST', '/v1/stop');
    const { status, body } = await create('Stopped');
    expect([status, body.error.code]).toEqual([503, 'unavailable']);
    expect(cards()).toEqual([]);
    const seen = bench.board.control.log.list().length;
    expect((await api({ method: 'GET', endpoint: '/1/members/me' })).body.error.code).toBe('unavailable');
    expect(bench.board.control.log.list()).toHaveLength(seen);
    await bench.owned('POST', '/v1/resume');
    expect((await create('Resumed')).status).toBe(200);
    expect(cards()).toEqual(['Resumed']);
  });

  test('holds back what is about to be tried once more, until the workspace goes on', async () => {
    const { faults } = bench.board.control;
    faults.add({ match: { method: 'POST', path: '/1/cards' }, kind: 'reset', times: 1 });
    const creation = create('Once more');
    await expect.poll(() => faults.list(), { interval: 10 }).toEqual([]);
    await bench.owned('POST', '/v1/stop');
    const { status, body } = await creation;
    expect([status, body.error?.code, cards()]).toEqual([503, 'unavailable', []]);
    await bench.owned('POST', '/v1/resume');
    await expect.poll(cards).toEqual(['Once more']);
    await expect.poll(async () => (await lastRun()).status).toBe('succeeded');
  });
});
