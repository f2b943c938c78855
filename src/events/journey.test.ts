import { expect, test, vi } from 'vitest';
import { eventScene } from '../../test/event-scene.ts';

test('a card that somebody makes starts the agent once, which acts once', async () => {
  await using scene = await eventScene();
  const accountId = await scene.connectBoard();
  const begun = vi.spyOn(globalThis, 'setTimeout');
  const calledOff = vi.spyOn(globalThis, 'clearTimeout');
  const trigger = await scene.newTrigger(await scene.commenter(accountId), 'board.new_card', accountId, {
    boards: [scene.board.launch().id],
  });
  await scene.settled(trigger);
  // A wait for the first look that goes on after it would keep a process from ending.
  const waits = begun.mock.results.filter((_, at) => begun.mock.calls[at]?.[1] === 8_000).map(({ value }) => value);
  expect(waits).toHaveLength(1);
  expect(calledOff.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(waits));
  begun.mockRestore();
  calledOff.mockRestore();

  const card = scene.board.newCard({ name: 'Milk', as: 'ben' });

  const [event] = await scene.eventsUntil(1);
  expect(event).toMatchObject({
    triggerId: trigger.id,
    outcome: 'fired',
    delivery: 'live',
    summary: expect.any(String),
  });
  const run = await scene.until(
    () => scene.run(event.runId),
    ({ status }) => status !== 'running' && status !== 'queued',
  );
  expect(run).toMatchObject({ status: 'succeeded', eventId: event.id });
  expect((await scene.made('GET', '/v1/runs')).items).toMatchObject([{ id: run.id, about: event.summary }]);
  expect(scene.comments(card.id)).toEqual([`Seen: ${event.upstreamId}`]);
  expect(trigger.config.includeCard).toBe(false);

  const quoting = await scene.commenter(accountId, 'It says: {{event.data.card.desc}}');
  const config = { boards: [scene.board.launch().id] };
  const reading = await scene.newTrigger(quoting, 'board.new_card', accountId, config);
  expect(reading.config.includeCard).toBe(true);
  await scene.settled(reading);
  const described = scene.board.newCard({ name: 'Bread', desc: 'Rye', as: 'ben' });
  await expect.poll(() => scene.comments(described.id)).toContain('It says: Rye');
  const { config: kept } = await scene.made('PATCH', `/v1/triggers/${reading.id}`, {
    config: { ...config, includeCard: false },
  });
  expect(kept.includeCard).toBe(false);
});
