import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Bench, idOf, listOf, mailBench, to } from '../test-mail.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await mailBench();
});
beforeEach(() => bench.order('/reset', {}));
afterAll(() => bench.close());

const draft = async (body: object = { subject: 'Draft' }) => (await bench.ask('POST', '/me/messages', { body })).json;

test('lists hold the whole mailbox, newest first, ten at a time', async () => {
  const first = await bench.ask('GET', '/me/messages?$count=true');
  const total = first.json['@odata.count'] as number;
  expect(listOf(first)).toHaveLength(10);
  const all = await bench.all('/me/messages?$select=receivedDateTime,parentFolderId');
  expect(all).toHaveLength(total);
  const times = all.map(({ receivedDateTime }) => String(receivedDateTime));
  expect(times).toEqual(times.toSorted().toReversed());
  expect(new Set(all.map(({ parentFolderId }) => parentFolderId)).size).toBeGreaterThan(4);
  expect((await bench.ask('GET', '/me/messages/$count')).text).toBe(String(total));
});

test('$top goes from 1 to 1000', async () => {
  expect(listOf(await bench.ask('GET', '/me/messages?$top=1000')).length).toBeGreaterThan(10);
  for (const top of ['0', '1001', '-1', 'x']) {
    expect((await bench.ask('GET', `/me/messages?$top=${top}`)).status).toBe(400);
  }
});

test('filters, also on extended properties, and sorting by what is filtered', async () => {
  const unread = listOf(await bench.ask('GET', '/me/messages?$filter=isRead eq false&$select=isRead'));
  expect(unread.length).toBeGreaterThan(3);
  expect(unread.every(({ isRead }) => isRead === false)).toBe(true);
  const since =
    '/me/messages?$filter=receivedDateTime ge 2000-01-01T00:00:00Z and isRead eq true&$orderby=receivedDateTime desc';
  expect(listOf(await bench.ask('GET', since))).toHaveLength(10);
  const future = '/me/messages?$filter=receivedDateTime ge 2999-01-01T00:00:00Z';
  expect(listOf(await bench.ask('GET', future))).toHaveLength(0);
  const bySender = listOf(
    await bench.ask('GET', "/me/messages?$filter=from/emailAddress/address eq 'hanna@northwind.example'"),
  );
  expect(bySender).toHaveLength(3);
  const property = 'String {66f5a359-4659-4830-9070-00047ec6ac6e} Name Step';
  const created = await draft({ subject: 'Marked', singleValueExtendedProperties: [{ id: property, value: '42' }] });
  const filter = `singleValueExtendedProperties/any(ep: ep/id eq '${property}' and ep/value eq '42')`;
  const found = listOf(await bench.ask('GET', `/me/messages?$filter=${encodeURIComponent(filter)}`));
  expect(found.map(idOf)).toEqual([idOf(created)]);
  const expand = `singleValueExtendedProperties($filter=id eq '${property}')`;
  const shown = await bench.ask('GET', `/me/messages/${idOf(created)}?$expand=${encodeURIComponent(expand)}`);
  expect(shown.json['singleValueExtendedProperties']).toEqual([{ id: property, value: '42' }]);
});

test('sorting by another property covers the whole list', async () => {
  const subjects = (await bench.all('/me/messages?$orderby=subject&$select=subject')).map(({ subject }) =>
    String(subject).toLowerCase(),
  );
  expect(subjects).toEqual(subjects.toSorted((a, b) => (a < b ? -1 : 1)));
});

