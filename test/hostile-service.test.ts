import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '#config';
import { dump, expectNowhere } from './secret-places.ts';
import { bootstrapKey, type Workbench, workbench } from './workbench.ts';

const card = {
  id: 'c'.repeat(24),
  shortLink: 's',
  name: 'n',
  url: 'u',
  desc: '',
  idList: 'a'.repeat(24),
  idBoard: 'b',
};
const whole = {
  ...card,
  ...{ closed: false, due: null, dueComplete: false, labels: [], idMembers: [], pos: 1, dateLastActivity: null },
};

const ada = { id: 'd'.repeat(24), username: 'x', fullName: 'X' };
let me: unknown = ada;
let answer: (path: string, authorization: string) => unknown;
const token = 'token/of+ada=3f9c0d1e7b2a';
const listener: RequestListener = ({ url = '', headers }, response) => {
  const body = url.startsWith('/1/members/me') ? me : answer(url, headers.authorization ?? '');
  const redirect = typeof body === 'object' && body !== null && 'redirect' in body ? Number(body.redirect) : 200;
  response.statusCode = body === undefined ? 500 : redirect;
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body ?? {}));
};
const service = createServer(listener);

let bench: Workbench;
let dataDir: string;
let database: pg.Client;
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  dataDir = await mkdtemp(join(tmpdir(), 'switchboard-hostile-'));
  const { port } = service.address() as AddressInfo;
  const config = readConfig({
    BOARD_API_URL: `http://127.0.0.1:${port}`,
    BOOTSTRAP_API_KEY: bootstrapKey,
    DATA_DIR: dataDir,
    INTERVALS: '{"takeoverMs":50,"writeDeadlineMs":1000}',
  });
  bench = await workbench({ config: { ...config, port: 0 } });
  const auth = { type: 'key_token', key: 'a'.repeat(32), token };
  await bench.owned('POST', '/v1/accounts', { integration: 'board', auth });
  database = new pg.Client({ connectionString: bench.connectionString });
  await database.connect();
  await database.query("select set_config('app.workspace', '*', false)");
});
afterAll(async () => {
  await database.end();
  await bench[Symbol.asyncDispose]();
  service.close();
  await rm(dataDir, { recursive: true });
});

const create = () =>
  bench.owned('POST', '/v1/steps/board.create_card/run', { input: { idList: 'a'.repeat(24), name: 'n' } });
const api = (method: string) =>
  bench.owned('POST', '/v1/steps/board.api_call/run', { input: { method, endpoint: '/1/cards' } });
const lastEffect = async () => (await database.query('select * from effects order by id desc limit 1')).rows[0];

describe('a redirect in answer to a write', () => {
  test.each([307, 308])('that sends it elsewhere (%d) means that it was not done', async (redirect) => {
    answer = () => ({ redirect });
    const { status, body } = await create();
    expect([status, body.error.code]).toEqual([422, 'upstream_rejected']);
    expect(await lastEffect()).toMatchObject({ state: 'not_sent' });
  });

  test.each([301, 302, 303])('that may come after the work (%d) is told as unknown', async (redirect) => {
    answer = () => ({ redirect });
    const { body } = await api('POST');
    expect(body.output.status).toBe(redirect);
    expect(await lastEffect()).toMatchObject({ state: 'unknown' });
  });
});

