import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, type Workbench, workbench } from '#test';
import { openReceiver } from '../../test/webhook-receiver.ts';

let bench: Workbench;
let accountId: string;
beforeAll(async () => {
  bench = await workbench();
  accountId = await bench.connectBoard();
});
afterAll(() => bench[Symbol.asyncDispose]());

const made = async (method: string, path: string, body?: unknown): Promise<Answer['body']> => {
  const answer = await bench.owned(method, path, body);
  expect([path, answer.status < 300, answer.body.error?.message]).toEqual([path, true, undefined]);
  return answer.body;
};
const rests = async (runId: string) => {
  const read = async () => (await bench.owned('GET', `/v1/runs/${runId}`)).body;
  await expect.poll(async () => (await read()).status, { interval: 20 }).not.toMatch(/^(queued|running)$/);
  return read();
};
const remove = (id: string) => ({ method: 'DELETE', endpoint: `/1/cards/${id}` });
const cards = async (listId: string, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await bench.run('board.create_card', { idList: listId, name: `${n}` })).id);
  return ids;
};
const pending = async () => (await made('GET', '/v1/approvals?status=pending')).items;

/** An agent that may only do what is asked for elsewhere, told to remove these. */
const sweep = async (ids: readonly string[]): Promise<string> => {
  const steps = ids.map((id, n) => ({
    key: `r${n}`,
    step: 'board.api_call',
    account: { id: accountId },
    input: remove(id),
  }));
  const tool = await made('POST', '/v1/tools', { name: 'Sweep', steps });
  const agent = { name: 'Sweeper', tools: [{ toolId: tool.id }], runner: { type: 'tool', toolId: tool.id } };
  const { id } = await made('POST', '/v1/agents', agent);
  return (await made('POST', `/v1/agents/${id}/runs`, { input: {} })).runId;
};

test('what an agent removes beyond the limit waits for a person, each by itself, and people are not limited', async () => {
  await using platform = await openReceiver();
  await made('POST', '/v1/webhooks', { url: platform.url, events: ['approval.requested'] });
  expect((await made('GET', '/v1/settings')).deletes).toEqual({ perRun: 5, perAccountHour: 30 });
  await made('PATCH', '/v1/settings', { deletes: { perRun: 2 } });
  const list = bench.board.newList();
  const left = () => bench.board.cardsIn(list.id).length;
  const ids = await cards(list.id, 4);

  const runId = await sweep(ids);
  expect([(await rests(runId)).status, left()]).toEqual(['waiting_approval', 2]);
  const [third] = await pending();
  expect(third).toMatchObject({
    runId,
    effect: 'destroy',
    stepId: 'board.api_call',
    cause: { why: 'This run has removed something 2 times already.' },
  });
  await expect.poll(() => platform.received.length).toBe(1);
  expect(JSON.parse(platform.received[0]?.body ?? '')).toMatchObject({
    type: 'approval.requested',
    data: { approvalId: third.id, effect: 'destroy' },
  });
  const shown = await made('GET', `/v1/approvals/${third.id}`);
  expect(shown.request).toMatchObject({ method: 'DELETE', path: `/1/cards/${ids[2]}` });
  const edited = await bench.owned('POST', `/v1/approvals/${third.id}/edit`, { changes: remove(ids[3] ?? '') });
  expect([edited.status, left()]).toEqual([409, 2]);

  await made('POST', `/v1/approvals/${third.id}/approve`, { digest: third.digest });
  await expect.poll(async () => (await pending())[0]?.id ?? third.id).not.toBe(third.id);
  expect([(await rests(runId)).status, left()]).toEqual(['waiting_approval', 1]);
  const [fourth] = await pending();
  await made('POST', `/v1/approvals/${fourth.id}/reject`, { reason: 'Keep it' });
  const { status, error } = await rests(runId);
  expect([status, error.message, left()]).toEqual(['failed', expect.stringContaining('Nothing was removed'), 1]);
  const { items } = await made('GET', '/v1/audit?limit=100');
  const removed = items.filter(
    ({ details }: Answer['body']) => details.runId === runId && details.effect === 'destroy',
  );
  expect(removed.map(({ details }: Answer['body']) => details.approvalId)).toEqual([third.id, undefined, undefined]);

  await bench.run('board.api_call', remove(ids[3] ?? ''));
  expect(left()).toBe(0);

  const audit = async (query: string) => (await made('GET', `/v1/audit?limit=100&${query}`)).items;
  const { agentId } = await rests(runId);
  expect((await audit(`agentId=${agentId}&effect=destroy`)).map(({ id }: Answer['body']) => id)).toEqual(
    removed.map(({ id }: Answer['body']) => id),
  );
  const [newest] = await audit(`accountId=${accountId}&effect=destroy&stepId=board.api_call`);
  expect(newest).toMatchObject({ action: 'effect.sent', details: { path: `/1/cards/${ids[3]}` } });
  const later = encodeURIComponent(new Date(Date.parse(newest.at) + 1).toISOString());
  expect(await audit(`from=${later}&action=effect`)).toEqual([]);
  expect((await audit(`to=${later}&action=approval.rejected`)).length).toBe(1);
  expect(await audit('accountId=acc_none')).toEqual([]);
});

test('an account has a limit of its own over all runs, and only who may let things leave raises it', async () => {
  await made('PATCH', '/v1/settings', { deletes: { perRun: 10, perAccountHour: 5 } });
  const list = bench.board.newList();
  const [one = '', two = ''] = await cards(list.id, 2);
  // Four were removed above, by an agent and by a person.
  expect((await rests(await sweep([one]))).status).toBe('succeeded');
  const runId = await sweep([two]);
  expect((await rests(runId)).status).toBe('waiting_approval');
  expect((await pending())[0].cause.why).toContain('This account has removed something 5 times within the hour');
  expect(bench.board.cardsIn(list.id)).toHaveLength(1);

  const { key } = await made('POST', '/v1/api-keys', { name: 'admin', scopes: ['admin'] });
  const raise = (deletes: object) => bench.call('PATCH', '/v1/settings', { key, body: { deletes } });
  expect((await raise({ perAccountHour: 6 })).status).toBe(403);
  expect((await raise({ perAccountHour: 4 })).status).toBe(200);
});
