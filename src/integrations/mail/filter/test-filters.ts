import fc from 'fast-check';
import { addDays } from '../times.ts';
import { findZone } from '../zones.ts';
import type { FilterMail, Person } from './folded-mail.ts';

/*
 * Random filters, each with what it means, told a second time and by other means than the filter's own: accents by a
 * table, days by the names a calendar gives them, people one by one.
 */

export const zones = ['UTC', 'Europe/Berlin', 'Pacific Standard Time', 'Asia/Kolkata', 'Pacific/Auckland'];

export type World = { zone: string; now: Date };

const words = ['invoice', 'Ünder', 'café', 'Straße', 'overdue', 'Łódź', 'smørrebrød', 'plan', 'pla', '発票', 'a', 're'];
const spellings = [
  ...words,
  'INVOICE',
  'under',
  'CAFE\u0301',
  'STRASSE',
  'lodz',
  'Smorrebrod',
  'planet',
  'in\u00advoice',
];
const names = ['Ada Lovelace', 'Grace Hopper', 'José Núñez', 'Invoice Robot'];
const domains = ['contoso.com', 'mail.contoso.com', 'notcontoso.com', 'example.org', 'contoso.com.evil.test'];
const categories = ['Red', 'Red Category', 'Büro'];
const files = ['plan.pdf', 'Invoice 7.PDF', 'photo.png'];
const sizes = [0, 1023, 1024, 1_048_576, 5_000_000];

const bases = new Map(Object.entries({ ü: 'u', é: 'e', ú: 'u', ñ: 'n', ó: 'o', ź: 'z', ł: 'l', ø: 'o', ß: 'ss' }));
const simple = (text: string): string =>
  Array.from(text.toLowerCase().normalize('NFC'), (sign) => (sign === '\u00ad' ? '' : (bases.get(sign) ?? sign)))
    .join('')
    .split(/\s+/)
    .join(' ');
const has = (text: string, wanted: string): boolean => simple(text).split(simple(wanted)).length > 1;

const dayIn = (zone: string, at: Date): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: findZone(zone)?.iana ?? 'UTC' }).format(at);

/** Whether a day carries a name, seen from today. */
const isCalled = (name: string, day: string, today: string): boolean => {
  const yesterday = addDays(today, -1);
  const before = addDays(`${today.slice(0, 7)}-01`, -1);
  const sundays = (date: string): number => Math.floor((Date.parse(date) / 86_400_000 + 4) / 7);
  const answers: Record<string, boolean> = {
    today: day === today,
    yesterday: day === yesterday,
    'this week': sundays(day) === sundays(today),
    'this month': day.slice(0, 7) === today.slice(0, 7),
    'last month': day.slice(0, 7) === before.slice(0, 7),
    'this year': day.slice(0, 4) === today.slice(0, 4),
    'last year': Number(day.slice(0, 4)) === Number(today.slice(0, 4)) - 1,
  };
  return answers[name] ?? day === name;
};

export type Sample = { text: string; holds(mail: FilterMail, world: World): boolean };

const anyCase = (name: string) => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase());
const quotedOr = (text: string) => (/[\s]/.test(text) ? fc.constant(`"${text}"`) : fc.constantFrom(text, `"${text}"`));
const written = (property: string, operator: string, value: string, holds: Sample['holds']): fc.Arbitrary<Sample> =>
  fc.tuple(anyCase(property), quotedOr(value)).map(([name, shown]) => ({ text: `${name}${operator}${shown}`, holds }));

const textual = fc
  .tuple(fc.constantFrom('subject', 'body'), fc.constantFrom(':', '=', '<>'), fc.constantFrom(...words), fc.boolean())
  .chain(([field, operator, word, star]) =>
    written(field, operator, star ? `${word}*` : word, (mail) => {
      const text = field === 'subject' ? mail.subject : mail.body;
      if (operator === ':') return has(text, word);
      const same = star ? simple(text).indexOf(simple(word)) === 0 : simple(text) === simple(word);
      return operator === '=' ? same : !same;
    }),
  );

const peopleOf = (role: string, { from, to, cc, bcc }: FilterMail): Person[] =>
  ({ from, to, cc, bcc, recipients: [...to, ...cc, ...bcc], participants: [...from, ...to, ...cc, ...bcc] })[role] ??
  [];
const roles = fc.constantFrom('from', 'to', 'cc', 'bcc', 'recipients', 'participants');

