import { expect, test } from 'vitest';
import { eventScene } from '../../test/event-scene.ts';

test('what an agent wrote while the service went away is looked for until it is back, and the run goes on with it', async () => {
  await using scene = await eventScene();
  const accountId = await scene.connectBoard();
  const trigger = await scene.newTrigger(await scene.commenter(accountId, 'Seen'), 'board.new_card', accountId);
  await scene.settled(trigger);
  const { faults } = scene.board.control;
  const match = { method: 'POST', path: '/1/cards/' };
  faults.add({ match, kind: 'accept_then', status: 503, times: 1 });
  faults.add({ match: { method: 'GET' }, kind: 'status', status: 503 });
  const card = scene.board.newCard({ as: 'ben' });
  await expect.poll(() => scene.comments(card.id)).toEqual(['Seen']);
  const run = async () => (await scene.made('GET', '/v1/runs?limit=1')).items[0];
  await expect.poll(async () => (await run()).status).not.toBe('running');
  expect(await run()).toMatchObject({ status: 'queued' });
  faults.clear();

  await expect.poll(async () => (await run()).status).toBe('succeeded');
  expect(scene.comments(card.id)).toEqual(['Seen']);
});
