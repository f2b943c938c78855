import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../../common/cases.ts';
import { GraphError } from '../graph-error.ts';
import { compareBy, matchesFilter, openToken, parseFilterFor, parseQuery } from './index.ts';

type Item = {
  subject: string | null;
  isRead: boolean;
  importance: 'low' | 'normal' | 'high';
  receivedDateTime: string;
  from: { emailAddress: { name: string; address: string } } | null;
  categories: string[];
};
type Predicate = { text: string; holds: (item: Item) => boolean };

const odd = ["'", '"', '\\', '%', '+', '&', '#', ' ', '\n', '\0', 'é', '😀', '\u202e', '(', ')', 'null', 'ß', '٣', 'K'];
const oddText = fc.oneof(
  fc.string(),
  fc.array(fc.constantFrom(...odd)).map((parts) => parts.join('')),
);
const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
const word = fc.constantFrom('', 'a', 'B', "it's", 'a)b', 'null', 'é', 'x eq y', "''", '%', ' ');
const importance = fc.constantFrom('low' as const, 'normal' as const, 'high' as const);
const day = fc.integer({ min: 1, max: 28 }).map((n) => `2026-03-${String(n).padStart(2, '0')}T10:00:00Z`);
const op = fc.constantFrom('eq', 'ne', 'gt', 'ge', 'lt', 'le');
const item: fc.Arbitrary<Item> = fc.record({
  subject: fc.option(word),
  isRead: fc.boolean(),
  importance,
  receivedDateTime: day,
  from: fc.option(fc.record({ emailAddress: fc.record({ name: word, address: word }) })),
  categories: fc.array(word, { maxLength: 3 }),
});

const plainly = (op: string, a: string | number | null, b: string | number | null): boolean => {
  if (op === 'eq') return a === b;
  if (op === 'ne') return a !== b;
  if (a === null || b === null) return false;
  return { gt: a > b, ge: a >= b, lt: a < b, le: a <= b }[op] ?? false;
};
const lower = (text: string | null | undefined) => text?.toLowerCase() ?? null;

const leaf: fc.Arbitrary<Predicate> = fc.oneof(
  fc.tuple(op, fc.option(word)).map(([op, value]) => ({
    text: `subject ${op} ${value === null ? 'null' : quote(value)}`,
    holds: (m: Item) => plainly(op, lower(m.subject), lower(value)),
  })),
  fc.boolean().map((value) => ({ text: `isRead eq ${value}`, holds: (m: Item) => m.isRead === value })),
  fc.constant({ text: 'isRead', holds: (m: Item) => m.isRead }),
  importance.map((value) => ({
    text: `importance eq '${value.toUpperCase()}'`,
    holds: (m: Item) => m.importance === value,
  })),
  fc.tuple(op, day).map(([op, value]) => ({
    text: `receivedDateTime ${op} ${value}`,
    holds: (m: Item) => plainly(op, Date.parse(m.receivedDateTime), Date.parse(value)),
  })),
  fc.tuple(fc.constantFrom('startswith', 'contains'), word).map(([name, value]) => ({
    text: `${name}(from/emailAddress/address,${quote(value)})`,
    holds: (m: Item) => {
      const address = lower(m.from?.emailAddress.address);
      if (address === null) return false;
      return name === 'startswith' ? address.startsWith(value.toLowerCase()) : address.includes(value.toLowerCase());
    },
  })),
  fc.tuple(fc.constantFrom('any', 'all'), word).map(([name, value]) => ({
    text: `categories/${name}(c:c eq ${quote(value)})`,
    holds: (m: Item) => {
      const same = (c: string) => c.toLowerCase() === value.toLowerCase();
      return name === 'any' ? m.categories.some(same) : m.categories.every(same);
    },
  })),
  fc.array(word, { minLength: 1, maxLength: 3 }).map((values) => ({
    text: `subject in (${values.map(quote).join(',')})`,
    holds: (m: Item) => m.subject !== null && values.some((v) => v.toLowerCase() === m.subject?.toLowerCase()),
  })),
);
const { predicate } = fc.letrec<{ predicate: Predicate }>((tie) => ({
  predicate: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.tuple(tie('predicate'), tie('predicate'), fc.constantFrom('and', 'or')).map(([a, b, word]) => ({
      text: `(${a.text}) ${word} (${b.text})`,
      holds: (m: Item) => (word === 'and' ? a.holds(m) && b.holds(m) : a.holds(m) || b.holds(m)),
    })),
    tie('predicate').map((a) => ({ text: `not (${a.text})`, holds: (m: Item) => !a.holds(m) })),
  ),
}));

