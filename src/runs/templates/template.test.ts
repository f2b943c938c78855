import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault } from '#kit';
import { compile, escapeText, fill, parsePath, showPath } from './index.ts';

const render = (given: unknown, scope: Record<string, unknown>): unknown => {
  const { template, problems } = compile(given, 'input');
  expect(problems).toEqual([]);
  return fill(template, scope, 'input');
};

const refusal = (work: () => unknown): Fault => {
  try {
    work();
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error('nothing was refused');
};

/** Text that is as nasty as it gets here. */
const tricky = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom('{', '}', '{{', '}}', '\\', '{{inputs.x}}', '{{ steps.a.output }}', '__proto__', 'é', '😀', '.'),
    )
    .map((parts) => parts.join('')),
);
const json = fc.jsonValue({ stringUnit: 'grapheme' });

describe('a text that is one placeholder', () => {
  test('becomes the value with its type, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(json, tricky), (x) => {
        expect(render('{{inputs.x}}', { inputs: { x } })).toBe(x);
        expect(render({ a: [{ b: '{{ inputs.x }}' }] }, { inputs: { x } })).toEqual({ a: [{ b: x }] });
      }),
    );
  });
});

describe('a text with placeholders among words', () => {
  test('becomes text, and what is filled in is never read again', () => {
    fc.assert(
      fc.property(tricky, tricky, (x, y) => {
        const scope = { inputs: { x, y }, steps: { a: { output: 'never' } } };
        expect(render('<{{inputs.x}}|{{inputs.y}}>', scope)).toBe(`<${x}|${y}>`);
      }),
    );
  });

  test.each([
    [7, '7'],
    [true, 'true'],
    [null, ''],
    [{ a: [1] }, '{"a":[1]}'],
  ])('%j is written as %j', (x, text) => {
    expect(render('-{{inputs.x}}-', { inputs: { x } })).toBe(`-${text}-`);
  });
});

test('every text can be written so that it stands for itself', () => {
  fc.assert(
    fc.property(tricky, (text) => {
      expect(render(escapeText(text), {})).toBe(text);
    }),
  );
});

test.each([
  ['\\{{inputs.x}}', '{{inputs.x}}'],
  ['\\\\{{inputs.x}}', '\\1'],
  ['a\\b {{inputs.x}} \\', 'a\\b 1 \\'],
  ['}} {{inputs.x}} }', '}} 1 }'],
])('%j reads as %j', (given, text) => {
  expect(render(given, { inputs: { x: '1' } })).toBe(text);
});

test('any value survives a template of its own, keys like __proto__ included, and no prototype is touched', () => {
  const keys = fc.oneof(tricky, fc.constantFrom('__proto__', 'constructor', 'toString'));
  fc.assert(
    fc.property(fc.dictionary(keys, json, { noNullPrototype: true }), (x) => {
      const filled = render({ whole: '{{inputs.x}}', beside: 1 }, { inputs: { x } });
      expect(filled).toEqual({ whole: x, beside: 1 });
    }),
  );
  render(JSON.parse('{"__proto__": {"polluted": "{{inputs.x}}"}}'), { inputs: { x: 1 } });
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

describe('a path', () => {
  test('goes through fields, lists and names with odd characters', () => {
    const scope = { event: { data: { list: [{ 'a.b': { größe: 3 } }], '7': 'seven' } } };
    expect(render('{{event.data.list[0]["a.b"].größe}}', scope)).toBe(3);
    expect(render('{{event.data.list.0["a.b"]}}', scope)).toEqual({ größe: 3 });
    expect(render('{{event.data.7}}', scope)).toBe('seven');
  });

  test('reads back as it was written', () => {
    const key = fc.oneof(
      fc.nat({ max: 99 }),
      tricky.filter((text) => !['__proto__', 'constructor', 'prototype'].includes(text)),
    );
    fc.assert(
      fc.property(fc.array(key), (keys) => {
        expect(parsePath(showPath(['steps', ...keys]))).toEqual(['steps', ...keys]);
      }),
    );
  });

  test.each([
    'inputs.x.__proto__',
    'inputs["constructor"]',
    'inputs.prototype',
    'inputs..x',
    'inputs.x()',
    'inputs.x + 1',
    'inputs[x]',
    'inputs[01]',
    'inputs[-1]',
    '0.a',
    '',
    'inputs.',
    'inputs["a]',
  ])('%s is refused', (path) => {
    expect(compile(`{{${path}}}`, 'steps[1].input.cardId').problems).toMatchObject([
      { field: 'steps[1].input.cardId' },
    ]);
  });

  test.each(['toString', 'length', 'x.length', 'list.length', 'list[2]', 'x[0]', 'list.hasOwnProperty', 'none.deeper'])(
    'inputs.%s is not there: only own fields and elements are',
    (path) => {
      const { template } = compile({ card: { id: `{{inputs.${path}}}` } }, 'steps[0].input');
      const fault = refusal(() => fill(template, { inputs: { x: 'text', list: [1, 2] } }, 'steps[0].input'));
      expect(fault).toMatchObject({
        code: 'invalid_input',
        details: { fields: [{ field: 'steps[0].input.card.id' }] },
      });
    },
  );
});

test('an unclosed placeholder is refused with the way to write it literally', () => {
  expect(compile({ a: 'x {{inputs.y' }, 'output').problems).toMatchObject([
    { field: 'output.a', message: expect.stringContaining('\\{{') },
  ]);
});

test('what is undefined is left out of objects and lists, and empty in a text', () => {
  const scope = { inputs: { x: undefined } };
  const given = { a: '{{inputs.x}}', b: ['{{inputs.x.deeper}}', 1], c: '<{{inputs.x}}>' };
  expect(render(given, scope)).toEqual({ b: [1], c: '<>' });
});

test('a row of backslashes as long as a request may be is read in one go', () => {
  const row = '\\'.repeat(1_000_000);
  expect(escapeText(row)).toBe(row);
  expect(compile(row, 'x')).toMatchObject({ template: { kind: 'constant', value: row }, problems: [] });
});

test('filling in ends before it takes much memory', () => {
  const x = 'x'.repeat(1_000_000);
  const many = Array.from({ length: 100 });
  for (const given of [many.map(() => '{{inputs.x}}').join(' '), many.map(() => '{{inputs.x}}')]) {
    const { template } = compile(given, 'output');
    expect(refusal(() => fill(template, { inputs: { x } }, 'output'))).toMatchObject({ code: 'too_large' });
  }
});
