import { expect, test } from 'vitest';
import { workbench } from '#test';

test('the card lands on top of the list', async () => {
  await using bench = await workbench();
  const list = bench.board.newList();
  await bench.run('board.create_card', { idList: list.id, name: 'Bread' });

  await bench.run('board.create_card', { idList: list.id, name: 'Milk', pos: 'top' });

  expect(bench.board.cardsIn(list.id).map(({ name }) => name)).toEqual(['Milk', 'Bread']);
});

test('the same label given twice is applied once, and one that the board does not have is left out', async () => {
  await using bench = await workbench();
  const list = bench.board.newList();
  const labels = await bench.run('board.api_call', { method: 'GET', endpoint: `/1/boards/${list.idBoard}/labels` });
  const label = labels.data[0].id;
  const deleted = 'f'.repeat(24);

  const card = await bench.run('board.create_card', {
    idList: list.id,
    name: 'Tea',
    idLabels: [label, label, deleted],
  });

  expect(card.labels.map(({ id }: { id: string }) => id)).toEqual([label]);
});
