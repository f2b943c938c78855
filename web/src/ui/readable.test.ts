import { expect, test } from 'vitest';
import { readableOf } from './readable.ts';

const fact = (name: string, text: string) => ({ name, value: { kind: 'line', text } });

test('what a service told is read as facts: people and things by their names, without ids and what is empty', () => {
  const body = { format: 'text', text: 'Dear Ada,\nwhere is it?', truncated: false };
  const message = {
    ...{ id: 'AAk', conversationId: 'AAQ', webLink: 'https://x', subject: 'Late', cc: [], categories: [''] },
    from: { name: 'Luis', address: 'luis@contoso.example' },
    to: [{ name: 'ada@x.test', address: 'ada@x.test' }, { address: 'ben@x.test' }],
    receivedAt: { utc: '2026-11-02T13:10:00.000Z', local: '2026-11-02T14:10:00', timeZone: 'Europe/Berlin' },
    isRead: false,
    folder: { id: 'AQ', name: 'Inbox', path: 'Inbox' },
    authentication: { spf: 'pass', dkim: null },
    body,
  };
  expect(readableOf({ message, matchedFilter: null })).toEqual({
    kind: 'facts',
    facts: [
      {
        name: 'message',
        value: {
          kind: 'facts',
          facts: [
            fact('subject', 'Late'),
            fact('from', 'Luis <luis@contoso.example>'),
            fact('to', 'ada@x.test, ben@x.test'),
            { name: 'receivedAt', value: { kind: 'time', at: '2026-11-02T13:10:00.000Z' } },
            fact('isRead', 'no'),
            fact('folder', 'Inbox'),
            { name: 'authentication', value: { kind: 'facts', facts: [fact('spf', 'pass')] } },
            { name: 'body', value: { kind: 'text', text: body.text } },
          ],
        },
      },
    ],
  });
});

test('long lists are cut, and nothing is said of nothing', () => {
  const read = readableOf(Array.from({ length: 60 }, (_, n) => `Item number ${n}`));
  expect(read).toMatchObject({ kind: 'list', items: { length: 51, 50: { text: '… and 10 more' } } });
  for (const nothing of [null, undefined, '', [], {}, { id: 'x' }, [{ id: 'x' }]])
    expect(readableOf(nothing)).toBe(undefined);
});
