import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAddress, sameAddress } from './addresses.ts';
import { readDay } from './days.ts';
import { shown } from './filter-fault.ts';
import { foldText } from './fold-text.ts';
import { parseFilter } from './index.ts';
import { printed, refusal } from './reading.fixture.ts';

test.each([
  ['Weißbier', 'weissbier'],
  ['Æther œuvre', 'aether oeuvre'],
  ['Øre Łódź Đorđe', 'ore lodz dorde'],
  ['Ðór Þór', 'dor thor'],
  ['Ħamrun Ŧ', 'hamrun t'],
  ['ılık ς', 'ilik σ'],
  ['a‘b’c‚d', "a'b'c'd"],
  ['a“b”c„d', 'a"b"c"d'],
  ['a‐b‑c–d—e−f', 'a-b-c-d-e-f'],
  ['a\u0085b\u1680c\u2028d\u2029e', 'a b c d e'],
])('%s is compared as %s', (text, folded) => {
  expect(foldText(text)).toBe(folded);
});

test('a long text is compared as its parts are', () => {
  const signs = [
    'a',
    'Z',
    ' ',
    '\t',
    '\n',
    '\r\n',
    'É',
    'ñ',
    'ÿ',
    'ß',
    'Æ',
    'µ',
    '¼',
    '²',
    '¨',
    '¯',
    '´',
    '\u0085',
    '\u00a0',
    '\u00ad',
    '\0',
    '—',
    'ﬁ',
    'й',
    'क',
  ];
  const sign = fc.oneof(
    { weight: 20, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 }) },
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) },
    { weight: 1, arbitrary: fc.constantFrom(...signs) },
  );
  const part = fc.array(sign, { maxLength: 6 }).map((all) => all.join('').slice(0, 40));
  fc.assert(
    fc.property(fc.array(part, { minLength: 40, maxLength: 60 }), (parts) => {
      // Between letters nothing of a part is left off.
      const folded = parts.map((each) => foldText(`x${each}x`)).join(' ');
      expect(foldText(parts.map((each) => `x${each}x`).join(' '))).toBe(folded);
    }),
    { numRuns: 300 },
  );
});

test('of marks piled up on one letter a few are compared, since sorting them takes the square of their number', () => {
  const marks = '\u0e48\u0e38';
  const piles = [marks.repeat(5_000), `${marks.repeat(10)}\u200b`.repeat(500), '\u0316\uff9e\u0e48'.repeat(5_000)];
  for (const pile of piles) expect(foldText(`ก${pile}`).length).toBeLessThanOrEqual(31);
  expect(foldText(`ก${marks}`)).toBe('ก\u0e38\u0e48');
});

test('every sign of one byte is compared in a long text as in a short one', () => {
  for (let code = 0; code < 256; code++) {
    const word = `x${String.fromCharCode(code)}x`;
    expect(foldText(` \n${word}${'\t'.repeat(80)}${word} `), `sign ${code}`).toBe(
      `${foldText(word)} ${foldText(word)}`,
    );
  }
});

test.each([
  ['and', 'AND'],
  ['&', 'AND'],
  ['&&', 'AND'],
  ['Or', 'OR'],
  ['|', 'OR'],
  ['||', 'OR'],
  ['not', 'NOT'],
  ['!', 'NOT'],
])('whoever writes %s is told of %s, once', (word, operator) => {
  const { hints } = parseFilter(`a ${word} b ${word} c`);
  expect(hints).toEqual([`"${word}" is looked for as a word. To join conditions write ${operator}.`]);
});

describe('a day', () => {
  test.each([
    ['01/01/1601', '1601-01-01'],
    ['12/31/4500', '4500-12-31'],
    ['7/4/2026', '2026-07-04'],
    [' 2026-07-04 ', '2026-07-04'],
    [' This  Week ', 'this week'],
  ])('%s is read as %s', (text, day) => {
    expect(readDay(text)).toBe(day);
  });

  test.each([
    ...[
      '12/31/1600',
      '1600-12-31',
      '01/01/4501',
      '4501-01-01',
      '102/03/2026',
      '02/03/20260',
      '12026-01-01',
      '2026-01-011',
    ],
    ...['2026-1-1', '2026', '2026-07', '02/30/2026', '', 'next week'],
  ])('"%s" is none', (text) => {
    expect(readDay(text)).toBeUndefined();
  });

  test('a range of one day is a range', () => {
    expect(printed('received:2026-07-04..2026-07-04')).toBe('received:2026-07-04..2026-07-04');
    expect(printed('received:"yesterday..2026-01-01"')).toBe('received:yesterday..2026-01-01');
  });
});

