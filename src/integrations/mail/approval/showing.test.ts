import { describe, expect, test } from 'vitest';
import type { SendView } from '#kit';
import { headingEnds, quotationBegins } from './answers.ts';
import { asking, base64, draft, holding, message, nobody, person, seen, sha256, stored } from './holding.fixture.ts';
import { showing } from './showing.ts';

describe('a mail', () => {
  const whole: SendView = {
    kind: 'mail',
    from: { address: 'ada@sandbox.test' },
    to: [{ name: 'Ben', address: 'ben@sandbox.test' }],
    cc: [{ address: 'cy@sandbox.test' }],
    bcc: [],
    replyTo: [],
    subject: 'Offer',
    body: { text: '12 pieces', html: '<p>12 pieces</p>' },
    attachments: [
      { name: 'a.txt', contentType: 'text/plain', size: 6, sha256: sha256('twelve') },
      { name: 'b.zip', contentType: undefined, size: 9, sha256: undefined },
      { name: 'c.zip', contentType: 'application/zip', size: 10, sha256: undefined },
      { name: '(no name)', contentType: undefined, size: undefined, sha256: undefined },
    ],
    fields: { importance: 'high', savetosentitems: false },
    warnings: [],
  };

  test.each(['/me/sendMail', '/me/SENDMAIL/', '/users/x/microsoft.graph.sendMail'])(
    'sent by %s is shown whole, with everything else it says',
    async (path) => {
      expect(await seen([asking('POST', path, { Message: message, saveToSentItems: false })])).toEqual(whole);
    },
  );

  test('in the words of another letter case is shown alike', async () => {
    const upper = Object.fromEntries(Object.entries(message).map(([name, value]) => [name.toUpperCase(), value]));
    expect(await seen([asking('POST', '/me/sendMail', { message: upper, SaveToSentItems: false })])).toEqual(whole);
  });

  test('of plain text, with odd people in it, leaves nobody out', async () => {
    const odd = {
      toRecipients: ['x', null, { emailAddress: {} }, { emailAddress: { name: 'Eve' } }, person('ben@sandbox.test')],
      body: { content: '<b>' },
      bccRecipients: 'x',
    };
    expect(await seen([asking('POST', '/me/sendMail', { message: odd })])).toMatchObject({
      to: ['x', '{"emailAddress":{}}', 'Eve', 'ben@sandbox.test'].map((address) => ({ address })),
      bcc: [{ address: 'x' }],
      body: { text: '<b>' },
      subject: undefined,
    });
    expect((await seen([asking('POST', '/me/sendMail', { message: { body: { content: 5 } } })])).body).toBeUndefined();
  });

  test.each([
    ['the mail', { message: { subject: 'x' }, Message: { subject: 'y' } }],
    ['recipients', { message: { toRecipients: [person('ben@sandbox.test')], ToRecipients: [person('x@evil.test')] } }],
    ['an address', { message: { bccRecipients: [{ emailAddress: { address: 'a@b.test', Address: 'x@evil.test' } }] } }],
  ])('that names %s twice, in another letter case, is refused', async (_, body) => {
    await expect(seen([asking('POST', '/me/sendMail', body)])).rejects.toThrow('letter case');
  });

  test('shows what it carries besides, but for our own marks', async () => {
    const mark = { value: 'run_w6843h5932g1251k-1' };
    const ours = { id: 'String {6f1f0d3e-52c1-4c0e-9a77-3d6b1c2f8a40} Name switchboard-mark', ...mark };
    const deferred = { id: 'SystemTime 0x3FEF', value: '2030-01-01T00:00:00Z' };
    const told = { name: 'x-switchboard-marker', value: 'run_the-secret-that-was-read-1' };
    const item = { name: 'a', item: { subject: 'x' } };
    const carried = {
      singleValueExtendedProperties: [ours, deferred],
      internetMessageHeaders: [{ name: 'x-switchboard-marker', ...mark }, told],
      sender: person('boss@sandbox.test'),
      attachments: [{ name: 'b', contentBytes: '' }, item],
    };
    expect((await seen([asking('POST', '/me/sendMail', { message: carried })])).fields).toEqual({
      singlevalueextendedproperties: [deferred],
      internetmessageheaders: [told],
      sender: person('boss@sandbox.test'),
      attachments: [item],
    });
    const marked = { singleValueExtendedProperties: [ours], attachments: [] };
    expect((await seen([asking('POST', '/me/sendMail', { message: marked })])).fields).toEqual({});
  });

  test('that comes whole is shown as it will be on its way', async () => {
    expect(await seen([asking('POST', '/me/sendMail', 'bWltZQ==')])).toEqual({
      kind: 'request',
      ...nobody,
      subject: undefined,
      body: { text: 'mime' },
      warnings: ['To whom it goes stands in its text alone.'],
      fields: { method: 'POST', path: '/me/sendMail', query: undefined, body: 'bWltZQ==' },
    });
    for (const text of [
      'To: x\r\nContent-Transfer-Encoding: Base64\r\n\r\nc2VjcmV0',
      'Subject: =?utf-8?B?c2VjcmV0?=',
    ]) {
      const { warnings } = await seen([asking('POST', '/me/sendMail', base64(text))]);
      expect(warnings).toContain('Parts of it are encoded: what they say is not seen here.');
    }
  });
});

