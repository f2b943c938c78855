import { expect, test } from 'vitest';
import { z } from 'zod';
import { tellMisfits, wrongFields } from './index.ts';

tellMisfits();

const text = z.string().min(2).max(4);
const pair = z.strictObject({ a: z.string() });

const kinds = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('one') }),
  z.object({ kind: z.literal('two') }),
]);

test.each<[z.ZodType, unknown, string]>([
  [text, undefined, 'must be given'],
  [text, 5, 'must be text, not a number'],
  [text, null, 'must be text, not null'],
  [text, [], 'must be text, not a list'],
  [text, 'x', 'must have at least 2 characters'],
  [text, 'xxxxx', 'must have at most 4 characters'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().length(1), 'xx', 'must have exactly 1 character'],
  [z.array(text).min(1), [], 'must not be empty'],
  [z.array(text).max(1), ['xx', 'xx'], 'must have at most 1 item'],
  [z.array(text), '["xx"]', 'must be a list, not text'],
  [z.boolean(), 'true', 'must be true or false, not text'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.number(), Number.NaN, 'must be a number'],
  [z.int().min(1).max(9), 10, 'must be at most 9'],
  [z.number().positive(), 0, 'must be more than 0'],
  [pair, true, 'must be an object, not true'],
  [pair, { a: '', b: 1 }, 'b: is not a field here'],
  [z.enum(['low', 'high']), 'urgent', 'must be one of low, high'],
  [z.enum(['low', 'high']), undefined, 'must be given: one of low, high'],
  [z.literal('on'), 'off', 'must be on'],
  [z.literal([5, 10]), '10', 'must be one of 5, 10, as a number, not text'],
  [z.union([z.literal(5), z.literal(10)]), '5', 'must be one of 5, 10, as a number, not text'],
  [z.union([z.enum(['top', 'bottom']), z.number()]), 'first', 'must be one of top, bottom; or a number'],
  [z.union([z.enum(['top', 'bottom']), z.number()]), '1', 'must be one of top, bottom; or must be a number, not text'],
  [z.email(), 'ben', 'must be a mail address, such as ben@example.com'],
  [z.url(), 'ben', 'must be a whole web address, such as https://example.com/path'],
  [z.union([text, pair, z.array(text)]), 5, 'must be text, an object or a list, not a number'],
  [z.union([text, pair]), {}, 'a: must be given'],
  [
    z.union([pair, z.strictObject({ b: text })]),
    { c: 1 },
    'c: is not a field here; a: must be given; or b: must be given',
  ],
  [kinds, {}, 'must be given: one of one, two'],
  [kinds, { kind: 'three' }, 'must be one of one, two'],
  [z.object({ of: kinds }), {}, 'must be given: an object whose kind is one of one, two'],
  [z.union([text, pair]), { b: 1, c: 2 }, 'a: must be given, b, c: is not a field here'],
])('%# a value that does not fit is refused in our words', (schema, value, message) => {
  const [wrong] = wrongFields(schema.safeParse(value).error?.issues ?? [], 'x');
  expect(wrong?.field === 'x.b' ? `b: ${wrong.message}` : wrong?.message).toBe(message);
});

test('of a value of another type nothing else is said', () => {
  const { issues = [] } = z.object({ a: text, b: text }).safeParse({ a: [], b: 'x' }).error ?? {};
  expect(wrongFields(issues)).toEqual([
    { field: 'a', message: 'must be text, not a list' },
    { field: 'b', message: 'must have at least 2 characters' },
  ]);
});
