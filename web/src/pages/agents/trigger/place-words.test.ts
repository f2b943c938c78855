import { expect, test } from 'vitest';
import type { Diagnosis } from '../../../../../client/src/index.ts';
import { inPlaceWords } from './place-words.ts';

const called = (name: string | null) =>
  ({ watches: [{ resource: 'board/b1', name }] }) as unknown as Pick<Diagnosis, 'watches'>;

test.each([
  ['The board “Launch” (board/b1) is watched.', 'Launch', 'The board “Launch” is watched.'],
  ['The board “The “big” one” (board/b1) is degraded.', 'The “big” one', 'The board “The “big” one” is degraded.'],
  ['The board “A” is gone, and board/b1 rests.', 'Launch', 'The board “A” is gone, and the board “Launch” rests.'],
  ['board/b1 is being set up.', null, 'A board of the account is being set up.'],
])('“%s” is said in the words of people, whatever a board is called', (text, name, said) => {
  expect(inPlaceWords(text, called(name), () => undefined)).toBe(said);
});
