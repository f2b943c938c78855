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
