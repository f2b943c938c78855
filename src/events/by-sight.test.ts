import { expect, test } from 'vitest';
import { eventScene } from '../../test/event-scene.ts';

test('what is remembered of a watch, its account and its agent counts only while it is so', async () => {
  await using scene = await eventScene();
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const config = { boards: [scene.board.launch().id] };
  const trigger = await scene.newTrigger(agentId, 'board.new_card', accountId, config);
  let count = 0;
  const next = async () => {
    count += 1;
    scene.board.newCard({ name: `Card ${count}`, as: 'ben' });
    return (await scene.eventsUntil(count))[0];
  };
  expect(await next()).toMatchObject({ outcome: 'fired' });
  expect(await next()).toMatchObject({ outcome: 'fired', delivery: 'live' });

  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { state: 'paused' });
  expect(await next()).toMatchObject({ outcome: 'skipped', reason: 'the trigger was paused' });
  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { state: 'enabled' });
  expect(await next()).toMatchObject({ outcome: 'fired' });

  await scene.made('PATCH', `/v1/agents/${agentId}`, { state: 'paused' });
  expect(await next()).toMatchObject({ outcome: 'skipped', reason: 'the agent was paused' });
  await scene.made('PATCH', `/v1/agents/${agentId}`, { state: 'enabled' });
  expect(await next()).toMatchObject({ outcome: 'fired' });

  await scene.made('PATCH', `/v1/accounts/${accountId}`, { paused: true });
  expect(await next()).toMatchObject({ outcome: 'skipped', reason: 'the account was paused' });
});