const byDomain = fc
  .tuple(roles, fc.constantFrom('*', '*@', '@', ''), fc.constantFrom(...domains))
  .chain(([role, sign, domain]) =>
    written(role, ':', sign + domain, (mail) =>
      peopleOf(role, mail).some(({ address }) => {
        const [, labels = ''] = address.toLowerCase().split('@');
        const wanted = domain.split('.').toReversed();
        const found = labels.split('.').toReversed();
        return wanted.every((label, at) => found[at] === label);
      }),
    ),
  );
const byText = fc
  .tuple(roles, fc.constantFrom('ada', 'Jose', 'Grace Hopper', 'núñez', 'robot', 'Ada.King', 'king.contoso'))
  .chain(([role, text]) =>
    written(role, ':', text, (mail) =>
      peopleOf(role, mail).some(({ name, address }) => has(name, text) || has(address, text)),
    ),
  );
const byAddress = fc
  .tuple(roles, fc.constantFrom('ada@contoso.com', 'Grace@Example.org'))
  .chain(([role, text]) =>
    written(role, '=', text, (mail) =>
      peopleOf(role, mail).some(({ address }) => address.toUpperCase() === text.toUpperCase()),
    ),
  );

const flag = fc
  .tuple(fc.constantFrom('hasAttachments', 'hasAttachment', 'isRead'), fc.boolean(), fc.constantFrom(':', '=', '<>'))
  .chain(([name, value, operator]) =>
    written(name, operator, String(value), (mail) => {
      const actual = name === 'isRead' ? mail.isRead : mail.hasAttachments;
      return (actual === value) !== (operator === '<>');
    }),
  );
const importance = fc
  .constantFrom('low', 'normal', 'medium', 'high')
  .chain((level) =>
    written('importance', ':', level, (mail) => mail.importance === (level === 'medium' ? 'normal' : level)),
  );
const category = fc
  .constantFrom('red', 'Red Category', 'buro', 're*')
  .chain((name) =>
    written('category', ':', name, (mail) =>
      mail.categories.some((each) => (name === 're*' ? /^re/i.test(each) : simple(each) === simple(name))),
    ),
  );
const attachment = fc
  .constantFrom('*.pdf', 'invoice', 'photo.png')
  .chain((name) =>
    written('attachment', ':', name, (mail) =>
      mail.attachmentNames.some((each) => (name === '*.pdf' ? /\.pdf$/i.test(each) : has(each, name))),
    ),
  );

