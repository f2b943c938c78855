import { expect, test } from 'vitest';
import { fitting } from './results.ts';

test('a long output is cut between characters, and its parts are the whole', () => {
  const output = '😀'.repeat(40_000);
  const first = fitting(output, 'run_1') as { outputText: string; goOnWith: { arguments: { offset: number } } };
  const second = fitting(output, 'run_1', first.goOnWith.arguments.offset) as { outputText: string };
  expect([first, second].map(({ outputText }) => outputText.isWellFormed())).toEqual([true, true]);
  expect(JSON.parse(first.outputText + second.outputText)).toBe(output);
});
