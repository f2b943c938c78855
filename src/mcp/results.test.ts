import { expect, test } from 'vitest';
import { Fault } from '#kit';
import { fitting, refusal } from './results.ts';

test('a long output is cut between characters, and its parts are the whole', () => {
  const output = '😀'.repeat(40_000);
  const first = fitting(output, 'run_1') as { outputText: string; goOnWith: { arguments: { offset: number } } };
  const second = fitting(output, 'run_1', first.goOnWith.arguments.offset) as { outputText: string };
  expect([first, second].map(({ outputText }) => outputText.isWellFormed())).toEqual([true, true]);
  expect(JSON.parse(first.outputText + second.outputText)).toBe(output);
});

test('a model is told to have granted what is missing where that can be asked for, and else not to repeat it', () => {
  const told = (details: Record<string, unknown>) => refusal(new Fault('forbidden', 'Not granted.', { details }), []);
  const saying = (next: RegExp) => ({ structuredContent: { error: { next: expect.stringMatching(next) } } });
  const missing = { missingScopes: ['Mail.Send'] };
  expect(told({ ...missing, connect: { integration: 'mail' } })).toMatchObject(saying(/call again once it is/));
  expect(told(missing)).toMatchObject(saying(/Do not repeat this/));
});
