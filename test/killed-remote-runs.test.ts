import { expect, test } from 'vitest';
import { startProcess } from '../prove/harness/processes.ts';
import { call, connectBoard, stage } from '../prove/harness/stage.ts';
import { freshDatabase } from './database.ts';
import { openReceiver } from './webhook-receiver.ts';

const intervals = { leaseMs: 1_000, leaseRenewMs: 300, takeoverMs: 200, writeDeadlineMs: 2_000, noticeRetryMs: 100 };

type Told = { runId: string; runKey: string; tools: { id: string }[] };

test('a process killed while it tells a platform, and while it carries out a call, leaves both to another', async () => {
  await using set = await stage();
  await using database = await freshDatabase();
  const environment = {
    ...set.environment,
    DATABASE_URL: database.connectionString,
    DATABASE_POOL: '7',
    INTERVALS: JSON.stringify(intervals),
  };
  let untold = '';
  await using there = await openReceiver(({ headers }) =>
    headers['webhook-id'] === untold && there.received.length < 3 ? new Promise(() => {}) : { status: 202 },
  );
  const told = (at: number): Told => (JSON.parse(there.received[at]?.body ?? '{}') as { data: Told }).data;
  const doomed = await startProcess('start', environment);
  const account = await connectBoard(doomed.origin, set.board);
  const card = set.board.newCard({ list: set.board.newList() });
  const { body: tool } = await call(doomed.origin, 'POST', '/v1/tools', {
    name: 'Comment',
    inputs: [{ name: 'text', type: 'string', required: true }],
    steps: [
      {
        key: 'say',
        step: 'board.add_comment_to_card',
        account: { id: account },
        input: { cardId: card.id, text: '{{inputs.text}}' },
      },
    ],
  });
  const { body: agent } = await call(doomed.origin, 'POST', '/v1/agents', {
    name: 'Elsewhere',
    tools: [{ toolId: tool['id'] }],
    runner: { type: 'webhook', url: there.url },
  });
  const start = () => call(doomed.origin, 'POST', `/v1/agents/${String(agent['id'])}/runs`, { input: {} });
  await start();
  await expect.poll(() => there.received.length).toBe(1);
  const mine = told(0);
  const say = (origin: string) =>
    fetch(`${origin}/v1/tools/${String(tool['id'])}/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${mine.runKey}`, 'content-type': 'application/json', 'idempotency-key': 'one' },
      body: JSON.stringify({ input: { text: 'Once' } }),
    });
  set.board.control.faults.add({ match: { method: 'POST', path: '/comments$' }, kind: 'latency', ms: 1_500 });
  const asked = say(doomed.origin).catch(() => undefined);
  const journalOf = async (origin: string) =>
    (await call(origin, 'GET', `/v1/runs/${mine.runId}`)).body['journal'] as { seq: number; kind: string }[];
  await expect.poll(async () => (await journalOf(doomed.origin)).some(({ kind }) => kind === 'call')).toBe(true);
  const { body: second } = await start();
  untold = String(second['runId']);
  await expect.poll(() => there.received.length).toBe(2);

  await doomed.kill();
  await asked;
  set.board.control.faults.clear();
  const heir = await startProcess('start', environment);
  try {
    const again = await say(heir.origin);
    expect([again.status, ((await again.json()) as Told).runId]).toEqual([200, mine.runId]);
    expect(set.board.comments(card.id)).toEqual(['Once']);
    await expect.poll(() => there.received.length, { interval: 100 }).toBe(3);
    expect(there.received[2]?.headers['webhook-id']).toBe(untold);
    for (const { runId, runKey } of [mine, told(2)]) {
      const headers = { authorization: `Bearer ${runKey}` };
      const { body } = await call(heir.origin, 'POST', `/v1/runs/${runId}/finish`, { status: 'succeeded' }, headers);
      expect(body).toEqual({ runId, status: 'succeeded' });
    }
    const journal = await journalOf(heir.origin);
    expect(journal.map(({ seq }) => seq)).toEqual(journal.map((_, at) => at + 1));
    expect(journal.filter(({ kind }) => kind === 'tool')).toHaveLength(1);
  } finally {
    await heir.stop();
  }
}, 60_000);
