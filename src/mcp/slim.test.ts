import { expect, test } from 'vitest';
import { slim } from './slim.ts';

test('what only forms and checks need is left out, and arguments keep their names', () => {
  const date = { type: 'string', format: 'date', pattern: '^\\d{4}-\\d\\d-\\d\\d$' };
  const given = {
    type: 'object',
    properties: {
      pattern: { type: 'string', minLength: 1, maxLength: 9, pattern: '^a', description: 'How it repeats.' },
      picker: { type: 'array', items: { type: 'string', picker: 'cards' }, maxItems: 3 },
      query: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} },
      due: { anyOf: [{ anyOf: [date, { type: 'number' }] }, { type: 'null' }], description: 'When.' },
    },
    required: ['picker'],
    additionalProperties: false,
  };
  expect(slim(given)).toEqual({
    type: 'object',
    properties: {
      pattern: { type: 'string', pattern: '^a', description: 'How it repeats.' },
      picker: { type: 'array', items: { type: 'string' }, maxItems: 3 },
      query: { type: 'object', additionalProperties: {} },
      due: { anyOf: [{ type: 'string', format: 'date' }, { type: 'number' }, { type: 'null' }], description: 'When.' },
    },
    required: ['picker'],
    additionalProperties: false,
  });
});

test('what is said twice is said once, and choices stay the same', () => {
  const text = { type: 'string' };
  const body = { anyOf: [text, { type: 'object', required: ['content'] }], description: 'Its text.' };
  const minutes = [5, 10].map((value) => ({ type: 'number', const: value }));
  const named = { ...text, description: 'Another.' };
  expect(
    slim({
      properties: {
        body: { anyOf: [body, { type: 'null' }], description: 'Its text. null clears it.' },
        due: { anyOf: [{ ...text, format: 'date' }, text, text], default: 'today' },
        minutes: { anyOf: minutes, description: 'How early.' },
        perhaps: { anyOf: [{ anyOf: minutes }, { type: 'null' }] },
        other: { anyOf: [named, { type: 'null' }], description: 'One.' },
      },
    }),
  ).toEqual({
    properties: {
      body: {
        anyOf: [text, { type: 'object', required: ['content'] }, { type: 'null' }],
        description: 'Its text. null clears it.',
      },
      due: { anyOf: [{ ...text, format: 'date' }, text], default: 'today' },
      minutes: { type: 'number', enum: [5, 10], description: 'How early.' },
      perhaps: { anyOf: [{ type: 'number', enum: [5, 10] }, { type: 'null' }] },
      other: { anyOf: [named, { type: 'null' }], description: 'One.' },
    },
  });
});
