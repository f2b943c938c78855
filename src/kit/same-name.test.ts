import { expect, test } from 'vitest';
import { caseless, sameName } from './same-name.ts';

test.each([
  ['Caf\u00e9', 'CAFE\u0301'],
  ['\u0130stanbul', 'istanbul'],
  ['\u0130STANBUL', 'Istanbul'],
  ['I\u015eIK', '\u0131\u015f\u0131k'],
  ['Stra\u00dfe', 'STRASSE'],
  ['ΟΔΟΣ', 'οδος'],
  ['\u1112\u1161\u11ab', '한'],
  ['工作', '工作'],
  ['مهم 🚀', 'مهم 🚀'],
])('%s and %s are one name', (one, other) => {
  expect(sameName(one, other)).toBe(true);
});

test.each([
  ['Résumé', 'Resume'],
  ['かき', 'かぎ'],
  ['Done', 'Done ✅'],
])('%s and %s are two', (one, other) => {
  expect(sameName(one, other)).toBe(false);
});

test('marks piled on one letter cost nothing', () => {
  expect(caseless(`a${'\u0301'.repeat(16_000)}`).length).toBeLessThan(32);
});
