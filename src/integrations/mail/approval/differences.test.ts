import { describe, expect, test } from 'vitest';
import type { Enclosed, SendView } from '#kit';
import { above } from '../compose.ts';
import { keepMeetingLink } from '../meeting-link.ts';
import { headingEnds, imagineAnswer, quotationBegins } from './answers.ts';
import { differencesOf } from './differences.ts';
import { targetsIn } from './targets.ts';

const approved: SendView = {
  kind: 'mail',
  from: { address: 'ada@sandbox.test' },
  to: [{ name: 'Ben', address: 'ben@sandbox.test' }, { address: 'cy@sandbox.test' }],
  cc: [{ address: 'dan@sandbox.test' }],
  bcc: [{ address: 'eve@sandbox.test' }],
  replyTo: [{ address: 'ada@sandbox.test' }],
  subject: 'Offer',
  body: { text: '12 pieces, 40 each', html: '<p>12 pieces, <a href="https://shop.test/a">40 each</a></p>' },
  attachments: [
    { name: 'offer.txt', size: 6, sha256: 'ab' },
    { name: 'big.zip', size: 9_000_000 },
  ],
  fields: {},
  warnings: [],
};
const html = (content: string): SendView['body'] => ({ text: '', html: content });
const found = (change: Partial<SendView>): string[] => differencesOf(approved, { ...approved, ...change });

describe('a draft is what was approved', () => {
  test.each<[string, Partial<SendView>]>([
    ['as it is', {}],
    [
      'with its people in another order and letter case',
      { to: [{ address: 'CY@sandbox.test' }, { address: 'BEN@sandbox.test' }] },
    ],
    ['with blanks around its subject', { subject: ' Offer ' }],
    [
      'with its markup written anew',
      {
        body: html(
          "<html><style>p { color: red }</style><title>x</title><body>\n12&nbsp;pieces,<b> <a href='https://shop.test/a'>40 each</a></b></body></html>",
        ),
      },
    ],
    ['with its files in another order', { attachments: approved.attachments.toReversed() }],
    [
      'with a file that takes a little more room there',
      {
        attachments: [
          { name: 'offer.txt', size: 6 },
          { name: 'big.zip', size: 9_002_047 },
        ],
      },
    ],
  ])('%s', (_, change) => {
    expect(found(change)).toEqual([]);
  });

  test('where neither says who sends it, or what about', () => {
    const { from, subject, body, ...rest } = approved;
    expect(differencesOf(rest, { ...rest, from: { address: 'anybody@sandbox.test' } })).toEqual([]);
    expect([from, subject, body]).not.toContain(undefined);
  });
});

test('what the service may leave out of an answer may be missing, and be nothing else', () => {
  const carried = { name: 'logo.png', size: 9, sha256: 'ef', carried: true } as const;
  const answer = { ...approved, attachments: [...approved.attachments, carried] };
  const { carried: _, ...held } = carried;
  const then = (last: Enclosed[]) =>
    differencesOf(answer, { ...approved, attachments: [...approved.attachments, ...last] });
  expect([then([held]), then([])]).toEqual([[], []]);
  expect([then([{ ...held, sha256: 'ab' }]), then([held, held])]).toEqual([['attachments'], ['attachments']]);
});

