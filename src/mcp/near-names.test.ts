import { expect, test } from 'vitest';
import { nearNames } from './near-names.ts';

const names = ['board_create_card', 'board_create_list', 'board_add_label', 'mail_add_label', 'mail_get_email'];

test.each([
  ['board_create_crad', ['board_create_card']],
  ['board.create_card', ['board_create_card']],
  ['create_card', ['board_create_card']],
  ['Board-Create-Card', ['board_create_card']],
  ['add_label', ['board_add_label', 'mail_add_label']],
  ['launch_rocket', []],
  ['card', ['board_create_card']],
  ['x'.repeat(10_000), []],
])('by %s those are meant that are called nearly so', (given, found) => {
  expect(nearNames(given, names)).toEqual(found);
});

test('of very many tools only the first are compared letter by letter: others wait meanwhile', () => {
  const many = Array.from({ length: 9_000 }, (_, at) => `tool_${String(at).padStart(4, '0').repeat(3)}`);
  expect(nearNames('tool_0100_1000100', many)).toEqual(['tool_010001000100']);
  expect(nearNames('tool_8100_1008100', many)).toEqual([]);
  expect(nearNames('810081008100', many)).toEqual(['tool_810081008100']);
});
