import { describe, expect, test } from 'vitest';
import { compileFilter, type FilterMail, fold, parseFilter } from './index.ts';

const context = { zone: 'Europe/Berlin', now: () => new Date('2026-07-23T12:00:00Z') };
const matches = (text: string, mail: FilterMail) => compileFilter(parseFilter(text), context).matches(fold(mail));

/** Each pattern, and how a mail does or does not fit it. */
const patterns = [
  { text: 'subject:invoice', fits: { subject: 'Your Invoices' }, not: { subject: 'Lunch' } },
  { text: 'body:overdue', fits: { body: 'It is long OVERDUE.' }, not: { body: 'All is paid.' } },
  {
    text: 'from:*contoso.com',
    fits: { from: [{ name: 'Ada', address: 'ada@mail.contoso.com' }] },
    not: { from: [{ name: 'contoso.com', address: 'contoso.com@evil.test' }] },
  },
  { text: 'hasAttachments:true', fits: { hasAttachments: true }, not: { hasAttachments: false } },
  {
    text: 'received:07/23/2026',
    fits: { receivedAt: new Date('2026-07-22T22:00:00Z') },
    not: { receivedAt: new Date('2026-07-23T22:00:00Z') },
  },
];
const sets = Array.from({ length: 2 ** patterns.length }, (_, bits) => patterns.map((_, n) => (bits & (1 << n)) !== 0));
const rest = { to: [], cc: [], bcc: [], attachmentNames: [], importance: 'normal', categories: [], isRead: false };
const mailOf = (set: boolean[]): FilterMail =>
  Object.assign({}, rest, ...patterns.map(({ fits, not }, n) => (set[n] ? fits : not)));

describe.each(['AND', ''])('any patterns joined by "%s" let through the mails that fit all of them', (joint) => {
  const filters = sets.slice(1).map((chosen) => ({
    chosen,
    text: patterns.flatMap(({ text }, n) => (chosen[n] ? [text] : [])).join(` ${joint} `),
  }));

  test.each(filters)('$text', ({ text, chosen }) => {
    const through = sets.filter((set) => matches(text, mailOf(set)));

    expect(through).toEqual(sets.filter((set) => chosen.every((asked, n) => !asked || set[n])));
  });
});
