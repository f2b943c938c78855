import { expect, test } from 'vitest';
import { changesBetween } from './changes.ts';

test('a long value is told shortened, and not by half a character', () => {
  const [change] = changesBetween({ body: '' }, { body: `${'a'.repeat(499)}😀 and more` }, []);
  expect(change).toEqual({ field: 'body', from: '', to: `${'a'.repeat(499)}\ufffd…` });
});
