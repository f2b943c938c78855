import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../../../test/any-text.ts';
import { cases } from '../../../../test/cases.ts';
import { compileFilter, filterIndex, fold, parseFilter, printFilter } from './index.ts';
import { anyFilter, anyMail, anyWorld } from './test-filters.ts';

const runs = cases(1_000);

test('a filter lets through what it means, told a second time in another way', () => {
  fc.assert(
    fc.property(anyFilter, fc.array(anyMail, { minLength: 4, maxLength: 8 }), anyWorld, (sample, mails, world) => {
      const filter = compileFilter(parseFilter(sample.text), { zone: world.zone, now: () => world.now });

      expect(mails.map((mail) => filter.matches(fold(mail)))).toEqual(mails.map((mail) => sample.holds(mail, world)));
    }),
    runs,
  );
});

test('both outcomes are common among these samples', () => {
  const pairs = fc.sample(fc.tuple(anyFilter, anyMail, anyWorld), { numRuns: 500, seed: 7 });
  const held = pairs.filter(([sample, mail, world]) => sample.holds(mail, world)).length;

  expect(held).toBeGreaterThan(100);
  expect(held).toBeLessThan(400);
});

test('a filter that is printed and read again is the same filter', () => {
  fc.assert(
    fc.property(anyFilter, ({ text }) => {
      const filter = parseFilter(text);
      const printed = printFilter(filter);

      expect(parseFilter(printed)).toEqual(filter);
      expect(printFilter(parseFilter(printed))).toBe(printed);
    }),
    runs,
  );
});

test('any text that is read at all is the same filter when printed and read again', () => {
  const scraps = [
    'subject',
    'from',
    'attachment',
    'category',
    ':',
    '=',
    '<>',
    '*',
    '"',
    ' ',
    '(',
    ')',
    '-',
    '+',
    '@',
    '.',
  ];
  const scrap = fc.oneof(
    fc.constantFrom(...scraps, 'AND', 'NOT', 'a', 'x.y', 'a@x.y', 'ß', 'İ', '..', 'today', '“'),
    anyText({ maxLength: 2 }),
  );
  let understood = 0;
  const many = cases(5_000);
  fc.assert(
    fc.property(fc.array(scrap, { maxLength: 12 }), (parts) => {
      let filter: ReturnType<typeof parseFilter>;
      try {
        filter = parseFilter(parts.join(''));
      } catch {
        return;
      }
      understood++;
      expect(parseFilter(printFilter(filter))).toEqual(filter);
    }),
    many,
  );
  expect(understood).toBeGreaterThan(many.numRuns / 25);
});

test('the index finds what asking every filter finds, in the same order', () => {
  fc.assert(
    fc.property(
      fc.array(anyFilter, { maxLength: 40 }),
      fc.array(anyMail, { minLength: 1, maxLength: 5 }),
      anyWorld,
      (samples, mails, { zone, now }) => {
        const filters = samples.map(({ text }, n) => ({
          id: `filter ${n}`,
          filter: compileFilter(parseFilter(text), { zone, now: () => now }),
        }));
        const index = filterIndex(filters);
        for (const mail of mails.map(fold)) {
          const expected = filters.filter(({ filter }) => filter.matches(mail)).map(({ id }) => id);
          expect(index.matching(mail)).toEqual(expected);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('the clause said to have failed fails alone, and is no conjunction', () => {
  fc.assert(
    fc.property(anyFilter, anyMail, anyWorld, (sample, raw, { zone, now }) => {
      const context = { zone, now: () => now };
      const mail = fold(raw);
      const filter = compileFilter(parseFilter(sample.text), context);
      const failed = filter.failedClause(mail);

      expect(failed === undefined).toBe(filter.matches(mail));
      if (failed === undefined) return;
      const alone = parseFilter(failed);
      expect(compileFilter(alone, context).matches(mail)).toBe(false);
      expect(alone.clause.kind).not.toBe('and');
      expect(printFilter(filter.filter)).toContain(failed);
    }),
    runs,
  );
});