test.each<[string, object, string[]]>([
  ['nothing odd', { replyTo: [person('ADA@sandbox.test')] }, []],
  [
    'answers to somebody else',
    { replyTo: [person('x@evil.test'), person('y@evil.test')] },
    ['Answers go to x@evil.test, y@evil.test, not to the sender.'],
  ],
  ['another sender', { from: person('boss@sandbox.test') }, ['It is sent as boss@sandbox.test.']],
  ['a hidden copy', { bccRecipients: [person('x@evil.test')] }, ['Somebody gets a copy that the others do not see.']],
  [
    'a name that is another address',
    { ccRecipients: [person('x@evil.test', 'ben@sandbox.test')] },
    ['A name looks like another address: ben@sandbox.test is x@evil.test.'],
  ],
  [
    'an address that only looks like another',
    { toRecipients: [person('b\u0435n@sandbox.test')] },
    ['An address has signs that can be taken for others: b\u0435n@sandbox.test is b\\u{435}n@sandbox.test.'],
  ],
  ['a name that is its own address', { toRecipients: [person('ben@sandbox.test', 'Ben (BEN@sandbox.test)')] }, []],
  ['a name without an address', { toRecipients: [person('x@evil.test', 'Ben')] }, []],
  ['text turned around', { subject: 'a\u202eb' }, ['The text has characters that are not seen.']],
  [
    'a file whose name is turned around',
    { attachments: [{ name: 'offer\u202efdp.exe' }] },
    ['The text has characters that are not seen.'],
  ],
  [
    'text that is not seen',
    { body: { content: `a${'\u200b'.repeat(9)}` } },
    ['The text has characters that are not seen.'],
  ],
  [
    'tags that will be seen',
    { body: { contentType: 'text', content: '<p>Dear Ben,</p>' } },
    ['The body is HTML that is sent as plain text: whoever reads it sees the tags.'],
  ],
  ['tags that are meant', { body: { contentType: 'html', content: '<p>Dear Ben,</p>' } }, []],
  ['a text with brackets', { body: { content: 'if a <b and c> d, see <https://example.com/p>' } }, []],
  [
    'words that are hidden',
    { body: { contentType: 'html', content: '<p>Hi</p><p hidden>all salaries</p>' } },
    ['Parts of the body are hidden from whoever reads it; as text, every word is shown.'],
  ],
  [
    'words of a picture that is hidden',
    { body: { contentType: 'html', content: '<p>Hi</p><p hidden><img alt="all salaries"></p>' } },
    ['Parts of the body are hidden from whoever reads it; as text, every word is shown.'],
  ],
  ['a few joiners, as emoji have', { body: { content: `a${'\u200b'.repeat(8)}` } }, []],
])('a hurried person is warned of %s', async (_, change, warnings) => {
  expect((await seen([asking('POST', '/me/sendMail', { message: change })])).warnings).toEqual(warnings);
});

test('whoever decides sees every word, however it is hidden', async () => {
  const hidden = ['display:none', 'font-size:0', 'color:#fff', 'visibility:hidden'];
  const content = `<p>Hi</p>${hidden.map((style, n) => `<p style="${style}">word${n}</p>`).join('')}<p hidden>last</p>`;
  const { body } = await seen([
    asking('POST', '/me/sendMail', { message: { body: { contentType: 'html', content } } }),
  ]);
  expect(body?.text.split(/\s+/)).toEqual(['Hi', 'word0', 'word1', 'word2', 'word3', 'last']);
});

const said = (inner: string) => `<html><body>${inner}</body></html>`;
const heading = [
  '<div>From: Ben &lt;ben@sandbox.test&gt;<br>',
  'To: Ada &lt;Ada@sandbox.test&gt;; &lt;cy@sandbox.test&gt;<br>',
  'Subject: Question</div>',
].join('\n');