test('headers and the unique body come only when selected', async () => {
  const whole = listOf(await bench.ask('GET', '/me/messages?$top=1'))[0];
  expect(whole).not.toHaveProperty('internetMessageHeaders');
  expect(whole).not.toHaveProperty('uniqueBody');
  await bench.order('/deliver', {
    to: 'ada@sandbox.test',
    from: 'x@example.com',
    subject: 'H',
    body: 'b',
    headers: { 'X-Ref': '7' },
  });
  const [selected] = listOf(await bench.ask('GET', '/me/messages?$top=1&$select=internetMessageHeaders,uniqueBody'));
  expect(selected?.['internetMessageHeaders']).toContainEqual({ name: 'X-Ref', value: '7' });
  expect(selected?.['uniqueBody']).toMatchObject({ contentType: 'html' });
});

test('a draft is created, changed, and its MIME can be read', async () => {
  const created = await bench.ask('POST', '/me/messages', {
    body: {
      Subject: 'First',
      BODY: { contentType: 'HTML', content: '<b>Bold</b>' },
      toRecipients: to('ben@sandbox.test'),
      importance: 'High',
    },
  });
  expect(created.status).toBe(201);
  expect(created.json).toMatchObject({ isDraft: true, importance: 'high', bodyPreview: 'Bold', isRead: true });
  const path = `/me/messages/${idOf(created.json)}`;
  const patched = await bench.ask('PATCH', path, { body: { subject: 'Second', categories: ['Red category'] } });
  expect(patched.json).toMatchObject({ subject: 'Second', categories: ['Red category'] });
  expect(patched.json['changeKey']).not.toBe(created.json['changeKey']);
  const mime = await bench.ask('GET', `${path}/$value`);
  expect(mime.headers.get('content-type')).toBe('text/plain');
  expect(mime.text).toContain('Subject: Second');
});

test('a draft can be created from base64 MIME, attachments included', async () => {
  const mime = [
    'From: Ada <ada@sandbox.test>',
    'To: "Ben, B" <ben@sandbox.test>',
    'Subject: =?utf-8?B?R3LDvMOfZQ==?=',
    'X-Mine: 1',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Caf=C3=A9',
    '--b',
    'Content-Type: text/csv; name="a.csv"',
    'Content-Disposition: attachment; filename="a.csv"',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from('1,2').toString('base64'),
    '--b--',
    '',
  ].join('\r\n');
  const raw = Buffer.from(mime).toString('base64');
  const { status, json } = await bench.ask('POST', '/me/messages', { raw, headers: { 'Content-Type': 'text/plain' } });
  expect(status).toBe(201);
  expect(json).toMatchObject({
    subject: 'Grüße',
    bodyPreview: 'Café',
    hasAttachments: true,
    toRecipients: [{ emailAddress: { name: 'Ben, B', address: 'ben@sandbox.test' } }],
  });
  const [file] = listOf(await bench.ask('GET', `/me/messages/${idOf(json)}/attachments`));
  expect(file).toMatchObject({ name: 'a.csv', contentBytes: Buffer.from('1,2').toString('base64') });
  const bad = await bench.ask('POST', '/me/messages', {
    raw: 'not base64!',
    headers: { 'Content-Type': 'text/plain' },
  });
  expect(bad.code).toBe('ErrorMimeContentInvalidBase64String');
});

test('custom headers must start with x-', async () => {
  const withHeader = (name: string) =>
    bench.ask('POST', '/me/messages', { body: { internetMessageHeaders: [{ name, value: '1' }] } });
  expect((await withHeader('x-custom')).status).toBe(201);
  expect((await withHeader('Subject')).code).toBe('InvalidInternetMessageHeader');
});

test('properties that do not exist are refused, those that cannot be set are ignored', async () => {
  expect((await bench.ask('POST', '/me/messages', { body: { colour: 'red' } })).code).toBe('RequestBodyRead');
  const { json } = await bench.ask('POST', '/me/messages', {
    body: { subject: 'x', receivedDateTime: '2001-01-01T00:00:00Z', isDraft: false },
  });
  expect(json['isDraft']).toBe(true);
  expect(json['receivedDateTime']).not.toContain('2001');
});