test('random filters agree with a plain JavaScript evaluation', () => {
  fc.assert(
    fc.property(predicate, fc.array(item, { maxLength: 6 }), ({ text, holds }, items) => {
      const filter = parseFilterFor(text, 'message');
      for (const one of items) expect(matchesFilter(filter, one), text).toBe(holds(one));
    }),
    cases(1_500),
  );
});

test('and binds tighter than or, and not tighter than both', () => {
  fc.assert(
    fc.property(leaf, leaf, leaf, item, (a, b, c, m) => {
      const holds = parseFilterFor(`${a.text} or ${b.text} and not (${c.text})`, 'message').test(m);
      expect(holds).toBe(a.holds(m) || (b.holds(m) && !c.holds(m)));
    }),
  );
});

test('odd strings survive quoting', () => {
  fc.assert(
    fc.property(oddText, (text) => {
      const { filter } = parseQuery(new URLSearchParams({ $filter: `subject eq ${quote(text)}` }), {
        entity: 'message',
      });
      expect(filter?.test({ subject: text })).toBe(true);
      expect(filter?.test({ subject: `${text}!` })).toBe(false);
    }),
  );
});

test('garbage is answered with a GraphError and nothing else', () => {
  const words =
    "subject from/ eq and not ( ) ' 'x' any (a: a / , 2026-01-01 -1 1e9 true null in : * $ startswith( toRecipients __proto__ constructor ; = microsoft.graph.";
  const scraps = fc.constantFrom(...words.split(' '));
  const text = fc.oneof(
    oddText,
    fc.array(scraps).map((parts) => parts.join(' ')),
    fc.array(scraps).map((parts) => parts.join('')),
  );
  const option = fc.constantFrom(
    '$filter',
    '$select',
    '$expand',
    '$orderby',
    '$top',
    '$skip',
    '$count',
    '$search',
    '$skiptoken',
  );
  const entity = fc.constantFrom(
    'message',
    'event',
    'contact',
    'mailFolder',
    'attachment',
    'outlookCategory',
    'nothing',
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(option, text), { maxLength: 3 }), entity, (pairs, entity) => {
      try {
        parseQuery(new URLSearchParams(pairs), { entity }).filter?.test({ subject: 'x' });
      } catch (error) {
        expect(error).toBeInstanceOf(GraphError);
        expect((error as GraphError).status).toBe(400);
      }
    }),
    cases(3_000),
  );
  fc.assert(
    fc.property(fc.string(), (token) => {
      try {
        openToken(token);
      } catch (error) {
        expect(error).toBeInstanceOf(GraphError);
      }
    }),
  );
});

test('deep and long filters are refused, long flat ones are not', () => {
  const flat = Array.from({ length: 300 }, (_, n) => `subject eq 'x${n}'`).join(' or ');
  expect(parseFilterFor(flat, 'message').test({ subject: 'x299' })).toBe(true);
  expect(() => parseFilterFor(`${'('.repeat(3000)}isRead${')'.repeat(3000)}`, 'message')).toThrow(GraphError);
  expect(() => parseFilterFor(`${'not '.repeat(2000)}isRead`, 'message')).toThrow(GraphError);
  expect(() => parseFilterFor(`${flat} or ${flat} or ${flat}`, 'message')).toThrow(GraphError);
  const nested = ['a', 'b', 'c'].map((name) => `categories/any(${name}:`).join('');
  expect(() => parseFilterFor(`${nested}a eq b)))`, 'message')).toThrow(GraphError);
});

test('sorting puts nothing first, ignores case and keeps equal items in place', () => {
  const { orderby = [] } = parseQuery(new URLSearchParams({ $orderby: 'subject desc,start/dateTime' }), {
    entity: 'event',
  });
  const events = [
    { id: 1, subject: 'b', start: { dateTime: '2026-01-02T09:00:00.0000000' } },
    { id: 2, subject: null },
    { id: 3, subject: 'B', start: { dateTime: '2026-01-02T08:30:00.0000000' } },
    { id: 4, subject: 'C' },
  ];
  expect(events.toSorted(compareBy(orderby)).map(({ id }) => id)).toEqual([4, 3, 1, 2]);
});