describe('a draft that is sent', () => {
  const list = {
    value: [
      {
        '@odata.type': '#microsoft.graph.fileAttachment',
        id: 'F/1',
        name: 'a.txt',
        contentType: 'text/plain',
        size: 100,
        isInline: false,
      },
      { '@odata.type': '#microsoft.graph.fileAttachment', id: 'F2', name: 'big', size: 4 * 1024 * 1024 + 1 },
    ],
  };
  const held = {
    [draft]: { ...stored, hasAttachments: true },
    [`${draft}/attachments`]: list,
    [`${draft}/attachments/F%2F1`]: { contentBytes: base64('twelve') },
  };

  test.each([`${draft}/%73end`, `${draft}/send()`, '/me/messages(AA=)/Send'])('by %s is shown alike', async (path) => {
    const { reading } = holding({ ...held, '/me/messages(AA=)': stored });
    expect(await seen([asking('POST', path)], reading)).toMatchObject({ kind: 'mail', subject: 'Question' });
  });

  test('is shown as the service holds it, with its files', async () => {
    const { reading, asked } = holding(held);
    const view = await seen([asking('POST', `${draft}/microsoft.graph.Send`)], reading);
    expect(view).toMatchObject({ kind: 'mail', from: { address: 'ben@sandbox.test' }, subject: 'Question' });
    expect(view.attachments).toEqual([
      { name: 'a.txt', contentType: 'text/plain', size: 6, sha256: sha256('twelve') },
      { name: 'big', contentType: undefined, size: 4 * 1024 * 1024 + 1, sha256: undefined, id: 'F2' },
    ]);
    expect(asked[0]?.query?.['$select']).toBe(
      'id,subject,body,from,toRecipients,ccRecipients,bccRecipients,replyTo,importance,hasAttachments,isDraft,sender,isReadReceiptRequested,isDeliveryReceiptRequested,internetMessageHeaders,parentFolderId',
    );
    expect(asked.map(({ path }) => path)).not.toContain(`${draft}/attachments/F2`);
  });

  test('has its files looked up whatever it says of them, on every page', async () => {
    const inside = holding({ ...held, [draft]: { ...stored, hasAttachments: false } });
    expect((await seen([asking('POST', `${draft}/send`)], inside.reading)).attachments).toHaveLength(2);
    const endless = holding({
      ...held,
      [`${draft}/attachments`]: { ...list, '@odata.nextLink': 'http://x/y?$skip=2' },
    });
    await expect(seen([asking('POST', `${draft}/send`)], endless.reading)).rejects.toMatchObject({ code: 'conflict' });
    expect(endless.asked.filter(({ path }) => path.endsWith('/attachments')).at(-1)?.query).toEqual({ $skip: '2' });
    const { reading } = holding({ [draft]: stored });
    expect((await seen([asking('POST', `${draft}/send`)], reading)).attachments).toEqual([]);
  });

  test('is shown with the receipts it asks for, its headers and who sends it for another', async () => {
    const shown = async (more: object) =>
      (await seen([asking('POST', `${draft}/send`)], holding({ [draft]: { ...stored, ...more } }).reading)).fields;
    const headers = [{ name: 'x-a', value: 'b' }];
    expect(await shown({ isReadReceiptRequested: true, internetMessageHeaders: headers })).toEqual({
      isreadreceiptrequested: true,
      internetmessageheaders: headers,
    });
    const sender = person('eve@sandbox.test');
    expect(await shown({ sender, isDeliveryReceiptRequested: false })).toEqual({ sender });
    expect(await shown({ sender: person('BEN@sandbox.test'), internetMessageHeaders: null })).toEqual({});
  });

  test('is compared with what was approved, large files by their content', async () => {
    const { reading } = holding(held, { [`${draft}/attachments/F2/$value`]: 'large' });
    const request = asking('POST', `${draft}/send`).request;
    const approved = await seen([{ request }], reading);
    const held2 = { ...approved.attachments[1], name: 'big', sha256: sha256('large') };
    const exact = { ...approved, attachments: [...approved.attachments.slice(0, 1), held2] };
    expect(await showing.differences(exact, request, reading, [])).toEqual([]);
    const other = { ...exact, attachments: [...exact.attachments.slice(0, 1), { ...held2, sha256: sha256('other') }] };
    expect(await showing.differences(other, request, reading, [])).toEqual(['attachments']);
    expect(await showing.differences({ ...exact, subject: 'x' }, request, reading, [])).toEqual(['subject']);
    expect(await showing.differences(other, asking('POST', `${draft}/reply`).request, reading, [])).toEqual([]);
    expect(await showing.differences(other, asking('POST', '/me/sendMail').request, reading, [])).toEqual([]);
  });

  test('is held to the very large files that were shown, which another of their name and size is not', async () => {
    const other = { ...list, value: list.value.map((each) => (each.id === 'F2' ? { ...each, id: 'F3' } : each)) };
    const before = holding(held).reading;
    const after = holding(
      { ...held, [`${draft}/attachments`]: other },
      { [`${draft}/attachments/F2/$value`]: 'large', [`${draft}/attachments/F3/$value`]: 'other' },
    ).reading;
    const request = asking('POST', `${draft}/send`).request;
    expect(await showing.differences(await seen([{ request }], before), request, after, [])).toEqual(['attachments']);
    for (const action of ['send', 'forward']) {
      const asked = [asking('POST', `${draft}/${action}`, { toRecipients: [person('cy@sandbox.test')] })];
      expect(await seen(asked, after)).not.toEqual(await seen(asked, before));
    }
  });

  test('that somebody wrote to after us must be the very text that the service made of ours', async () => {
    const now = { ...stored, '@odata.etag': 'two' };
    const { reading } = holding({ [draft]: now });
    const request = asking('POST', `${draft}/send`).request;
    const approved = await seen([{ request }], reading);
    const ours = { id: 'AA=', '@odata.etag': 'one', from: stored.from, body: stored.body };
    const found = (made: unknown[]) => showing.differences(approved, request, reading, made);
    expect(await found([ours])).toEqual([]);
    expect(await found([{ ...ours, from: person('BEN@sandbox.test') }])).toEqual([]);
    const rewritten = { ...ours, body: { contentType: 'html', content: '<p>Do you?</p>' } };
    expect(await found([rewritten])).toEqual(['body']);
    const asOther = { ...ours, from: person('other@sandbox.test') };
    expect(await found([asOther])).toEqual(['from']);
    expect(await found([asOther, { id: 'F1', name: 'a.txt' }])).toEqual(['from']);
    expect(
      await found([
        { ...ours, from: undefined },
        { id: 'F1', name: 'a.txt' },
      ]),
    ).toEqual(['from']);
    const own = holding({ [draft]: { ...now, from: person('Ada@sandbox.test') } }).reading;
    const unsaid = { ...approved, from: undefined };
    expect(await showing.differences(unsaid, request, own, [{ ...ours, from: undefined }])).toEqual([]);
    expect(await showing.differences(unsaid, request, own, [ours, { id: 'F1' }])).toEqual(['from']);
    expect(await found([{ ...rewritten, '@odata.etag': 'two' }])).toEqual([]);
    expect(await found([{ ...rewritten, '@odata.etag': undefined }])).toEqual([]);
    expect(await found([{ ...rewritten, id: 'other' }])).toEqual([]);
    expect(await found([rewritten, { id: 'AA=' }])).toEqual([]);
    expect(await showing.differences({ ...approved, subject: 'x' }, request, reading, [rewritten])).toEqual([
      'subject',
    ]);
  });
});

