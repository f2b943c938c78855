import { expect, test } from 'vitest';
import { eventScene } from '../../test/event-scene.ts';

test('a mail that arrives starts the agent once', async () => {
  await using scene = await eventScene({ mail: true });
  const boardAccount = await scene.connectBoard();
  const mailAccount = await scene.bench.connectMail();
  const toolId = await scene.newTool('Note', ['name'], {
    step: 'board.create_card',
    input: { idList: scene.board.lists()[0]?.id, name: '{{inputs.name}}' },
  });
  const agent = await scene.newAgent('Noter', toolId, {
    name: '{{event.data.message.subject}}',
    account: boardAccount,
  });
  const trigger = await scene.newTrigger(agent, 'mail.new_email', mailAccount, { searchFilter: 'subject:invoice' });
  expect(trigger.watches).toMatchObject([{ state: 'healthy', way: 'push' }]);

  await fetch(`${scene.bench.mail.url}/_control/deliver`, {
    method: 'POST',
    body: JSON.stringify({ to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject: 'Your invoice', body: 'Hello' }),
    headers: { 'content-type': 'application/json' },
  });
  await fetch(`${scene.bench.mail.url}/_control/deliver`, {
    method: 'POST',
    body: JSON.stringify({ to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject: 'Lunch', body: 'Hello' }),
    headers: { 'content-type': 'application/json' },
  });

  const events = await scene.eventsUntil(2);
  expect(events.map(({ outcome, clause }) => ({ outcome, clause }))).toEqual(
    expect.arrayContaining([
      { outcome: 'fired', clause: undefined },
      { outcome: 'filtered', clause: 'subject:invoice' },
    ]),
  );
  const cards = await scene.until(
    async () => [...scene.board.world.cards.values()].filter(({ name }) => name === 'Your invoice'),
    ({ length }) => length > 0,
  );
  expect(cards).toHaveLength(1);
});
