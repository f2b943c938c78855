import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultIntervals } from '#clock';
import { type Answer, bootstrapKey, type Tenant, type Workbench, workbench } from '#test';
import { runStatement } from '../../test/run-statement.ts';

let bench: Workbench;
let accountId: string;
let foreign: Tenant;
let second: Awaited<ReturnType<Workbench['startProcess']>>;

beforeAll(async () => {
  const intervals = { ...defaultIntervals, writeDeadlineMs: 3_000, liveMs: 60, liveBeatMs: 150 };
  bench = await workbench({ config: { intervals } });
  accountId = await bench.connectBoard();
  foreign = await bench.newTenant('Foreign');
  second = await bench.startProcess('api');
});
afterAll(() => bench[Symbol.asyncDispose]());

type Told = { event: string; data: Answer['body'] };

/** Reads a stream until it ends, or is left. */
const listen = async (path: string, options: { headers?: Record<string, string>; origin?: string } = {}) => {
  const { headers = { authorization: `Bearer ${bootstrapKey}` }, origin = bench.origin } = options;
  const leaving = new AbortController();
  const answer = await fetch(new URL(path, origin), { headers, signal: leaving.signal });
  const told: Told[] = [];
  const texts: string[] = [];
  const over = (async () => {
    let pending = '';
    for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
      pending += Buffer.from(chunk).toString();
      const blocks = pending.split('\n\n');
      pending = blocks.pop() ?? '';
      texts.push(...blocks);
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) told.push({ event: /^event: (.*)$/m.exec(block)?.[1] ?? '', data: JSON.parse(data) });
      }
    }
    return 'ended' as const;
  })().catch(() => 'left' as const);
  return { answer, told, texts, over, leave: () => leaving.abort() };
};
const hints = async (options: Parameters<typeof listen>[1] = {}) => {
  const stream = await listen('/v1/stream', options);
  await expect.poll(() => stream.told[0]?.data).toEqual({ type: 'sync' });
  return stream;
};
const send = (key = bootstrapKey, account = accountId) =>
  bench.call('POST', '/v1/steps/board.api_call/run', {
    key,
    body: { accountId: account, input: { method: 'POST', endpoint: '/1/webhooks', query: { description: 'x' } } },
  });
const cardAgent = async () => {
  const create = { key: 'card', step: 'board.create_card', account: { id: accountId } };
  const input = { idList: bench.board.newList().id, name: 'Bread' };
  const tool = await bench.owned('POST', '/v1/tools', { name: 'Card', steps: [{ ...create, input }] });
  const runner = { type: 'tool', toolId: tool.body.id };
  const made = await bench.owned('POST', '/v1/agents', { name: 'A', tools: [{ toolId: tool.body.id }], runner });
  return made.body.id as string;
};

const fire = async () => {
  const agentId = await cardAgent();
  const trigger = { agentId, type: 'board.new_card', accountId };
  const { body } = await bench.owned('POST', '/v1/triggers', trigger);
  const tested = await bench.owned('POST', `/v1/triggers/${body.id}/test`);
  return { agentId, triggerId: body.id as string, eventId: tested.body.id as string };
};

