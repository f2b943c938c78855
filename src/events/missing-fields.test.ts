import { expect, test } from 'vitest';
import { eventScene } from '../../test/event-scene.ts';

test('a trigger tells what its agent takes and its events do not have, when it is made and as long as it is so', async () => {
  await using scene = await eventScene();
  const accountId = await scene.connectBoard();
  const subject = '{{event.data.message.subject}}';
  const labels = ['{{event.data.card.labels[0].name}}', '{{event.data.card.labels.name}}'] as const;
  const agentId = await scene.commenter(
    accountId,
    `${subject} ${labels.join(' ')} {{event.summary}} \\{{event.data.x}}`,
  );
  const config = { boards: [scene.board.launch().id] };
  const { id, missing } = await scene.newTrigger(agentId, 'board.card_moved', accountId, config);
  expect(missing).toEqual([subject, labels[1]]);
  expect((await scene.made('PATCH', `/v1/triggers/${id}`, { name: 'Other' })).missing).toEqual(missing);

  const { runner } = await scene.made('GET', `/v1/agents/${agentId}`);
  const input = { ...runner.input, text: `${labels[0]} {{event.data.from.name}}` };
  await scene.made('PATCH', `/v1/agents/${agentId}`, { runner: { ...runner, input } });
  expect((await scene.made('GET', `/v1/triggers/${id}`)).missing).toEqual([]);

  await scene.newTrigger(agentId, 'board.new_label', accountId, config);
  const told = (await scene.made('GET', `/v1/triggers?agentId=${agentId}`)).items;
  const card = ['{{event.data.card.id}}', labels[0], '{{event.data.from.name}}'];
  expect(told.map((each: { missing: string[] }) => each.missing)).toEqual([card, []]);
});