describe('an answer', () => {
  const answered = async (action: string, body: unknown = {}, change: object = {}) =>
    seen([asking('POST', `${draft}/${action}`, body)], holding({ [draft]: { ...stored, ...change } }).reading);

  test('to one goes to whoever wrote, above what they wrote', async () => {
    const view = await answered('reply', { comment: 'Yes & no' });
    expect(view).toMatchObject({
      kind: 'mail',
      to: [{ name: 'Ben', address: 'ben@sandbox.test' }],
      cc: [],
      subject: 'RE: Question',
    });
    expect(view.body?.html).toBe(
      said(`<div>Yes &amp; no</div>${quotationBegins}${heading}${headingEnds}<p>Do you?</p>`),
    );
  });

  test('goes to those whom the original names for answers', async () => {
    const view = await answered('reply', {}, { replyTo: [person('desk@sandbox.test')] });
    expect(view.to).toEqual([{ address: 'desk@sandbox.test' }]);
    expect((await answered('reply', {}, { from: null, replyTo: [] })).to).toEqual([]);
  });

  test('to all leaves out the account itself, and names nobody twice', async () => {
    const view = await answered('replyAll');
    expect(view.to.map(({ address }) => address)).toEqual(['ben@sandbox.test', 'cy@sandbox.test']);
    expect(view.cc.map(({ address }) => address)).toEqual(['dan@sandbox.test']);
  });

  test('that forwards goes to those it names, with every file', async () => {
    const files = {
      [draft]: {
        ...stored,
        subject: 'fw: Question',
        hasAttachments: true,
        body: { contentType: 'text', content: 'Do <you>?' },
      },
      [`${draft}/attachments`]: {
        value: [
          { id: 'F1', name: 'a', size: 1, isInline: true },
          { id: 'F2', name: 'b', size: 1 },
        ],
      },
      [`${draft}/attachments/F1`]: { contentBytes: base64('a') },
      [`${draft}/attachments/F2`]: { contentBytes: null },
    };
    const view = await seen(
      [asking('POST', `${draft}/forward`, { toRecipients: [person('eve@sandbox.test')] })],
      holding(files).reading,
    );
    expect(view).toMatchObject({ to: [{ address: 'eve@sandbox.test' }], cc: [], subject: 'fw: Question' });
    expect(view.attachments.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(view.body?.html).toContain('Do &lt;you&gt;?');
    const reply = await seen([asking('POST', `${draft}/reply`)], holding(files).reading);
    expect(reply.attachments.map(({ name, carried }) => [name, carried])).toEqual([['a', true]]);
    expect(view.attachments.map(({ carried }) => carried)).toEqual([undefined, undefined]);
    expect(reply.subject).toBe('RE: fw: Question');
  });

  test('says what its request says instead', async () => {
    const message = { subject: 'Other', ccRecipients: [person('eve@sandbox.test')] };
    const view = await answered(
      'reply',
      { Message: message, ToRecipients: [person('dan@sandbox.test')] },
      { subject: null, body: null },
    );
    expect(view).toMatchObject({
      to: [{ address: 'dan@sandbox.test' }],
      cc: [{ address: 'eve@sandbox.test' }],
      subject: 'Other',
    });
    expect((await answered('reply', {}, { subject: 're: x' })).subject).toBe('re: x');
    expect((await answered('reply', {}, { subject: null, toRecipients: null })).subject).toBe('RE: ');
  });
});

describe('what a step composes', () => {
  test('adds up from what would be written, one after the other', async () => {
    const view = await seen([
      {
        ...asking('POST', '/me/messages', {}),
        answer: { subject: 'One', toRecipients: [person('ben@sandbox.test')], attachments: [{ name: 'in' }] },
      },
      asking('PATCH', draft, { subject: 'Two', body: { contentType: 'text', content: 'Hello' } }),
      asking('POST', `${draft}/attachments`, { name: 'a.txt', contentBytes: base64('twelve') }),
      {
        ...asking('POST', `${draft}/attachments/createUploadSession`, { AttachmentItem: { name: 'c', size: 3 } }),
        content: { name: 'c', size: 3, sha256: 'ab' },
      },
      asking('POST', `${draft}/send`),
    ]);
    expect(view).toMatchObject({
      kind: 'mail',
      subject: 'Two',
      to: [{ address: 'ben@sandbox.test' }],
      body: { text: 'Hello' },
    });
    expect(view.attachments.map(({ name, size, sha256: digest }) => [name, size, digest])).toEqual([
      ['in', undefined, undefined],
      ['a.txt', 6, sha256('twelve')],
      ['c', 3, 'ab'],
    ]);
  });

  test('is imagined as the service would make it', async () => {
    const { reading } = holding({ [draft]: stored });
    const imagine = (method: string, path: string, body?: unknown) =>
      showing.imagine(asking(method, path, body).request, reading);
    const id = 'not-written-yet';
    expect(await imagine('POST', `${draft}/createReply`)).toMatchObject({ id, subject: 'RE: Question' });
    expect(await imagine('POST', `${draft}/attachments`, {})).toEqual({ id });
    expect(await imagine('POST', `${draft}/attachments/createUploadSession`, {})).toEqual({ id });
    expect(await imagine('PATCH', draft, { subject: 'x' })).toEqual({ id, subject: 'x' });
    expect(await imagine('POST', '/me/messages', { id: 'theirs', subject: 'x' })).toEqual({ id, subject: 'x' });
    expect(await imagine('POST', '/me/messages/x/move', {})).toBeUndefined();
    expect(await imagine('POST', '/me/attachments/x', {})).toBeUndefined();
  });

  test('is nothing when there is nothing', async () => {
    expect(await seen([])).toEqual({ kind: 'request', ...nobody, subject: undefined, body: undefined, fields: {} });
  });
});
