import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Running, startProcess } from '../prove/harness/processes.ts';
import { call, connectBoard, type Stage, stage } from '../prove/harness/stage.ts';
import { freshDatabase } from './database.ts';
import { runStatement } from './run-statement.ts';
import { createVisitor } from './visitor.ts';

// Leases and deadlines of seconds, so that a dead process's runs are soon taken over.
const intervals = { leaseMs: 1_500, leaseRenewMs: 400, takeoverMs: 300, writeDeadlineMs: 3_000, sweepMs: 300 };

const input = (name: string, type: string, over: object = {}) => ({ name, type, required: true, ...over });
const step = (key: string, id: string, given: object) => ({
  key,
  step: id,
  account: { input: 'account' },
  input: given,
});
const tool = {
  name: 'Card, look, comment',
  inputs: [input('listId', 'string'), input('title', 'string'), input('account', 'account', { integration: 'board' })],
  steps: [
    step('create', 'board.create_card', { idList: '{{inputs.listId}}', name: '{{inputs.title}}' }),
    step('look', 'board.get_card', { cardId: '{{steps.create.output.id}}' }),
    step('say', 'board.add_comment_to_card', { cardId: '{{steps.look.output.id}}', text: 'For {{inputs.title}}' }),
  ],
};

/** What it writes depends on what it read. */
const echo = (listId: string, cardId: string) => ({
  name: 'Echo',
  inputs: [tool.inputs[2]],
  steps: [
    step('look', 'board.get_list_cards', { list: listId }),
    step('say', 'board.add_comment_to_card', { cardId, text: 'Saw {{steps.look.output.items[0].name}}' }),
  ],
});

/** Somebody signs in at the board service. */
const signIn = async ({ origin }: Running, { board }: Stage, endUserId: string): Promise<string> => {
  board.consent.current = { mode: 'auto', as: 'ben' };
  const { body } = await call(origin, 'POST', '/v1/connect', { integration: 'board', method: 'oauth2', endUserId });
  const { accountId = '' } = await createVisitor({ origin, publicOrigin: origin }).visit(String(body['url']));
  return accountId;
};

const beginLeaving = async ({ origin }: Running, accountId: string): Promise<void> => {
  void call(origin, 'DELETE', `/v1/accounts/${accountId}`).catch(() => {});
  const state = async () => (await call(origin, 'GET', `/v1/accounts/${accountId}`)).body['state'];
  await expect.poll(state, { interval: 20 }).toBe('disconnected');
};

