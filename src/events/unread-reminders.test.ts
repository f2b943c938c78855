import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventScene, type Scene } from '../../test/event-scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await eventScene({ intervals: { pollMs: 600, retryMs: 50 } });
});
afterEach(() => scene[Symbol.asyncDispose]());

/** Two cards whose moment has come; one of them cannot be read. */
const reminded = async () => {
  const { board } = scene;
  const accountId = await scene.connectBoard();
  const agentId = await scene.commenter(accountId, 'Due at {{event.data.dueAt}}');
  const config = { boards: [board.launch().id], leadTime: 'PT1H' };
  const trigger = await scene.newTrigger(agentId, 'board.card_due_reminder', accountId, config);
  const due = new Date(Date.now() + 3_595_000).toISOString();
  const [broken, sound] = [board.newCard({ due }), board.newCard({ due })];
  board.control.faults.add({ match: { method: 'GET', path: `/1/cards/${broken.id}` }, kind: 'status', status: 500 });
  const eventOf = ({ id }: { id: string }, isDone: (event: Record<string, unknown>) => boolean) =>
    scene.until(
      async () => (await scene.events({ triggerId: trigger.id })).find(({ upstreamId }) => upstreamId.startsWith(id)),
      (event) => event !== undefined && isDone(event),
      30_000,
    );
  return { trigger, broken, sound, eventOf };
};

const commentsOn = ({ id }: { id: string }) =>
  scene.until(
    async () => scene.comments(id),
    (texts) => texts.length > 0,
  );

test('a card that cannot be read keeps no other reminder back, and is tried again', async () => {
  const { broken, sound, eventOf } = await reminded();
  expect(await eventOf(sound, ({ outcome }) => outcome === 'fired')).toMatchObject({ outcome: 'fired' });
  expect(await eventOf(broken, () => true)).toMatchObject({ outcome: 'failed', retry: { state: 'retrying' } });
  scene.board.control.faults.clear();
  expect(await eventOf(broken, ({ outcome }) => outcome === 'fired')).toMatchObject({ outcome: 'fired' });
  for (const card of [broken, sound]) {
    expect(await commentsOn(card)).toHaveLength(1);
  }
});

test('one that could never be read is given up, and can be replayed once it can', async () => {
  const { broken, eventOf } = await reminded();
  const dead = await eventOf(broken, ({ retry }) => (retry as { state: string }).state === 'dead');
  expect(dead).toMatchObject({ outcome: 'failed', retry: { state: 'dead', attempts: 8 } });
  scene.board.control.faults.clear();
  await scene.made('POST', `/v1/events/${dead.id}/replay`);
  expect(await commentsOn(broken)).toHaveLength(1);
});

test('one that is done before it could be read is skipped, with the reason', async () => {
  const { broken, eventOf } = await reminded();
  await eventOf(broken, ({ outcome }) => outcome === 'failed');
  scene.board.changeCard(broken, { dueComplete: true });
  scene.board.control.faults.clear();
  const skipped = await eventOf(broken, ({ outcome }) => outcome === 'skipped');
  expect(skipped).toMatchObject({ outcome: 'skipped', reason: 'The card is no longer one to be reminded of.' });
});

test('one that came to be in a pause is skipped, although it could not be read after the pause either', async () => {
  const { board, made } = scene;
  const accountId = await scene.connectBoard();
  const agentId = await scene.commenter(accountId, 'Due at {{event.data.dueAt}}');
  const boards = [board.launch().id];
  const { id } = await scene.newTrigger(agentId, 'board.card_due_reminder', accountId, { boards, leadTime: 'PT1H' });
  await made('PATCH', `/v1/triggers/${id}`, { state: 'paused' });
  const card = board.newCard({ due: new Date(Date.now() + 30 * 60_000).toISOString(), as: 'ben' });
  const fault = { match: { method: 'GET', path: `/1/cards/${card.id}` }, kind: 'status', status: 500 } as const;
  board.control.faults.add(fault);
  await made('PATCH', `/v1/triggers/${id}`, { state: 'enabled' });
  await scene.eventsUntil(1);
  board.control.faults.clear();

  const isDone = ([event]: Record<string, unknown>[]) => event?.['outcome'] !== 'failed';
  const [event] = await scene.until(() => scene.events({ triggerId: id }), isDone);
  expect(event).toMatchObject({ outcome: 'skipped', reason: expect.stringMatching(/^the trigger was paused when/) });
  expect(scene.comments(card.id)).toEqual([]);
  await made('POST', `/v1/events/${event.id}/replay`);
  expect(await commentsOn(card)).toHaveLength(1);
});
