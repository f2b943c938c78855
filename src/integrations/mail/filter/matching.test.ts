import { describe, expect, test } from 'vitest';
import { Fault } from '#kit';
import { compileFilter, type FilterMail, filterIndex, fold, type Person, parseFilter } from './index.ts';
import { termsInText } from './terms-in-text.ts';

const someMail: FilterMail = {
  subject: 'Quarterly report',
  body: 'Dear all,\nthe invoice for the\r\nsecond  quarter is overdue.',
  from: [{ name: 'Ada Lovelace', address: 'Ada@Mail.Contoso.com' }],
  to: [{ name: 'Grace Hopper', address: 'grace@example.org' }],
  cc: [{ name: '', address: 'carol@example.net' }],
  bcc: [{ name: 'Hidden', address: 'h@hidden.test' }],
  hasAttachments: true,
  attachmentNames: ['Plan 2026.PDF', 'photo.png'],
  receivedAt: new Date('2026-07-23T12:00:00Z'),
  sentAt: new Date('2026-07-22T12:00:00Z'),
  importance: 'normal',
  categories: ['Red Category', 'Büro'],
  size: 2048,
  isRead: false,
};
type Setting = { zone?: string; now?: string };
const compiled = (text: string, { zone = 'UTC', now = '2026-07-23T12:00:00Z' }: Setting = {}) =>
  compileFilter(parseFilter(text), { zone, now: () => new Date(now) });
const matches = (text: string, mail: Partial<FilterMail> = {}, setting: Setting = {}) =>
  compiled(text, setting).matches(fold({ ...someMail, ...mail }));

describe('of one mail', () => {
  test.each([
    'subject:QUARTER',
    'subject:"terly rep"',
    'subject="quarterly report"',
    'subject=quart*',
    'body:"for the second quarter"',
    'from:ada',
    'from:lovelace',
    'from:*contoso.com',
    'from:*mail.contoso.com',
    'from:contoso.com',
    'from:ada@mail.contoso.com',
    'from:ada@',
    'to:*example.org',
    'cc:carol',
    'bcc:hidden',
    'recipients:hidden recipients:*example.net recipients:grace',
    'participants:ada participants:grace',
    'hasAttachments:true',
    'isRead:no',
    'importance:medium',
    'category:"red category"',
    'category:BURO',
    'category:red*',
    'attachment:plan',
    'attachment:*.pdf',
    'attachment="plan 2026.pdf"',
    'attachment=photo*',
    'size:2KB size:2048 size>2047 size>=2048 size<=2048 size<2049 size:1KB..1MB size<>1',
    'received:today sent:yesterday',
    'received:"this week" received:"this month" received:"this year"',
    'sent<today received>yesterday received>=today received<=today',
    'received:yesterday..today',
    'quarterly overdue lovelace contoso',
    '-refund NOT category:blue',
  ])('%s is true', (text) => {
    expect(matches(text)).toBe(true);
  });

  test.each([
    'subject:invoice',
    'subject=quarterly',
    'subject=report*',
    'body:quarterly',
    'from:grace',
    'from:*toso.com',
    'from:*soft.contoso.com',
    'from:ada@contoso.com',
    'to:ada',
    'to:carol',
    'recipients:ada',
    'recipients:"hopper grace"',
    'hasAttachments:false',
    'category:red',
    'category:category*',
    'attachment:*.png.exe',
    'attachment="plan"',
    'size<2048 OR size>2KB OR size:1..2047',
    'received:yesterday OR sent:today OR received:"last month" OR received:"last year"',
    'received>today OR received<today',
    'grace',
    'plan',
  ])('%s is false', (text) => {
    expect(matches(text)).toBe(false);
  });
});

