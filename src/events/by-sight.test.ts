import { expect, test } from 'vitest';
import { eventScene } from '../../test/event-scene.ts';
import { runStatement } from '../../test/run-statement.ts';
import type { Answer } from '../../test/workbench.ts';

test('what is remembered of a watch, its account and its agent counts only while it is so', async () => {
  await using scene = await eventScene();
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const config = { boards: [scene.board.launch().id] };
  const trigger = await scene.newTrigger(agentId, 'board.new_card', accountId, config);
  await scene.settled(trigger);
  let count = 0;
  const next = async () => {
    count += 1;
    scene.board.newCard({ name: `Card ${count}`, as: 'ben' });
    return (await scene.eventsUntil(count))[0];
  };
  expect(await next()).toMatchObject({ outcome: 'fired', delivery: 'live' });
  expect(await next()).toMatchObject({ outcome: 'fired', delivery: 'live' });

  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { state: 'paused' });
  expect(await next()).toMatchObject({
    outcome: 'skipped',
    reason: expect.stringMatching(/^the trigger was paused \(since 20.*Z\)$/),
  });
  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { state: 'enabled' });
  expect(await next()).toMatchObject({ outcome: 'fired' });

  await scene.made('PATCH', `/v1/agents/${agentId}`, { state: 'paused' });
  expect(await next()).toMatchObject({ outcome: 'skipped', reason: 'the agent was paused' });
  await scene.made('PATCH', `/v1/agents/${agentId}`, { state: 'enabled' });
  expect(await next()).toMatchObject({ outcome: 'fired' });

  await scene.made('PATCH', `/v1/accounts/${accountId}`, { paused: true });
  expect(await next()).toMatchObject({ outcome: 'skipped', reason: 'the account was paused' });
  await scene.made('PATCH', `/v1/accounts/${accountId}`, { paused: false });

  // The board that it leaves is still watched, because another one watches all there are.
  const comments = await scene.newTrigger(agentId, 'board.new_comment', accountId);
  const board = scene.board.newBoard();
  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { config: { boards: [board.id] } });
  scene.board.comment(scene.board.newCard({ as: 'ben' }), 'Noted', 'ben');
  await scene.eventsUntil(1, { triggerId: comments.id });
  expect(await scene.events({ triggerId: trigger.id })).toHaveLength(count);

  const card = scene.board.newCard({ list: scene.board.newList({ board, as: 'ada' }), as: 'ada' });
  expect(await scene.eventsUntil(count + 1, { triggerId: trigger.id })).toHaveLength(count + 1);
  await runStatement(
    scene.bench.connectionString,
    `set app.workspace = '*'; update triggers set resync_at = now() where resync_at is not null`,
  );
  await scene.until(
    () => scene.made('GET', `/v1/triggers/${comments.id}`),
    ({ watches }) => watches.length === 2,
  );
  scene.board.comment(card, 'Noted', 'ada');
  expect(await scene.eventsUntil(2, { triggerId: comments.id })).toHaveLength(2);
});

test('a run that is begun before it is stored does what its tool says by then', async () => {
  await using scene = await eventScene();
  const accountId = await scene.connectBoard();
  const agentId = await scene.commenter(accountId, 'Seen');
  await scene.newTrigger(agentId, 'board.new_card', accountId, { boards: [scene.board.launch().id] });
  const said = async (): Promise<string[]> => {
    const card = scene.board.newCard({ as: 'ben' });
    return scene.until(
      async () => scene.comments(card.id),
      ({ length }) => length > 0,
    );
  };
  expect(await said()).toEqual(['Seen']);
  expect(await said()).toEqual(['Seen']);
  const [tool] = (await scene.made('GET', '/v1/tools')).items;

  const { steps } = await scene.made('GET', `/v1/tools/${tool.id}`);
  await scene.made('PATCH', `/v1/tools/${tool.id}`, {
    steps: [{ ...steps[0], input: { ...steps[0].input, text: 'Noted' } }],
  });

  expect(await said()).toEqual(['Noted']);
  expect(await said()).toEqual(['Noted']);
  const versions = await scene.until(
    async () =>
      (await scene.made('GET', '/v1/runs?status=succeeded')).items.map((run: Answer['body']) => run.toolVersion),
    ({ length }) => length === 4,
  );
  expect(versions).toEqual([2, 2, 1, 1]);
});