const ordered = <T extends string | number>(operator: string, a: T, b: T): boolean =>
  ({ ':': a === b, '=': a === b, '<>': a !== b, '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b })[operator] ??
  false;
const operators = fc.constantFrom(':', '=', '<>', '<', '<=', '>', '>=');

const size = fc
  .tuple(operators, fc.constantFrom('0', '1024', '1kb', '1MB', '1.5MB', '5000000'))
  .chain(([operator, text]) => {
    const unit = text.endsWith('kb') ? 1024 : text.endsWith('MB') ? 1_048_576 : 1;
    return written('size', operator, text, (mail) =>
      mail.size === undefined ? operator === '<>' : ordered(operator, mail.size, Number.parseFloat(text) * unit),
    );
  });

const today = '2026-03-29';
const dates = [-400, -31, -7, -1, 0, 1, 3].map((days) => addDays(today, days));
const monthFirst = (date: string): string => `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(0, 4)}`;
const dayOf = (field: string, mail: FilterMail, zone: string): string | undefined => {
  const at = field === 'sent' ? mail.sentAt : mail.receivedAt;
  return at && dayIn(zone, at);
};
const fields = fc.constantFrom('received', 'sent');
const date = fc.tuple(fields, operators, fc.constantFrom(...dates), fc.boolean()).chain(([field, operator, day, us]) =>
  written(field, operator, us ? monthFirst(day) : day, (mail, { zone }) => {
    const actual = dayOf(field, mail, zone);
    return actual === undefined ? operator === '<>' : ordered(operator, actual, day);
  }),
);
const span = fc
  .tuple(fields, fc.subarray(dates, { minLength: 2, maxLength: 2 }))
  .chain(([field, [from = '', to = '']]) =>
    written(field, ':', `${from}..${monthFirst(to)}`, (mail, { zone }) => {
      const actual = dayOf(field, mail, zone);
      return actual !== undefined && actual >= from && actual <= to;
    }),
  );
const namedDay = fc
  .tuple(
    fields,
    fc.constantFrom('today', 'yesterday', 'this week', 'this month', 'last month', 'this year', 'last year'),
  )
  .chain(([field, name]) =>
    written(field, ':', name, (mail, { zone, now }) => {
      const actual = dayOf(field, mail, zone);
      return actual !== undefined && isCalled(name, actual, dayIn(zone, now));
    }),
  );

const free = fc.constantFrom(...words, 'Ada Lovelace', 'plan invoice').chain((text) =>
  quotedOr(text).map((shown) => ({
    text: shown,
    holds: (mail: FilterMail) =>
      [mail.subject, mail.body, ...mail.from.flatMap(({ name, address }) => [name, address])].some((each) =>
        has(each, text),
      ),
  })),
);

export const condition: fc.Arbitrary<Sample> = fc.oneof(
  textual,
  byDomain,
  byText,
  byAddress,
  flag,
  importance,
  category,
  attachment,
  size,
  date,
  span,
  namedDay,
  free,
);

type Level = 'or' | 'and' | 'one';
type Leveled = Sample & { level: Level };

const bracketed = (sample: Leveled, loosest: Level): string => {
  const order = ['or', 'and', 'one'];
  return order.indexOf(sample.level) >= order.indexOf(loosest) ? sample.text : `(${sample.text})`;
};

/** Conditions joined in every way the language has, with as few parentheses as it needs. */
export const anyFilter: fc.Arbitrary<Sample> = fc.letrec<{ clause: Leveled }>((tie) => ({
  clause: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    condition.map((sample): Leveled => ({ ...sample, level: 'one' })),
    fc.tuple(fc.constantFrom('NOT ', '-', '+'), tie('clause')).map(
      ([sign, part]): Leveled => ({
        text: `${sign}${bracketed(part, 'one')}`,
        level: 'one',
        holds: (mail, world) => part.holds(mail, world) === (sign === '+'),
      }),
    ),
    fc.tuple(fc.constantFrom(' AND ', ' ', '\n '), fc.array(tie('clause'), { minLength: 2, maxLength: 4 })).map(
      ([joint, parts]): Leveled => ({
        text: parts.map((part) => bracketed(part, 'and')).join(joint),
        level: 'and',
        holds: (mail, world) => parts.every((part) => part.holds(mail, world)),
      }),
    ),
    fc.array(tie('clause'), { minLength: 2, maxLength: 4 }).map(
      (parts): Leveled => ({
        text: parts.map((part) => bracketed(part, 'or')).join(' OR '),
        level: 'or',
        holds: (mail, world) => parts.some((part) => part.holds(mail, world)),
      }),
    ),
  ),
})).clause;

const person = fc.record({
  name: fc.constantFrom(...names, ''),
  address: fc
    .tuple(fc.constantFrom('ada', 'Grace', 'robot', 'ada.king', 'ada.king.contoso'), fc.constantFrom(...domains))
    .map((parts) => parts.join('@')),
});
const people = fc.array(person, { maxLength: 2 });
const prose = (longest: number) =>
  fc
    .tuple(fc.array(fc.constantFrom(...spellings), { maxLength: longest }), fc.constantFrom(' ', '  ', '\n', '\u00a0'))
    .map(([list, blank]) => list.join(blank));
// To the second, around the days that filters ask about, with both changes of the clocks.
const instant = fc
  .oneof(
    fc.integer({ min: Date.UTC(2024, 10), max: Date.UTC(2026, 11) }),
    fc.integer({ min: Date.UTC(2026, 2, 28), max: Date.UTC(2026, 3, 1) }),
  )
  .map((ms) => new Date(Math.floor(ms / 1000) * 1000));

export const anyMail: fc.Arbitrary<FilterMail> = fc.record(
  {
    subject: prose(3),
    body: prose(8),
    from: fc.array(person, { minLength: 1, maxLength: 1 }),
    to: people,
    cc: people,
    bcc: people,
    hasAttachments: fc.boolean(),
    attachmentNames: fc.subarray(files),
    receivedAt: instant,
    sentAt: instant,
    importance: fc.constantFrom('low', 'normal', 'high'),
    categories: fc.subarray(categories),
    size: fc.constantFrom(...sizes),
    isRead: fc.boolean(),
  },
  {
    requiredKeys: [
      'subject',
      'body',
      'from',
      'to',
      'cc',
      'bcc',
      'hasAttachments',
      'attachmentNames',
      'receivedAt',
      'importance',
      'categories',
      'isRead',
    ],
  },
);

export const anyWorld: fc.Arbitrary<World> = fc.record({ zone: fc.constantFrom(...zones), now: instant });