describe('an answer in another shape than the service documents', () => {
  test('to a write, and to whoever looks for it, is told as unknown and not as a defect of ours', async () => {
    answer = () => ({ ok: true });
    const { status, body } = await create();
    expect([status, body.error.code]).toEqual([504, 'outcome_unknown']);
    expect(await lastEffect()).toMatchObject({ state: 'unknown' });
  });

  test.each([
    ['the page of a gateway', '<html>'],
    ['nothing', null],
    ['another thing', { ok: true }],
    ['a list', []],
  ])('to a write (%s) is settled by a look', async (_, odd) => {
    const id = `${Math.floor(Date.now() / 1_000).toString(16)}${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`;
    const list = { id: 'a'.repeat(24) };
    const made = { idMemberCreator: 'd'.repeat(24), type: 'createCard', data: { card: { id, name: 'n' }, list } };
    answer = (path) => {
      if (path === '/1/cards') return odd;
      if (path.startsWith('/1/boards/')) return [made];
      return path.startsWith('/1/lists/') ? { idBoard: 'b' } : { ...whole, id };
    };
    const { status, body } = await create();
    expect([status, body.output?.id]).toEqual([200, id]);
    expect(await lastEffect()).toMatchObject({ state: 'sent', upstream_id: id });
  });

  test('to the read that follows a write leaves what was written told as done', async () => {
    answer = (path) => (path.includes('?fields=') ? { ok: true } : whole);
    const input = { idList: 'a'.repeat(24), name: 'n', dueReminder: 5 };
    const { status, body } = await bench.owned('POST', '/v1/steps/board.create_card/run', { input });
    expect([status, body.output?.id]).toEqual([200, whole.id]);
  });

  test('to the last read of a step does not leave in doubt what was written before it', async () => {
    answer = (path) => (path.endsWith('/checkItems') ? { id: 'e'.repeat(24) } : { ok: true });
    const input = { checklistId: 'c'.repeat(24), name: 'n' };
    const { body } = await bench.owned('POST', '/v1/steps/board.create_checklist_item/run', { input });
    const asked = { method: 'POST', path: `/1/checklists/${input.checklistId}/checkItems`, id: 'e'.repeat(24) };
    expect(body.error).toMatchObject({ code: 'upstream_unavailable', details: { done: [asked] } });
    expect(await lastEffect()).toMatchObject({ state: 'sent' });
  });

  test('to whoever connects, tests an account, picks or tries a trigger out is told as that', async () => {
    answer = () => ({ ok: true });
    me = { ok: true };
    const { items } = (await bench.owned('GET', '/v1/accounts')).body;
    const auth = { type: 'key_token', key: 'a'.repeat(32), token };
    const config = { boards: ['Plans'] };
    const told = [];
    for (const [path, body] of [
      ['/v1/accounts', { integration: 'board', auth }],
      [`/v1/accounts/${items[0].id}/test`, {}],
      ['/v1/triggers/preview', { type: 'board.card_moved', accountId: items[0].id, config }],
    ] as const)
      told.push((await bench.owned('POST', path, body)).body.error?.code);
    told.push((await bench.owned('GET', `/v1/options/boards?accountId=${items[0].id}`)).body.error?.code);
    me = ada;
    expect(told).toEqual(Array(4).fill('upstream_unavailable'));
  });

  test.each([
    ['longer than an index holds', Array.from({ length: 900 }, () => crypto.randomUUID()).join('')],
    ['with a zero character', 'a\0b'],
  ])('an id %s does not keep a write from being recorded as sent', async (_, id) => {
    answer = () => ({ id });
    const { status, body } = await api('POST');
    // What cannot be stored is told as what cannot be shown.
    expect([status, body.output?.data]).toEqual([200, { id: id.replace('\0', '\ufffd') }]);
    expect(await lastEffect()).toMatchObject({ state: 'sent', upstream_id: null });
  });
});

test('a service that says our credential back tells it to nobody: not to the caller, nor to what is stored', async () => {
  const answers: unknown[] = [];
  for (const redirect of [200, 400, 422]) {
    answer = (_, said) => ({ redirect, id: 'x', message: `Bad header: ${said}, ${decodeURIComponent(said)}` });
    answers.push((await api('GET')).body, (await api('POST')).body, (await create()).body);
  }
  expect(JSON.stringify(answers)).toContain('[secret]');
  expectNowhere({ token }, { answers: JSON.stringify(answers), database: await dump(bench.connectionString) });
});

describe('a write that a dead process left open', () => {
  /** Makes the last run look as its process left it: intended, perhaps sent, its lease over. */
  const orphan = async ({ tries, waitedMs } = { tries: 0, waitedMs: 0 }): Promise<string> => {
    answer = () => whole;
    const { body } = await create();
    await database.query(
      `update effects set state = 'intended', upstream_id = null, answer = null, finished_at = null,
        intended_at = now() - interval '1 minute' where run_id = $1`,
      [body.runId],
    );
    await database.query(
      `update runs set status = 'running', lease_owner = 'dead', lease_until = now() - interval '1 s', output = null,
        tries = $2, waited_ms = $3, finished_at = null where id = $1`,
      [body.runId, tries, waitedMs],
    );
    return body.runId;
  };
  const ended = (runId: string) =>
    expect.poll(async () => (await bench.owned('GET', `/v1/runs/${runId}`)).body.error?.code);

  test('ends as unknown when the service cannot be asked to the last', async () => {
    const runId = await orphan({ tries: 7, waitedMs: 600_000 });
    answer = () => undefined;
    await ended(runId).toBe('outcome_unknown');
    expect(await lastEffect()).toMatchObject({ state: 'unknown' });
  });

  test('ends as unknown when the service answers nonsense to the look', async () => {
    const runId = await orphan();
    answer = () => ['nonsense'];
    await ended(runId).toBe('outcome_unknown');
    expect(await lastEffect()).toMatchObject({ state: 'unknown' });
  });
});