describe('a draft is not what was approved', () => {
  test.each<[string, string, Partial<SendView>]>([
    ['from', 'with another sender', { from: { address: 'mallory@sandbox.test' } }],
    ['from', 'without its sender', { from: undefined }],
    ['to', 'with somebody more', { to: [...approved.to, { address: 'mallory@sandbox.test' }] }],
    [
      'to',
      'with somebody else of the same name',
      { to: [{ name: 'Ben', address: 'ben@elsewhere.test' }, { address: 'cy@sandbox.test' }] },
    ],
    ['cc', 'without a copy', { cc: [] }],
    ['bcc', 'with another hidden copy', { bcc: [{ address: 'mallory@sandbox.test' }] }],
    ['reply-to', 'with answers to somebody else', { replyTo: [{ address: 'mallory@sandbox.test' }] }],
    ['subject', 'with another subject', { subject: 'Offers' }],
    ['subject', 'without a subject', { subject: undefined }],
    ['body', 'with a word more', { body: html(`${approved.body?.html}<p>or 400</p>`) }],
    ['body', 'with a hidden word more', { body: html(`${approved.body?.html}<p style="display:none">or 400</p>`) }],
    [
      'body',
      'with the same words that lead elsewhere',
      { body: html('<p>12 pieces, <a href="https://evil.test/a">40 each</a></p>') },
    ],
    [
      'body',
      'with a picture that is loaded',
      { body: html(`${approved.body?.html}<img src="https://evil.test/p.gif">`) },
    ],
    ['body', 'without a body', { body: undefined }],
    ['attachments', 'without a file', { attachments: approved.attachments.slice(1) }],
    ['attachments', 'with a file more', { attachments: [...approved.attachments, { name: 'x', size: 1 }] }],
    ['attachments', 'with a file twice', { attachments: [...approved.attachments, ...approved.attachments.slice(1)] }],
    [
      'attachments',
      'with a file of another content',
      {
        attachments: [
          { name: 'offer.txt', size: 6, sha256: 'cd' },
          { name: 'big.zip', size: 9_000_000 },
        ],
      },
    ],
    [
      'attachments',
      'with a file of another name',
      {
        attachments: [
          { name: 'other.txt', size: 6, sha256: 'ab' },
          { name: 'big.zip', size: 9_000_000 },
        ],
      },
    ],
    [
      'attachments',
      'with a file of another size',
      {
        attachments: [
          { name: 'offer.txt', size: 6, sha256: 'ab' },
          { name: 'big.zip', size: 9_002_048 },
        ],
      },
    ],
    [
      'attachments',
      'with a file of no size',
      { attachments: [{ name: 'offer.txt', size: 6, sha256: 'ab' }, { name: 'big.zip' }] },
    ],
  ])('(%s) %s', (what, _, change) => {
    expect(found(change)).toEqual([what]);
  });

  test('in several things at once, each named', () => {
    expect(found({ to: [], subject: 'x', attachments: [] })).toEqual(['to', 'subject', 'attachments']);
  });
});

describe('plain text', () => {
  const plain: SendView = { ...approved, body: { text: 'See https://shop.test/a' } };
  const then = (body: SendView['body']) => differencesOf(plain, { ...plain, body });

  test('may become markup that leads only to what it names', () => {
    expect(then(html('See <a href="https://shop.test/a">https://shop.test/a</a>'))).toEqual([]);
    expect(then({ text: 'See  https://shop.test/a\n' })).toEqual([]);
  });

  test('may hold signs that are not seen, which are not kept in markup', () => {
    const text = 'Donau\u00addampf\u200b می\u200cخواهم שלום\u200f! \u0007a\u2800b';
    const signed = { ...plain, body: { text } };
    expect(differencesOf(signed, { ...signed, body: html(`<pre>${text}</pre>`) })).toEqual([]);
    expect(differencesOf(signed, { ...signed, body: html(`<pre>${text}c</pre>`) })).toEqual(['body']);
  });

  test('may not lead elsewhere, nor say something else', () => {
    expect(then(html('See <a href="https://evil.test">https://shop.test/a</a>'))).toEqual(['body']);
    expect(then({ text: 'See https://shop.test/b' })).toEqual(['body']);
    expect(then({ text: 'See <b>https://shop.test/a</b>' })).toEqual(['body']);
  });
});

