import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '#log';
import { createRunList } from '#runs';
import { newId, openStore, type Store } from '#store';
import { type Answer, type Workbench, workbench } from '#test';

let bench: Workbench;
let store: Store;
let accountId: string;
let workspaceId: string;
let agentId: string;
let toolId: string;

const made = async (path: string, body: object): Promise<string> => {
  const answer = await bench.owned('POST', path, body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body.id;
};

beforeAll(async () => {
  bench = await workbench();
  store = openStore({ connectionString: bench.connectionString, max: 1, log: silentLog });
  accountId = await bench.connectBoard();
  workspaceId = (await bench.owned('GET', '/v1/workspace')).body.id;
  toolId = await made('/v1/tools', {
    name: 'Remind about invoices',
    inputs: [],
    steps: [{ key: 'boards', step: 'board.get_boards', account: { id: accountId }, input: {} }],
  });
  agentId = await made('/v1/agents', {
    name: 'Debt collector',
    tools: [{ toolId }],
    instructions: '',
    runner: { type: 'tool', toolId, input: {} },
  });
});
afterAll(async () => {
  await store.close();
  await bench[Symbol.asyncDispose]();
});

type Happened = { at: string; receivedAt?: string; summary: string; who?: string; outcome?: 'filtered' | 'fired' };

const event = async ({ at, receivedAt = at, summary, who = 'Zoë Quick', outcome = 'fired' }: Happened) => {
  const id = newId('evt', new Date(receivedAt));
  const actor = JSON.stringify({ id: 'zoe@example.com', name: who, isSelf: false });
  await sql`insert into events (id, workspace_id, trigger_id, key, upstream_id, outcome, clause, occurred_at, received_at,
      delivery, upstream_order, summary, actor)
    values (${id}, ${workspaceId}, 'trg_1', ${id}, ${id}, ${outcome}, ${outcome === 'fired' ? null : 'subject'}, ${at},
      ${receivedAt}, 'live', '1', ${summary}, ${actor})`.execute(store.of(workspaceId));
  return id;
};

type Ran = {
  at: string;
  stepId?: string;
  accountId?: string;
  agentId?: string;
  toolId?: string;
  eventId?: string;
  error?: string;
};

const run = async (ran: Ran) => {
  const {
    at,
    stepId = null,
    accountId: account = null,
    agentId: agent = null,
    toolId: tool = null,
    eventId = null,
    error,
  } = ran;
  const id = newId('run', new Date(at));
  const by = JSON.stringify({ kind: 'member', id: 'per_1', name: 'Ines' });
  const fault = error === undefined ? null : JSON.stringify({ code: 'internal', message: error });
  await sql`insert into runs (id, workspace_id, step_id, account_id, agent_id, tool_id, event_id, status, started_by, input, may_send,
      error, created_at, finished_at)
    values (${id}, ${workspaceId}, ${stepId}, ${account}, ${agent}, ${tool}, ${eventId}, ${error === undefined ? 'succeeded' : 'failed'},
      ${by}, '{}', false, ${fault}, ${at}, ${at})`.execute(store.of(workspaceId));
  return id;
};

const ids = async (path: string, query: Record<string, string>): Promise<string[]> => {
  const { status, body } = await bench.owned('GET', `/v1/${path}?${new URLSearchParams(query)}`);
  expect([status, body.nextCursor]).toEqual([200, undefined]);
  return body.items.map(({ id }: Answer['body']) => id);
};

test('runs are found by what ran, what started it and why it failed, and by the days they were started in', async () => {
  const eventId = await event({ at: '2026-11-02T08:00:00Z', summary: 'Late delivery of order 17' });
  const ofAgent = await run({ at: '2026-11-02T08:00:01Z', agentId, eventId });
  const ofTool = await run({ at: '2026-11-03T10:00:00Z', toolId });
  // Cut in the midst of a character, as messages of services may be.
  const ofStep = await run({
    at: '2026-11-03T23:59:59Z',
    stepId: 'board.create_card',
    error: 'No list "Doing" \ud83d',
  });
  const found = (query: string, others = {}) => ids('runs', { query, ...others });

  expect(await found('COLLECTOR debt')).toEqual([ofAgent]);
  expect(await found('invoices ines')).toEqual([ofTool]);
  expect(await found('Create Card')).toEqual([ofStep]);
  expect(await found('board.create_card')).toEqual([ofStep]);
  expect(await found('list "doing"')).toEqual([ofStep]);
  expect(await found('delivery quick')).toEqual([ofAgent]);
  expect(await found('zoe@example.com', { agentId, status: 'succeeded' })).toEqual([ofAgent]);
  expect(await found('zoe@example.com', { toolId })).toEqual([]);
  expect(await found('invoices delivery')).toEqual([]);
  for (const word of ['%', '_%', 'message']) expect(await found(word)).toEqual([]);

  const days = { from: '2026-11-03T00:00:00Z', to: '2026-11-04T00:00:00Z' };
  expect(await ids('runs', days)).toEqual([ofStep, ofTool]);
  expect(await ids('runs', { from: days.from })).toEqual([ofStep, ofTool]);
  expect(await ids('runs', { to: '2026-11-03T11:00:00+01:00' })).toEqual([ofAgent]);
  expect(await found('ines', { ...days, status: 'failed' })).toEqual([ofStep]);
  expect((await bench.owned('GET', '/v1/runs?from=yesterday')).status).toBe(400);

  const { body: first } = await bench.owned('GET', `/v1/runs?${new URLSearchParams({ ...days, limit: '1' })}`);
  expect(first.items[0].id).toBe(ofStep);
  expect(await ids('runs', { ...days, limit: '1', cursor: first.nextCursor })).toEqual([ofTool]);
  // Among so many that each page is a part of the way.
  const list = createRunList({ store, catalogue: { steps: [] } }, { stretch: 1, patienceMs: 0 });
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(workspaceId, { query: 'ines', from: new Date(days.from) }, { limit: 5, cursor });
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(seen).toEqual([ofStep, ofTool]);
});

test('events are listed by the days they happened in, also when they were received later', async () => {
  const before = await event({ at: '2026-10-05T23:59:59.999Z', summary: 'Before' });
  const late = await event({ at: '2026-10-06T12:00:00Z', receivedAt: '2026-10-09T07:00:00Z', summary: 'Caught up' });
  // The clock of the service is ahead of ours.
  const early = await event({ at: '2026-10-06T00:00:00Z', receivedAt: '2026-10-05T23:59:58Z', summary: 'Ahead' });
  const next = await event({ at: '2026-10-07T00:00:00Z', summary: 'The next day', outcome: 'filtered' });
  const days = { from: '2026-10-06T00:00:00Z', to: '2026-10-07T00:00:00Z' };

  expect(await ids('events', days)).toEqual([late, early]);
  expect(await ids('events', { ...days, query: 'caught' })).toEqual([late]);
  expect(await ids('events', { to: days.to })).toEqual([late, before, early]);
  expect(await ids('events', { from: days.to, to: '2026-10-08T00:00:00Z', outcome: 'filtered' })).toEqual([next]);
  const { body: first } = await bench.owned('GET', `/v1/events?${new URLSearchParams({ ...days, limit: '1' })}`);
  expect(first.items.map(({ id }: Answer['body']) => id)).toEqual([late]);
  expect(await ids('events', { ...days, limit: '1', cursor: first.nextCursor })).toEqual([early]);
});

test('a run tells what started it, as whom it acts and what came of its step', async () => {
  const { body: answer } = await bench.owned('POST', '/v1/steps/board.get_boards/run', { accountId, input: {} });
  const told = (await bench.owned('GET', `/v1/runs/${answer.runId}`)).body;
  expect(told).toMatchObject({ account: answer.account, summary: answer.summary });

  const input = { list: 'f'.repeat(24) };
  await bench.owned('POST', '/v1/steps/board.get_list_cards/run', { accountId, input });
  const [failedId] = await ids('runs', { query: 'board.get_list_cards' });
  const failed = (await bench.owned('GET', `/v1/runs/${failedId}`)).body;
  expect([failed.status, failed.account, failed.summary]).toEqual(['failed', answer.account, undefined]);

  const eventId = await event({ at: '2026-11-05T08:00:00Z', summary: 'Late delivery of order 18' });
  const ofAgent = await run({ at: '2026-11-05T08:00:01Z', agentId, eventId });
  expect((await bench.owned('GET', `/v1/runs/${ofAgent}`)).body).toMatchObject({ about: 'Late delivery of order 18' });
  // Of a version that had another step.
  const old = await run({ at: '2026-11-05T08:00:02Z', stepId: 'board.gone', accountId });
  expect((await bench.owned('GET', `/v1/runs/${old}`)).body).toMatchObject({
    stepId: 'board.gone',
    status: 'succeeded',
  });
});