test('subject, body and recipients change only while the message is a draft, unless the switch is off', async () => {
  const id = idOf(listOf(await bench.ask('GET', '/me/mailFolders/inbox/messages?$top=1'))[0]);
  const refused = await bench.ask('PATCH', `/me/messages/${id}`, { body: { subject: 'Other' } });
  expect(refused.status).toBe(403);
  expect(
    (await bench.ask('PATCH', `/me/messages/${id}`, { body: { isRead: true, flag: { flagStatus: 'flagged' } } }))
      .status,
  ).toBe(200);
  await bench.order('/behaviour', { refuseSensitivePatch: false });
  expect((await bench.ask('PATCH', `/me/messages/${id}`, { body: { subject: 'Other' } })).json['subject']).toBe(
    'Other',
  );
});

test('a deleted message is in Deleted Items, deleted again it is gone, purged it is gone at once', async () => {
  const immutable = { headers: { Prefer: 'IdType="ImmutableId"' } };
  const [a, b] = listOf(await bench.ask('GET', '/me/mailFolders/inbox/messages?$top=2', immutable)).map(idOf);
  expect((await bench.ask('DELETE', `/me/messages/${a}`)).status).toBe(204);
  const bin = (await bench.ask('GET', '/me/mailFolders/deleteditems')).json;
  expect((await bench.ask('GET', `/me/messages/${a}`)).json['parentFolderId']).toBe(idOf(bin));
  expect((await bench.ask('DELETE', `/me/messages/${a}`)).status).toBe(204);
  expect((await bench.ask('GET', `/me/messages/${a}`)).code).toBe('ErrorItemNotFound');
  expect((await bench.ask('POST', `/me/messages/${b}/permanentDelete`)).status).toBe(204);
  expect((await bench.ask('GET', `/me/messages/${b}`)).status).toBe(404);
});

test('an older etag in If-Match is 412', async () => {
  const created = await draft();
  const path = `/me/messages/${idOf(created)}`;
  const old = String(created['@odata.etag']);
  expect((await bench.ask('PATCH', path, { body: { subject: 'b' }, headers: { 'If-Match': old } })).status).toBe(200);
  const late = await bench.ask('PATCH', path, { body: { subject: 'c' }, headers: { 'If-Match': old } });
  expect([late.status, late.code]).toEqual([412, 'ErrorIrresolvableConflict']);
});

test('a copy is another message with the same internetMessageId', async () => {
  const created = await draft();
  const copy = await bench.ask('POST', `/me/messages/${idOf(created)}/copy`, { body: { destinationId: 'archive' } });
  expect(copy.status).toBe(201);
  expect(idOf(copy.json)).not.toBe(idOf(created));
  expect(copy.json['internetMessageId']).toBe(created['internetMessageId']);
  expect((await bench.ask('GET', `/me/messages/${idOf(created)}`)).status).toBe(200);
});

test('ids translate to immutable ones and back', async () => {
  const id = idOf(await draft());
  const translate = async (inputIds: string[], targetIdType: string) =>
    listOf(
      await bench.ask('POST', '/me/translateExchangeIds', { body: { inputIds, sourceIdType: 'restId', targetIdType } }),
    );
  const [there] = await translate([id, 'nonsense'], 'restImmutableEntryId');
  const [back] = await translate([String(there?.['targetId'])], 'restId');
  expect(back?.['targetId']).toBe(id);
});

test('another person’s mailbox needs rights and the shared scope', async () => {
  const team = '/users/team@sandbox.test/messages';
  expect((await bench.ask('GET', team)).status).toBe(200);
  expect((await bench.ask('GET', team, { scopes: 'Mail.Read' })).code).toBe('ErrorAccessDenied');
  expect((await bench.ask('GET', team, { as: 'ben@sandbox.test' })).code).toBe('ErrorAccessDenied');
  expect((await bench.ask('GET', '/users/ben@sandbox.test/messages')).code).toBe('ErrorAccessDenied');
});
