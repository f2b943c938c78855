import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventScene, type Scene } from '../../test/event-scene.ts';

/** The service tells the time in seconds: what is nearer to the end of a pause may have happened after it. */
const clearlyBefore = () => sleep(2_500);

const outcomes = async (scene: Scene, triggerId: string) => {
  const events = await scene.events({ triggerId });
  return events.map(({ summary, outcome, reason }) => [/“(.*?)”/.exec(summary)?.[1], outcome, reason]).sort();
};

const inPauseOf = (whose: string) =>
  expect.stringMatching(new RegExp(`^the ${whose} was paused when it happened \\(from 20\\S+Z to 20\\S+Z\\)$`));

test('what happened in a pause and is found after it, as while the service was away, starts nobody unless it is replayed', async () => {
  await using scene = await eventScene({ pushed: false, intervals: { pollMs: 200 } });
  const { board, made } = scene;
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const boards = [board.launch().id];
  const trigger = await scene.newTrigger(agentId, 'board.new_card', accountId, { boards });
  const patient = await scene.newTrigger(agentId, 'board.new_card', accountId, { boards });
  const change = async (state: string) => {
    await made('PATCH', `/v1/triggers/${trigger.id}`, { state });
    await made('PATCH', `/v1/triggers/${patient.id}`, { state, ...(state === 'enabled' ? { catchUp: true } : {}) });
  };
  await change('paused');
  board.control.faults.add({ match: { path: '/1/boards/' }, kind: 'status', status: 503 });
  await sleep(1_100);
  board.newCard({ name: 'In the pause', as: 'ben' });
  await clearlyBefore();
  const begun = Date.now();
  await change('enabled');
  const tookMs = Date.now() - begun;
  // The settings are changed meanwhile.
  await made('PATCH', `/v1/triggers/${trigger.id}`, { config: { boards, ignoreSelf: false } });
  board.newCard({ name: 'After it', as: 'ben' });
  expect(await scene.events({ outcome: 'fired' })).toEqual([]);
  board.control.faults.clear();

  await scene.eventsUntil(2, { triggerId: trigger.id });
  expect(await outcomes(scene, trigger.id)).toEqual([
    ['After it', 'fired', undefined],
    ['In the pause', 'skipped', inPauseOf('trigger')],
  ]);
  await scene.eventsUntil(2, { triggerId: patient.id });
  expect((await outcomes(scene, patient.id)).map(([, outcome]) => outcome)).toEqual(['fired', 'fired']);
  expect(tookMs).toBeLessThan(4_000);

  const [skipped] = await scene.events({ outcome: 'skipped' });
  expect(await made('POST', `/v1/events/${skipped.id}/replay`)).toMatchObject({ outcome: 'fired' });
});