describe('the stream of a run', () => {
  test('sends it at once and each change until it ends, also when another process carries it out', async () => {
    const agentId = await cardAgent();
    bench.board.control.faults.add({ match: { method: 'POST', path: '/1/cards' }, kind: 'latency', ms: 400, times: 1 });
    const { body } = await bench.owned('POST', `/v1/agents/${agentId}/runs`, { input: {} });
    const { answer, told, over } = await listen(`/v1/runs/${body.runId}/stream`, { origin: second.origin });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(answer.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(await over).toBe('ended');
    expect(told[0]).toMatchObject({ event: 'run', data: { id: body.runId, status: 'running' } });
    expect(told.at(-1)?.event).toBe('end');
    const { body: now } = await bench.owned('GET', `/v1/runs/${body.runId}`);
    expect(told.findLast(({ event }) => event === 'run')?.data).toEqual(now);
    expect(now.status).toBe('succeeded');
    const gained = told.filter(({ event }) => event === 'journal').flatMap(({ data }) => data);
    expect(told[0]?.data.journal.length + gained.length).toBeGreaterThan(0);
  });

  test('of one that has ended is short', async () => {
    const { items } = (await bench.owned('GET', '/v1/runs?status=succeeded&limit=1')).body;
    const { told, over } = await listen(`/v1/runs/${items[0].id}/stream`);
    expect(await over).toBe('ended');
    expect(told.map(({ event }) => event)).toEqual(['run', 'end']);
  });
});

describe('the stream of a workspace', () => {
  test('names what has changed, whichever process changed it, and nothing of other workspaces', async () => {
    const [ours, theirs] = [
      await hints({ origin: second.origin }),
      await hints({ headers: { authorization: `Bearer ${foreign.key}` } }),
    ];
    const { body } = await send();
    const { agentId, triggerId, eventId } = await fire();
    await bench.owned('PATCH', `/v1/accounts/${accountId}`, { name: 'Renamed' });
    const seen = () => ours.told.map(({ data }) => data);
    const expected = [
      { type: 'run', id: body.runId, status: 'waiting_approval' },
      { type: 'approval', id: body.approval.id, status: 'pending' },
      { type: 'tool', id: expect.stringMatching(/^tool_/) },
      { type: 'agent', id: agentId, status: 'enabled' },
      { type: 'trigger', id: triggerId, status: 'enabled' },
      { type: 'event', id: eventId, status: 'fired' },
      { type: 'account', id: accountId, status: 'connected' },
    ];
    await expect.poll(seen).toEqual(expect.arrayContaining(expected));
    await bench.owned('POST', `/v1/approvals/${body.approval.id}/reject`, {});
    await expect
      .poll(seen)
      .toEqual(expect.arrayContaining([{ type: 'approval', id: body.approval.id, status: 'rejected' }]));
    await expect.poll(seen).toEqual(expect.arrayContaining([{ type: 'run', id: body.runId, status: 'failed' }]));
    const watches = (state: string) =>
      runStatement(bench.connectionString, `set app.workspace = '*'; update watches set state = '${state}'`);
    const unlessHealed = () => watches('broken').then(seen);
    await expect
      .poll(unlessHealed)
      .toEqual(expect.arrayContaining([{ type: 'trigger', id: triggerId, status: 'broken' }]));
    await watches('healthy');
    const setAccount = (state: string) => bench.owned('PATCH', `/v1/accounts/${accountId}`, { state });
    await setAccount('paused');
    await expect.poll(seen).toEqual(expect.arrayContaining([{ type: 'trigger', id: triggerId, status: 'paused' }]));
    await setAccount('connected');
    await bench.owned('DELETE', `/v1/agents/${agentId}`);
    await expect.poll(seen).toEqual(expect.arrayContaining([{ type: 'agent', id: agentId }]));
    expect(theirs.told).toEqual([{ event: '', data: { type: 'sync' } }]);
    expect(theirs.texts).toContain(': here');
    ours.leave();
    theirs.leave();
  });

  test('ends when its key is revoked, when its session is, and when that looks at another workspace', async () => {
    const { body: made } = await bench.owned('POST', '/v1/api-keys', { name: 'listener', scopes: ['read'] });
    const byKey = await hints({ headers: { authorization: `Bearer ${made.key}` } });
    const [out, away] = [await bench.signInAsOwner(), await bench.signInAsOwner()];
    const [bySession, elsewhere] = [
      await hints({ headers: { cookie: out } }),
      await hints({ headers: { cookie: away } }),
    ];
    await bench.owned('DELETE', `/v1/api-keys/${made.id}`);
    await bench.call('DELETE', '/v1/session', { cookie: out });
    await bench.call('PATCH', '/v1/session', { cookie: away, body: { workspaceId: foreign.workspaceId } });
    expect(await Promise.all([byKey.over, bySession.over, elsewhere.over])).toEqual(['ended', 'ended', 'ended']);
  });

  test('is not opened without end by one caller, and those that are left count no more', async () => {
    const cookie = await bench.signInAsOwner();
    const open = await Promise.all(Array.from({ length: 20 }, () => hints({ headers: { cookie } })));
    const refused = await listen('/v1/stream', { headers: { cookie } });
    expect(refused.answer.status).toBe(429);
    for (const each of open) each.leave();
    await expect.poll(async () => (await bench.call('GET', '/v1/stream', { cookie })).status).toBe(200);
  });

  test('ends at once when its process is stopped, which no connection without a request delays', async () => {
    const third = await bench.startProcess('api');
    const stream = await hints({ origin: third.origin });
    // One that a browser opened in advance.
    const unused = connect(Number(new URL(third.origin).port), '127.0.0.1');
    await once(unused, 'connect');
    // Long before the drain that a request under way is given.
    const drained = new Promise((resolve) => setTimeout(resolve, 10_000, 'drained').unref());
    expect(await Promise.race([third.stop().then(() => 'stopped'), drained])).toBe('stopped');
    expect(await stream.over).toBe('ended');
  });
});

describe('the overview', () => {
  const overview = async (query = '', key = bootstrapKey) =>
    (await bench.call('GET', `/v1/overview${query}`, { key })).body;
  const sum = (counted: { counts: Record<string, number> }[], what: string) =>
    counted.reduce((total, { counts }) => total + (counts[what] ?? 0), 0);

  test('counts events and runs in equal spans that end now, and says what needs somebody', async () => {
    const before = await overview();
    const { body } = await send();
    await fire();
    const now = await overview();
    expect([now.bucket, now.events.length, now.runs.length]).toEqual(['day', 7, 7]);
    expect([sum(now.runs, 'waiting_approval'), now.pendingApprovals]).toEqual([
      sum(before.runs, 'waiting_approval') + 1,
      before.pendingApprovals + 1,
    ]);
    expect(now.runs.at(-1).counts.waiting_approval).toBe(sum(now.runs, 'waiting_approval'));
    expect(sum(now.events, 'fired')).toBe(sum(before.events, 'fired') + 1);
    expect(now.firstSteps).toEqual({ account: true, tool: true, agent: true, trigger: true, run: true });
    expect(now.more).toEqual({ accountsToReconnect: 0, brokenTriggers: 0 });
    const hours = await overview('?days=2');
    expect([hours.bucket, hours.runs.length, sum(hours.runs, 'waiting_approval')]).toEqual([
      'hour',
      48,
      now.pendingApprovals,
    ]);
    expect((await bench.owned('GET', '/v1/overview?days=30&bucket=hour')).status).toBe(400);
    await bench.owned('POST', `/v1/runs/${body.runId}/cancel`);
    expect((await overview()).pendingApprovals).toBe(before.pendingApprovals);
  });

  test('counts days as they are where somebody looks', async () => {
    const now = Date.now();
    await send();
    const utc = await overview();
    expect([utc.timeZone, utc.runs.at(-1).at]).toEqual([
      'UTC',
      new Date(Math.floor(now / 86_400_000) * 86_400_000).toISOString(),
    ]);
    for (const [timeZone, hours] of [
      ['Pacific/Kiritimati', 14],
      ['Pacific/Pago_Pago', -11],
    ] as const) {
      const there = await overview(`?timeZone=${timeZone}`);
      const midnight = Math.floor((now + hours * 3_600_000) / 86_400_000) * 86_400_000 - hours * 3_600_000;
      expect([there.timeZone, there.runs.at(-1).at]).toEqual([timeZone, new Date(midnight).toISOString()]);
      expect(there.runs).toHaveLength(7);
      expect(there.runs.at(-1).counts.waiting_approval).toBeGreaterThan(0);
    }
    const { status, body } = await bench.owned('GET', '/v1/overview?timeZone=Middle-earth/Bree');
    expect([status, body.error.code, JSON.stringify(body.error.details)]).toEqual([
      400,
      'invalid_input',
      expect.stringContaining('timeZone'),
    ]);
  });

  test('of a new workspace shows its first steps, and nothing of others', async () => {
    const { firstSteps, runs, events } = await overview('', foreign.key);
    expect(firstSteps).toEqual({ account: true, tool: false, agent: false, trigger: false, run: false });
    expect([sum(runs, 'succeeded'), sum(events, 'fired')]).toEqual([0, 0]);
  });

  test('names everything of this workspace in one answer, newest first, and nothing of others', async () => {
    await fire();
    const { body: names } = await bench.owned('GET', '/v1/names');
    const lists = ['agents', 'tools', 'triggers', 'accounts'];
    const listed = await Promise.all(lists.map((list) => bench.owned('GET', `/v1/${list}?limit=100`)));
    const known = listed.map(({ body }) => body.items.map(({ id, name }: { id: string; name: string }) => [id, name]));
    expect(lists.map((list) => names[list].map(({ id, name }: { id: string; name: string }) => [id, name]))).toEqual(
      known,
    );
    const { accountId } = listed[2]?.body.items[0] ?? {};
    expect(names.triggers[0]).toMatchObject({ agentId: names.agents[0].id, accountId, filter: null });
    const [account] = listed[3]?.body.items ?? [];
    const { integration, identity } = account;
    expect(names.accounts[0]).toMatchObject({ integration, who: identity.username, endUserId: null });
    const { body: others } = await bench.call('GET', '/v1/names', { key: foreign.key });
    expect([others.agents, others.tools, others.triggers, others.accounts.length]).toEqual([[], [], [], 1]);
    expect(others.accounts[0].id).not.toBe(account.id);
  });
});