describe('who sent it is decided by the address', () => {
  const from = (address: string, name = 'contoso.com'): { from: Person[] } => ({ from: [{ name, address }] });

  test.each(['x@contoso.com', 'x@a.b.contoso.com', 'X@CONTOSO.COM', '"a@b"@contoso.com'])(
    '%s is of the domain',
    (address) => {
      expect(matches('from:*contoso.com', from(address))).toBe(true);
    },
  );

  test.each([
    'x@notcontoso.com',
    'x@contoso.com.evil.test',
    'contoso.com@evil.test',
    'x@cöntoso.com',
    'contoso.com',
    '',
  ])('%j is not', (address) => {
    expect(matches('from:*contoso.com', from(address))).toBe(false);
  });

  test('a name with a dot that no domain ends in is looked for in names and addresses', () => {
    for (const address of ['ada.lovelace@contoso.com', 'x@mail.ada.lovelace']) {
      expect(matches('from:Ada.Lovelace', from(address))).toBe(true);
    }
    expect(matches('from:ada.lovelace', from('ada@contoso.com', 'Ada.Lovelace (Sales)'))).toBe(true);
    expect(matches('from:ada.lovelace', from('adalovelace@contoso.com'))).toBe(false);
    expect(matches('from:contoso.com', from('contoso.com@evil.test'))).toBe(false);
  });

  test('a domain outside ASCII is found in both its spellings', () => {
    expect(matches('from:*bücher.example', from('x@xn--bcher-kva.example'))).toBe(true);
    expect(matches('from:*xn--bcher-kva.example', from('x@Bücher.example'))).toBe(true);
    expect(matches('from:x@bücher.example', from('X@xn--bcher-kva.example'))).toBe(true);
  });

  test('a phrase does not reach from one person into the next', () => {
    const to = [
      { name: 'Ada', address: 'a@x.test' },
      { name: 'Grace', address: 'g@x.test' },
    ];
    expect(matches('to:"a@x.test grace"', { to })).toBe(false);
  });
});

describe('letters are the same in any case, with or without accents', () => {
  test.each([
    ['café', 'CAFE\u0301'],
    ['cafe', 'Café'],
    ['strasse', 'Straße'],
    ['STRAẞE', 'strasse'],
    ['smorrebrod', 'Smørrebrød'],
    ['lodz', 'ŁÓDŹ'],
    ['aero', 'Ærø'],
    ['đorđe', 'Dorde'],
    ['istanbul', 'İSTANBUL'],
    ['ısparta', 'ISPARTA'],
    ['ΟΔΟΣ', 'οδος'],
    ['елка', 'Ёлка'],
    ['office', 'oﬃce'],
    ['ABC', 'ａｂｃ'],
    ['o’brien', "O'Brien"],
    ['12-13', '12–13'],
    ['invoice', 'in\u00advo\u200bice'],
    ['two words', 'two\u00a0\n words'],
    ['한국', '한국'.normalize('NFD')],
  ])('%s finds %s', (wanted, subject) => {
    expect(matches(`subject:"${wanted}"`, { subject })).toBe(true);
    expect(matches(`subject:"${subject}"`, { subject: `x${wanted}x` })).toBe(true);
  });

  test.each([
    ['하', '한'],
    ['か', 'が'],
    ['は', 'ぱ'],
    ['कि', 'क'],
    ['u', 'ы'],
  ])('%s does not find %s', (wanted, subject) => {
    expect(matches(`subject:${wanted}`, { subject })).toBe(false);
  });
});

