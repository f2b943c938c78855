import { expect, test } from 'vitest';
import { createChecklistItem } from './create-checklist-item.ts';

test.each([
  [['Paper'], 'Added “Paper” to the checklist “Shopping”.'],
  [[], 'Added nothing to the checklist “Shopping”.'],
])('what was added is said: %j', (names, said) => {
  const items = names.map((name) => ({ name }));
  expect(createChecklistItem.summary({ items, checklist: { name: 'Shopping' } })).toBe(said);
});
