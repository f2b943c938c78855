import { expect, test } from 'vitest';
import { slim } from './slim.ts';

test('what only forms and checks need is left out, and arguments keep their names', () => {
  const date = { type: 'string', format: 'date', pattern: '^\\d{4}-\\d\\d-\\d\\d$' };
  const given = {
    type: 'object',
    properties: {
      pattern: { type: 'string', minLength: 1, maxLength: 9, pattern: '^a', description: 'How it repeats.' },
      picker: { type: 'array', items: { type: 'string', picker: 'cards' }, maxItems: 3 },
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
      due: { anyOf: [{ type: 'string', format: 'date' }, { type: 'number' }, { type: 'null' }], description: 'When.' },
    },
    required: ['picker'],
    additionalProperties: false,
  });
});
