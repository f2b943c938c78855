import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootstrapKey, type Workbench, workbench } from '#test';

let bench: Workbench;
let keys: { reader: string; runner: string };
let accountId: string;
beforeAll(async () => {
  bench = await workbench();
  accountId = await bench.connectBoard();
  const make = async (scopes: string[]) => (await bench.owned('POST', '/v1/api-keys', { name: 'k', scopes })).body.key;
  keys = { reader: await make(['read']), runner: await make(['run']) };
});
afterAll(() => bench[Symbol.asyncDispose]());

const path = '/v1/steps/board.api_call/run';
// An escaped address is not plainly a step to be run, so it goes the usual way.
const usual = path.replace('board.', 'board%2E');

/** Without what differs from one request to the next. */
const comparable = async (at: string, key: string, body: unknown, headers: Record<string, string> = {}) => {
  const answer = await bench.call('POST', at, { key, body, headers });
  const drop = new Set(['date', 'x-request-id', 'content-length', 'transfer-encoding']);
  const kept = [...answer.headers].filter(([name]) => !drop.has(name)).sort();
  expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  const text = JSON.stringify(answer.body)
    .replace(/(req|run)_\w+/g, '$1')
    .replace(/"(date|x-rate-limit-[\w-]+)":"[^"]*"/g, '')
    .replace(/"(?:remaining|keyRemaining)":\d+/g, '');
  return { status: answer.status, headers: kept, text };
};

const call = (endpoint: string, more: Record<string, unknown> = {}) => ({
  accountId,
  input: { method: 'GET', endpoint },
  ...more,
});

test.each<[string, number, () => [string, unknown, Record<string, string>?]]>([
  ['an answer', 200, () => [bootstrapKey, call('/1/members/me')]],
  ['an answer of another status', 200, () => [keys.runner, call('/1/cards/000000000000000000000000')]],
  ['a dry run', 200, () => [keys.runner, { accountId, input: { method: 'POST', endpoint: '/1/cards' }, dryRun: true }]],
  ['an unknown key', 401, () => ['sbk_unknown', call('/1/members/me')]],
  ['a key without the scope', 403, () => [keys.reader, call('/1/members/me')]],
  [
    'autopilot without the scope, which does not count',
    200,
    () => [keys.runner, call('/1/members/me', { permission: 'autopilot' })],
  ],
  ['broken JSON', 400, () => [keys.runner, '{"accountId": ']],
  ['nested too deeply', 400, () => [keys.runner, `{"input":${'['.repeat(100)}${']'.repeat(100)}}`]],
  ['an unknown field', 400, () => [keys.runner, call('/1/members/me', { admin: true })]],
  ['an unknown account', 404, () => [keys.runner, { ...call('/1/members/me'), accountId: 'acc_unknown' }]],
  ['an unusable key of the request', 400, () => [keys.runner, call('/1/members/me'), { 'idempotency-key': 'ä' }]],
])('%s is the same at the quick door and on the usual way', async (_, status, make) => {
  const [key, body, headers] = make();
  const quick = await comparable(path, key, body, headers);
  expect(quick.status).toBe(status);
  expect(quick).toEqual(await comparable(usual, key, body, headers));
});

test('a notification for nobody is answered the same at the quick door and on the usual way', async () => {
  const quick = await comparable('/hooks/board/nobody', '', { action: {} });
  expect(quick.status).toBe(410);
  expect(quick).toEqual(await comparable('/hooks/board/nobody?usual', '', { action: {} }));
});

test('a request that is repeated with its key is answered from the first run, whichever way it came', async () => {
  const headers = { 'idempotency-key': 'once' };
  const body = call('/1/members/me');
  const first = await bench.call('POST', path, { key: keys.runner, body, headers });
  const again = await bench.call('POST', usual, { key: keys.runner, body, headers });
  expect(first.status).toBe(200);
  expect(again.body).toMatchObject({ runId: first.body.runId, replayed: true });
});

test('a run that ends at once has its whole journal, however it ended', async () => {
  const { body } = await bench.call('POST', path, { key: keys.runner, body: call('/1/members/me') });
  const escaping = await bench.call('POST', path, { key: keys.runner, body: call('/1/boards/..') });
  expect(escaping.status).toBe(400);
  const runs = await bench.owned('GET', '/v1/runs?status=failed&limit=1');
  const told = async (id: string) => {
    const { body: run } = await bench.owned('GET', `/v1/runs/${id}`);
    const { createdAt, finishedAt, journal } = run;
    expect([journal[0].at, journal.at(-1).at]).toEqual([createdAt, finishedAt]);
    return journal.map(({ seq, kind, data }: { seq: number; kind: string; data: object }) => [seq, kind, data]);
  };
  expect(await told(body.runId)).toEqual([
    [1, 'started', { stepId: 'board.api_call', accountId }],
    [2, 'call', expect.objectContaining({ method: 'GET', path: '/1/members/me', effect: 'read', status: 200 })],
    [3, 'finished', {}],
  ]);
  expect(await told(runs.body.items[0].id)).toEqual([
    [1, 'started', { stepId: 'board.api_call', accountId }],
    [2, 'failed', { error: expect.objectContaining({ code: 'invalid_input' }) }],
  ]);
});

test('characters beyond ASCII arrive as they are', async () => {
  const list = bench.board.newList();
  const name = 'Brötchen 🥐 für „Zoë“';
  await bench.run('board.create_card', { idList: list.id, name });
  const { body } = await bench.call('POST', path, { key: keys.runner, body: call(`/1/lists/${list.id}/cards`) });
  expect(body.output.data.map((card: { name: string }) => card.name)).toEqual([name]);
});
