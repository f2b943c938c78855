import { expect, test } from 'vitest';
import { changesBetween } from './changes.ts';

test('a long value is told shortened, and not by half a character', () => {
  const [change] = changesBetween({ body: '' }, { body: `${'a'.repeat(499)}😀 and more` }, []);
  expect(change).toEqual({ field: 'body', from: '', to: `${'a'.repeat(499)}\ufffd…` });
});

test('of long texts that begin alike, the place where they differ is told', () => {
  const [body, ...none] = changesBetween({ body: 'a'.repeat(600) }, { body: `${'a'.repeat(600)}, and more` }, []);
  const before = `…${'a'.repeat(40)}`;
  expect([body, none]).toEqual([{ field: 'body', from: before, to: `${before}, and more` }, []]);
});

test('texts that are short enough are told as a whole, however late they differ', () => {
  const [was, is] = [`${'a'.repeat(480)} old`, `${'a'.repeat(480)} new`];
  expect(changesBetween({ body: was }, { body: is }, [])).toEqual([{ field: 'body', from: was, to: is }]);
});
