import { expect, test } from 'vitest';
import { startProcess } from '../prove/harness/processes.ts';
import { type Answer, call, stage } from '../prove/harness/stage.ts';
import { freshDatabase } from './database.ts';

const intervals = { leaseMs: 1_500, leaseRenewMs: 400, takeoverMs: 300, writeDeadlineMs: 3_000 };

type Item = { id: string; status: string; integration: string; agentId?: string; name: string };
const itemsOf = async (origin: string, path: string): Promise<Item[]> =>
  (await call(origin, 'GET', path)).body['items'] as Item[];
const made = async (answer: Promise<Answer>): Promise<string> => {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(JSON.stringify(body));
  return String(body['id'] ?? body['runId']);
};

const cardTool = {
  name: 'Make card',
  inputs: [
    { name: 'title', type: 'string', required: true },
    { name: 'listId', type: 'string', required: true },
    { name: 'account', type: 'account', integration: 'board' },
  ],
  steps: [
    {
      key: 'create',
      step: 'board.create_card',
      account: { input: 'account' },
      input: { idList: '{{inputs.listId}}', name: '{{inputs.title}}' },
    },
  ],
};

test('a first start sets the demo up once; a model whose process is killed goes on, each effect once', async () => {
  await using set = await stage();
  await using database = await freshDatabase();
  const environment = {
    ...set.environment,
    DATABASE_URL: database.connectionString,
    DATABASE_POOL: '7',
    INTERVALS: JSON.stringify(intervals),
    DEMO: 'on',
  };
  const doomed = await startProcess('start', environment);
  const at = doomed.origin;
  await expect.poll(() => itemsOf(at, '/v1/triggers')).toHaveLength(1);
  const accounts = await itemsOf(at, '/v1/accounts');
  expect(accounts.map(({ integration }) => integration).toSorted()).toEqual(['board', 'mail', 'mail']);
  expect(await itemsOf(at, '/v1/agents')).toMatchObject([
    { name: 'Responder', tools: [{ permission: 'approval' }], runner: { type: 'model' } },
  ]);

  // Its first mail starts the responder, which asks before it answers.
  await expect
    .poll(async () => (await itemsOf(at, '/v1/runs')).map(({ status }) => status))
    .toEqual(['waiting_approval']);
  expect(set.mail.world.outbox).toEqual([]);

  const list = set.board.newList();
  const account = accounts.find(({ integration }) => integration === 'board')?.id;
  const toolId = await made(call(at, 'POST', '/v1/tools', cardTool));
  const agentId = await made(
    call(at, 'POST', '/v1/agents', {
      name: 'Filer',
      tools: [{ toolId }],
      runner: { type: 'model', model: 'sandbox-script:obey-everything', input: { listId: list.id, account } },
    }),
  );
  set.board.control.faults.add({
    match: { method: 'POST', path: '/1/cards' },
    kind: 'accept_then',
    ms: 0,
    status: 503,
  });
  const titles = ['First', 'Second', 'Third'];
  const orders = titles.map((title) => `call make_card with {"title":"${title}"}\n`).join('');
  const runId = await made(call(at, 'POST', `/v1/agents/${agentId}/runs`, { input: { orders } }));
  // The card is there, and its maker does not know it yet.
  await expect.poll(() => set.board.cardsIn(list.id).length, { interval: 2 }).toBe(1);
  await doomed.kill();
  set.board.control.faults.clear();
  // As a sandbox that was started anew: it knows no token from before.
  set.mail.world.tokens.reset();

  // Beside a key for automation no demo is made, but one that is there is brought back.
  const heir = await startProcess('start', { ...environment, DEMO: 'auto' });
  try {
    const run = async () => (await call(heir.origin, 'GET', `/v1/runs/${runId}`)).body;
    await expect.poll(async () => (await run())['finishedAt']).not.toBeNull();
    const { status, journal } = (await run()) as { status: string; journal: { kind: string; data: Item }[] };
    expect(status).toBe('succeeded');
    expect(set.board.cardsIn(list.id).map(({ name }) => name)).toEqual(titles);
    expect(journal.filter(({ kind }) => kind === 'turn')).toHaveLength(4);
    expect(journal.filter(({ kind }) => kind === 'tool')).toHaveLength(3);
    const works = async ({ id }: Item) => (await call(heir.origin, 'POST', `/v1/accounts/${id}/test`)).body['works'];
    await expect.poll(() => Promise.all(accounts.map(works)), { interval: 200 }).toEqual([true, true, true]);
    expect(await itemsOf(heir.origin, '/v1/accounts')).toHaveLength(3);
  } finally {
    await heir.stop();
  }
}, 90_000);