describe('a size', () => {
  test.each([
    ['size>1.5KB', 'size>1536'],
    ['size>0.000001GB', 'size>1074'],
    ['size:"2 mb"', 'size:2MB'],
    ['size:" 7 "', 'size:7'],
    ['size=2b', 'size:2'],
    ['size:1GB', 'size:1024MB'],
    ['size:0', 'size:0'],
    ['size:1KB..1KB', 'size:1KB..1KB'],
  ])('%s is %s', (text, read) => {
    expect(printed(text)).toBe(read);
  });
});

describe('a refusal', () => {
  test('tells its place in the filter, and why, to programs too', () => {
    const { name, position, length, reason, details, message } = refusal('subject:a size:huge');
    expect({ name, position, length }).toEqual({ name: 'FilterFault', position: 16, length: 4 });
    expect(reason).toBe('"huge" is not a size; write bytes, or 500KB or 2MB.');
    expect(details).toEqual({ position, length, reason });
    expect(message).toBe(`Position 16: ${reason}`);
  });

  test('shows the first 40 characters of what is long', () => {
    expect(shown('x'.repeat(40))).toBe(`"${'x'.repeat(40)}"`);
    expect(shown(`a${'x'.repeat(40)}`)).toBe(`"a${'x'.repeat(39)}…"`);
    expect(shown('🙂'.repeat(41))).toBe(`"${'🙂'.repeat(40)}…"`);
  });

  test.each([
    ['a AND', 'A condition must follow AND.'],
    ['a +', 'A condition must follow + directly.'],
    ['(', 'A condition must follow (.'],
    ['( )', 'There is nothing in these parentheses.'],
    ['NOT )', 'A condition must follow NOT.'],
    ['received:someday', '2026-07-23, today, yesterday, "this week", "this month", '],
    ['subject>a', 'subject has no order'],
    ['attachment>a', 'attachment has no order'],
    ['from>a', 'from has no order'],
    ['category<a', 'category has no order'],
    ['isRead>true', 'isRead has no order'],
    ['isRead:maybe', 'true, false, yes, no, not "maybe"'],
  ])('of %s says: %s', (text, why) => {
    expect(refusal(text).reason).toContain(why);
  });
});

test.each([
  ['subject:" a  b "', 'subject:"a b"'],
  ['from:" ada@contoso.com "', 'from:ada@contoso.com'],
  ['isRead:" YES "', 'isRead:true'],
  ['isRead:no', 'isRead:false'],
  ['attachment:"*my plan"', 'attachment:"*my plan"'],
  ['subject="* a *"', undefined],
  ['"OR" "NEAR" "ONEAR" "NOT"', '"OR" AND "NEAR" AND "ONEAR" AND "NOT"'],
])('%s is understood as %s', (text, read) => {
  if (read === undefined) expect(refusal(text).reason).toContain('Leave out the star in front');
  else expect(printed(text)).toBe(read);
});

test('an address has somebody before the sign and a dotted domain behind it', () => {
  const asked = [
    'ada@contoso.com',
    '@contoso.com',
    'ada@localhost',
    'ada.contoso.com',
    'a da@contoso.com',
    'ada@con*.com',
  ];
  expect(asked.filter(isAddress)).toEqual(['ada@contoso.com']);
});

test('addresses are the same whatever the case, and without a domain, too', () => {
  expect([sameAddress('Ada'), sameAddress('Ada@Contoso.COM'), sameAddress('@Contoso.COM')]).toEqual([
    'ada',
    'ada@contoso.com',
    '@contoso.com',
  ]);
});