describe('a day is a day of the mailbox', () => {
  const edges = (text: string, first: string, last: string, setting: Setting) => {
    const at = (time: string, shift: number) => ({ receivedAt: new Date(Date.parse(time) + shift) });
    return [at(first, -1), at(first, 0), at(last, -1), at(last, 0)].map((mail) => matches(text, mail, setting));
  };

  test.each([
    ['in UTC', 'UTC', '07/23/2026', '2026-07-23T00:00Z', '2026-07-24T00:00Z'],
    ['by IANA name', 'Asia/Kolkata', '2026-07-23', '2026-07-22T18:30Z', '2026-07-23T18:30Z'],
    ['by Windows name', 'Pacific Standard Time', '2026-07-23', '2026-07-23T07:00Z', '2026-07-24T07:00Z'],
    ['of 23 hours', 'Europe/Berlin', '03/29/2026', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
    ['of 25 hours', 'Europe/Berlin', '10/25/2026', '2026-10-24T22:00Z', '2026-10-25T23:00Z'],
    ['that begins at one o’clock', 'Africa/Cairo', '2026-04-24', '2026-04-23T22:00Z', '2026-04-24T21:00Z'],
  ])('%s', (_, zone, day, first, last) => {
    expect(edges(`received:${day}`, first, last, { zone })).toEqual([false, true, true, false]);
    expect(edges(`received>=${day} received<=${day}`, first, last, { zone })).toEqual([false, true, true, false]);
    expect(edges(`received<${day}`, first, last, { zone })).toEqual([true, false, false, false]);
    expect(edges(`received>${day}`, first, last, { zone })).toEqual([false, false, false, true]);
  });

  test.each([
    ['today', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
    ['yesterday', '2026-03-27T23:00Z', '2026-03-28T23:00Z'],
    ['"this week"', '2026-03-28T23:00Z', '2026-04-04T22:00Z'],
    ['"this month"', '2026-02-28T23:00Z', '2026-03-31T22:00Z'],
    ['"last month"', '2026-01-31T23:00Z', '2026-02-28T23:00Z'],
    ['"this year"', '2025-12-31T23:00Z', '2026-12-31T23:00Z'],
    ['"last year"', '2024-12-31T23:00Z', '2025-12-31T23:00Z'],
    ['"last year..yesterday"', '2024-12-31T23:00Z', '2026-03-28T23:00Z'],
  ])('%s, on the Sunday on which clocks are put forward', (name, first, last) => {
    const setting = { zone: 'W. Europe Standard Time', now: '2026-03-28T23:30:00Z' };
    expect(edges(`received:${name}`, first, last, setting)).toEqual([false, true, true, false]);
  });

  test('today moves on while a filter is in use', () => {
    let now = new Date('2026-12-31T22:59:59Z');
    const filter = compileFilter(parseFilter('received:today'), { zone: 'Europe/Berlin', now: () => now });
    const mail = fold({ ...someMail, receivedAt: new Date('2026-12-31T23:00:00Z') });
    expect(filter.matches(mail)).toBe(false);
    now = new Date('2026-12-31T23:00:00Z');
    expect(filter.matches(mail)).toBe(true);
    now = new Date('2027-01-01T23:00:00Z');
    expect(filter.matches(mail)).toBe(false);
  });

  test('a day that a zone skipped has no mails', () => {
    const skipped = edges('received:12/30/2011', '2011-12-30T10:00Z', '2011-12-30T10:00Z', { zone: 'Pacific/Apia' });
    expect(skipped).toEqual([false, false, false, false]);
  });

  test('a zone that nobody knows is refused', () => {
    expect(() => compiled('a', { zone: 'Mars/Olympus' })).toThrow(Fault);
  });
});

test('of what a mail does not tell, nothing is true', () => {
  const { size: _, sentAt: __, ...bare } = someMail;
  const filter = compiled('size>=0 OR sent>1700-01-01');
  expect(filter.matches(fold(bare))).toBe(false);
  expect(filter.matches(fold({ ...someMail, sentAt: new Date(Number.NaN), size: Number.NaN }))).toBe(false);
});

describe('the clause that a mail failed', () => {
  test.each([
    ['subject:report', undefined],
    ['subject:invoice', 'subject:invoice'],
    ['body:invoice subject:invoice from:*evil.test', 'subject:invoice'],
    ['body:nothing isRead:true', 'body:nothing'],
    ['subject:report AND (isRead:true OR size>1MB)', 'isRead:true OR size>1MB'],
    ['subject:report AND NOT (from:ada OR cc:carol)', 'NOT (from:ada OR cc:carol)'],
    ['subject:report -hasAttachments:true', 'NOT hasAttachments:true'],
    ['(a1 b1) OR (a2 b2)', '(a1 AND b1) OR (a2 AND b2)'],
    ['subject<>"quarterly report"', 'NOT subject="quarterly report"'],
    ['subject:report received:07/24/2026', 'received:2026-07-24'],
  ])('of %s is %s', (text, expected) => {
    expect(compiled(text).failedClause(fold(someMail))).toBe(expected);
  });
});

describe('the index', () => {
  const filters = (texts: string[]) => texts.map((text) => ({ id: text, filter: compiled(text) }));

  const watched = (texts: string[]) => {
    const asked: string[] = [];
    const index = filterIndex(
      filters(texts).map(({ id, filter }) => ({
        id,
        filter: { filter: filter.filter, matches: (mail) => asked.push(id) > 0 && filter.matches(mail) },
      })),
    );
    return { index, asked };
  };

  test('asks only filters that a mail has something for', () => {
    const { index, asked } = watched([
      'from:*other.test subject:report',
      'from:*mail.contoso.com subject:nothing',
      'from:someone@contoso.com',
      'subject:refund',
      'body:refund OR subject:refund',
      'NOT (NOT body:refund OR isRead:false)',
      'category:Blue size>0',
      'importance:high',
      'isRead:true',
      'NOT hasAttachments:true',
      'attachment:*.exe',
      'refund',
      'NOT refund',
    ]);

    expect(index.matching(fold(someMail))).toEqual(['NOT refund']);
    expect(asked.sort()).toEqual(['NOT refund', 'from:*mail.contoso.com subject:nothing']);
  });

  test('finds terms of any length at either end of a text, and terms that overlap', () => {
    const terms = ['q', 'qu', 'qua', 'quarterly report', 'rt', 'ort', 'report', 'arter', 'terly', 'y r'];
    // The last two differ from what is there only in bits that the first look leaves out.
    const missing = ['quarterly reports', 'xqua', 'rtx', 'quarterlyreport', 'rr', '1uarterly', 'quarterlyŀreport'];
    const index = filterIndex(filters([...terms, ...missing].map((term) => `subject:"${term}"`)));

    expect(index.matching(fold(someMail))).toEqual(terms.map((term) => `subject:"${term}"`));
  });

  test('holds no more than a few alternatives of a filter, and asks the others always', () => {
    const anyOf = (count: number) => Array.from({ length: count }, (_, n) => `subject:word${n}`).join(' OR ');
    const { index, asked } = watched([anyOf(32), anyOf(33), `${anyOf(33)} OR subject:report`]);

    expect(index.matching(fold(someMail))).toEqual([`${anyOf(33)} OR subject:report`]);
    expect(asked).toEqual([anyOf(33), `${anyOf(33)} OR subject:report`]);
  });

  test('is right again for the next mail', () => {
    const index = filterIndex(filters(['subject:report', 'overdue', 'from:*contoso.com']));
    const other = fold({ ...someMail, subject: 'Lunch', body: '', from: [] });

    for (const mail of [someMail, someMail].map(fold)) expect(index.matching(mail)).toHaveLength(3);
    expect(index.matching(other)).toEqual([]);
    expect(index.matching(fold(someMail))).toHaveLength(3);
  });

  test('of no filters finds none', () => {
    expect(filterIndex([]).matching(fold(someMail))).toEqual([]);
  });
});

describe('a long body is read once, however much is looked for in it', () => {
  const signs = 'bcdefghijklmnopqrstuvwxyz'.split('');
  // Each is looked for at every letter of the body.
  const alike = signs.flatMap((one) => signs.map((other) => `a${one}${other}`)).slice(0, 600);
  const long = { subject: '', from: [], body: `${'a'.repeat(8_000_000)} ${alike[300]}` };

  test.each(['', 'body:'])('by "%sword"', (field) => {
    const [absent, present] = [alike.toSpliced(300, 1), alike].map((terms) =>
      terms.map((term) => `${field}${term}`).join(' OR '),
    );
    expect([matches(absent ?? '', long), matches(present ?? '', long)]).toEqual([false, true]);
  });

  test('also where many filters look for what seems alike to their index', () => {
    // Characters apart by 32; the index compares each with the body's letters.
    const like = (n: number) => String.fromCharCode(0x4e01 + 32 * n);
    const terms = Array.from({ length: 3_000 }, (_, n) => `${like(n % 600)}${like(Math.floor(n / 600))}`);
    const index = filterIndex(terms.map((term) => ({ id: term, filter: compiled(`body:${term}`) })));
    const body = `${'a'.repeat(4_000_000)} ${terms[2_000]} ${'a'.repeat(99)}`;
    expect(index.matching(fold({ ...someMail, body }))).toEqual([terms[2_000]]);
  });

  test('and what overlaps in it is found', () => {
    const text = 'abaababbaabbbabaaabbab'.repeat(3);
    const terms = [
      'a',
      'b',
      'aa',
      'bb',
      'aab',
      'bbb',
      'aaaa',
      'bbbb',
      'abab',
      'babb',
      'babaab',
      'abba',
      'abbb',
      'ab ab',
    ];
    expect(termsInText(terms)(text)).toEqual(new Set(terms.filter((term) => text.includes(term))));
  });
});
