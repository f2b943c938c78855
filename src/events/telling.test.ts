import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { eventScene } from '../../test/event-scene.ts';

/** Another platform that takes messages in. */
const receiver = async () => {
  const taken: { type: string; data: Record<string, unknown> }[] = [];
  const server = createServer((request, answer) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      taken.push(JSON.parse(text));
      answer.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    taken,
    [Symbol.dispose]: () => void server.close(),
  };
};

test('platforms are told that an agent was started, and that a trigger broke, once each', async () => {
  using platform = await receiver();
  await using scene = await eventScene({ intervals: { lookMs: 300 } });
  await scene.made('POST', '/v1/webhooks', { url: platform.url, events: ['event.fired', 'trigger.broken'] });
  const accountId = await scene.connectBoard();
  const board = scene.board.newBoard();
  const trigger = await scene.newTrigger(await scene.reader(accountId), 'board.new_card', accountId, {
    boards: [board.id],
  });
  const told = (count: number) =>
    scene.until(
      async () => platform.taken,
      ({ length }) => length >= count,
    );

  const list = scene.board.newList({ board });
  scene.board.newCard({ list, as: 'ada' });
  const [event] = await scene.eventsUntil(1);
  await told(1);
  scene.board.control.faults.add({ match: { path: `/1/boards/${board.id}` }, kind: 'status', status: 404 });
  await told(2);
  await new Promise((resolve) => setTimeout(resolve, 500));

  expect(platform.taken).toMatchObject([
    { type: 'event.fired', data: { eventId: event.id, runId: event.runId, triggerId: trigger.id } },
    { type: 'trigger.broken', data: { triggerId: trigger.id, reason: expect.any(String) } },
  ]);
});

test('platforms are told whether something happened or somebody tried or replayed it', async () => {
  using platform = await receiver();
  await using scene = await eventScene({ intervals: { lookMs: 300 } });
  await scene.made('POST', '/v1/webhooks', { url: platform.url, events: ['event.fired'] });
  const accountId = await scene.connectBoard();
  const board = scene.board.newBoard();
  const trigger = await scene.newTrigger(await scene.reader(accountId), 'board.new_card', accountId, {
    boards: [board.id],
  });

  scene.board.newCard({ list: scene.board.newList({ board }), as: 'ada' });
  const [event] = await scene.eventsUntil(1);
  const replay = await scene.bench.owned('POST', `/v1/events/${event.id}/replay`);
  const sample = await scene.bench.owned('POST', `/v1/triggers/${trigger.id}/test`);
  const told = await scene.until(
    async () => platform.taken,
    ({ length }) => length >= 3,
  );

  const how = Object.fromEntries(told.map(({ data }) => [data['eventId'], data['delivery']]));
  expect(how).toEqual({ [event.id]: event.delivery, [replay.body.id]: 'replay', [sample.body.id]: 'test' });
  expect(['live', 'catchup']).toContain(event.delivery);
});

test.each([
  ['somebody who tries it', 240_000],
  ['a look of its own', 1_500],
])(
  'when %s finds an account refused, its triggers are told of once each, however many boards they watch',
  async (_, lookMs) => {
    using platform = await receiver();
    await using scene = await eventScene({ intervals: { lookMs } });
    await scene.made('POST', '/v1/webhooks', {
      url: platform.url,
      events: ['account.needs_reconnect', 'trigger.broken'],
    });
    const accountId = await scene.connectBoard();
    const agentId = await scene.reader(accountId);
    const boards = [scene.board.newBoard().id, scene.board.newBoard().id];
    const cards = await scene.settled(await scene.newTrigger(agentId, 'board.new_card', accountId, { boards }));
    const comments = await scene.settled(await scene.newTrigger(agentId, 'board.new_comment', accountId, { boards }));

    scene.board.control.faults.add({ match: { path: '/1/' }, kind: 'status', status: 401 });
    if (lookMs > 1_500) await scene.bench.owned('POST', `/v1/accounts/${accountId}/test`);
    await scene.until(
      async () => platform.taken,
      ({ length }) => length >= 3,
    );
    await new Promise((resolve) => setTimeout(resolve, 600));

    const told = platform.taken.map(({ type, data }) => `${type} ${String(data['triggerId'] ?? data['accountId'])}`);
    expect(told.toSorted()).toEqual(
      [
        `account.needs_reconnect ${accountId}`,
        `trigger.broken ${cards.id}`,
        `trigger.broken ${comments.id}`,
      ].toSorted(),
    );
    expect(await (await fetch(new URL('/metrics', scene.bench.origin))).text()).toContain(
      'switchboard_triggers{state="broken"} 2\n',
    );
    const { body } = await scene.bench.owned('GET', `/v1/triggers/${cards.id}`);
    expect([body.state, body.reason]).toEqual([
      'broken',
      platform.taken.find(({ type }) => type === 'trigger.broken')?.data['reason'],
    ]);
  },
);
