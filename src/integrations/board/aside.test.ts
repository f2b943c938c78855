import { expect, test } from 'vitest';
import { Fault } from '#kit';
import { aside } from './aside.ts';

test.each([
  ['upstream_rejected', 'The item "x" was not added: Why.'],
  ['outcome_unknown', 'The item "x" was not added, or perhaps it was: Why.'],
] as const)('a part that failed (%s) is told as missing only where that is known', async (code, told) => {
  const warnings: string[] = [];
  const context = { warn: (text: string) => void warnings.push(text) };
  await aside(context, 'The item "x" was not added', () => Promise.reject(new Fault(code, 'Why.')));
  expect(warnings).toEqual([told]);
});