describe('an answer, whose heading the service writes', () => {
  const said = '<p>Yes, <a href="https://shop.test/a">gladly</a></p>';
  const quoted = '<p>Do you <a href="https://their.test/q">want it</a>?</p>';
  const answer: SendView = {
    ...approved,
    body: html(`<html><body>${said}${quotationBegins}From: Ben${headingEnds}${quoted}</body></html>`),
  };
  const then = (content: string) => differencesOf(answer, { ...answer, body: html(content) });

  test('is the same below another heading, which may lead to those it names', () => {
    expect(then(`${said}<hr><b>From:</b> Ben Sent: today To: Ada${quoted}`)).toEqual([]);
    expect(then(`${said}<hr>From: <a href="mailto:ben@sandbox.test">Ben</a>${quoted}`)).toEqual([]);
    expect(then(`${said}${'x'.repeat(3_999)}${quoted}`)).toEqual([]);
  });

  test.each([
    ['other words above', `<p>No, <a href="https://shop.test/a">gladly</a></p><hr>From: Ben${quoted}`],
    ['another quotation', `${said}<hr>From: Ben<p>Do you <a href="https://their.test/q">want more</a>?</p>`],
    ['a heading that leads elsewhere', `${said}<hr>From: <a href="https://evil.test">Ben</a>${quoted}`],
    ['what is said leading elsewhere', `${said.replace('shop', 'evil')}<hr>From: Ben${quoted}`],
    ['the quotation leading elsewhere', `${said}<hr>From: Ben${quoted.replace('their', 'evil')}`],
    ['a heading as long as a letter', `${said}${'x'.repeat(4_000)}${quoted}`],
    ['nothing but what is quoted', quoted],
  ])('is not the same with %s', (_, content) => {
    expect(then(content)).toEqual(['body']);
  });

  test('whose marks are missing or turned around is held to every word', () => {
    for (const marks of [
      ['', headingEnds],
      [headingEnds, quotationBegins],
    ]) {
      const odd = { ...answer, body: html(`${said}${marks[0]}From: Ben${marks[1]}${quoted}`) };
      expect(differencesOf(odd, { ...odd, body: html(`${said}<hr>From: Ada${quoted}`) })).toEqual(['body']);
    }
  });
});

test.each([
  [
    'links and pictures, in their order',
    '<a href="https://a.test">x</a><IMG SRC=https://b.test>',
    ['https://a.test', 'https://b.test'],
  ],
  ['single quotes and blanks', "<a  href = ' https://a.test '>", ['https://a.test']],
  ['escapes', '<a href="https://a.test?x=1&amp;y=2">', ['https://a.test?x=1&y=2']],
  ['forms', '<form action="https://a.test"><button formaction=https://b.test>', ['https://a.test', 'https://b.test']],
  ['styles of an element', '<p style="background:url( \'https://a.test\' )">', ['https://a.test']],
  ['styles that load nothing', '<p style="color:red">', []],
  [
    'style sheets',
    '<style>p { background: url("https://a.test") } b { background: URL(https://b.test) }</style>',
    ['https://a.test', 'https://b.test'],
  ],
  ['other attributes', '<p id="https://a.test" title="x">', []],
  ['text', 'a < b href="https://a.test"', []],
])('where markup leads: %s', (_, markup, targets) => {
  expect(targetsIn(markup)).toEqual(targets);
});

test('what is answered is held to with work that grows with its length and not with its square', () => {
  for (const scrap of [
    '<style ',
    '<style>',
    '<title>',
    '<body ',
    '</body>',
    '<div class="',
    '<a',
    '<a href="',
    '<',
    '<>',
    'url(',
  ]) {
    const content = scrap.repeat(400_000 / scrap.length);
    const body = { contentType: 'html', content };
    const made = imagineAnswer('reply', { id: 'AA=', body, attachments: [] }, undefined).body.content;
    const shown = { ...approved, body: html(above(made, 'Yes.', 'text')) };
    expect(differencesOf(shown, { ...shown, body: html(`!${shown.body?.html}`) })).toEqual(['body']);
    const event = { body, onlineMeeting: { joinUrl: 'https://meet.test' } } as Parameters<typeof keepMeetingLink>[0];
    expect(keepMeetingLink(event, body)).toHaveProperty('content', expect.stringContaining('https://meet.test'));
  }
});