test('runs of tools and agents whose process is killed between and within steps end well, each effect once, and who was leaving has left', async () => {
  await using set = await stage();
  await using database = await freshDatabase();
  const environment = {
    ...set.environment,
    DATABASE_URL: database.connectionString,
    DATABASE_POOL: '7',
    INTERVALS: JSON.stringify(intervals),
  };
  const list = set.board.newList();
  const doomed = await startProcess('start', environment);
  const accountId = await connectBoard(doomed.origin, set.board);
  const { body: made } = await call(doomed.origin, 'POST', '/v1/tools', tool);
  const toolId = String(made['id']);
  const mapping = { listId: list.id, title: '{{event.data.title}}', account: accountId };
  const { body: agent } = await call(doomed.origin, 'POST', '/v1/agents', {
    name: 'Agent',
    tools: [{ toolId }],
    runner: { type: 'tool', toolId, input: mapping },
  });

  const leaving = [await signIn(doomed, set, 'first'), await signIn(doomed, set, 'second')];
  const source = set.board.newList();
  const seen = set.board.newCard({ list: source, name: 'Before' });
  const target = set.board.newCard({ list: set.board.newList() });
  const { body: echoing } = await call(doomed.origin, 'POST', '/v1/tools', echo(source.id, target.id));
  const comments = { method: 'POST', path: `/1/cards/${target.id}/` };
  set.board.control.faults.add({ match: comments, kind: 'latency', ms: 2_500 });

  // Each call has an even chance to be under way when the process dies.
  for (const [method, path] of [
    ['POST', '^/1/cards$'],
    ['GET', '^/1/cards/\\w+$'],
    ['POST', '/comments$'],
  ] as const) {
    set.board.control.faults.add({ match: { method, path }, kind: 'latency', ms: 2_500, rate: 0.5 });
  }
  const ofTool = Array.from({ length: 7 }, (_, n) => `tool ${n}`);
  const ofAgent = Array.from({ length: 5 }, (_, n) => `agent ${n}`);
  const asked = [
    ...ofTool.map((title) =>
      call(doomed.origin, 'POST', `/v1/tools/${toolId}/run`, { input: { listId: list.id, title, account: accountId } }),
    ),
    call(doomed.origin, 'POST', `/v1/tools/${String(echoing['id'])}/run`, { input: { account: accountId } }),
    ...ofAgent.map((title) =>
      call(doomed.origin, 'POST', `/v1/agents/${String(agent['id'])}/runs`, { input: { title } }),
    ),
  ].map((answer) => answer.catch(() => undefined));
  const total = asked.length;
  type Listed = { items: { id: string; status: string; error: unknown }[] };
  const runs = async (origin: string) => ((await call(origin, 'GET', '/v1/runs?limit=100')).body as Listed).items;
  await expect.poll(async () => (await runs(doomed.origin)).length).toBe(total);
  await sleep(300);
  const open = (await runs(doomed.origin)).filter(({ status }) => status === 'running').length;
  await Promise.all(leaving.map((id) => beginLeaving(doomed, id)));
  await doomed.kill();
  await Promise.all(asked);
  expect(open).toBeGreaterThan(2);

  set.board.control.faults.clear();
  set.board.changeCard(seen, { name: 'After' });
  // As if whoever died had ended one of the grants already, and only not told.
  const refused = { method: 'DELETE', path: '/1/tokens' };
  set.board.control.faults.add({ match: refused, kind: 'status', status: 401, times: 1 });
  const heir = await startProcess('start', environment);
  // As if a minute had passed.
  const longAgo = `select set_config('app.workspace', '*', false); update revocations set take_up_at = now() - interval '1 s'`;
  await runStatement(database.connectionString, longAgo);
  try {
    await expect.poll(async () => (await runs(heir.origin)).filter(({ status }) => status !== 'succeeded')).toEqual([]);
    const cards = set.board.cardsIn(list.id);
    expect(cards.map(({ name }) => name).toSorted()).toEqual([...ofAgent, ...ofTool].toSorted());
    for (const { id, name } of cards) expect(set.board.comments(id)).toEqual([`For ${name}`]);
    // Already decided when its process died.
    expect(set.board.comments(target.id)).toEqual(['Saw Before']);
    for (const { id } of await runs(heir.origin)) {
      const { body } = await call(heir.origin, 'GET', `/v1/runs/${id}`);
      const journal = body['journal'] as { seq: number; kind: string; data: Record<string, unknown> }[];
      expect(journal.map(({ seq }) => seq)).toEqual(journal.map((_, at) => at + 1));
      const finished = journal.filter(({ kind, data }) => kind === 'step' && 'output' in data);
      const keys = body['toolId'] === echoing['id'] ? ['look', 'say'] : ['create', 'look', 'say'];
      expect(finished.map(({ data }) => data['key'])).toEqual(keys);
      expect([journal[0]?.kind, journal.at(-1)?.kind]).toEqual(['started', 'finished']);
    }
    type Audited = { items: { action: string }[] };
    const told = async (id: string) =>
      ((await call(heir.origin, 'GET', `/v1/audit?accountId=${id}`)).body as Audited).items.map(({ action }) => action);
    for (const id of leaving)
      await expect.poll(() => told(id)).toEqual(['account.revoked', 'account.disconnected', 'account.connected']);
    const revoking = set.board.control.log.list().filter(({ method }) => method === 'DELETE');
    expect(revoking.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  } finally {
    await heir.stop();
  }
}, 90_000);
