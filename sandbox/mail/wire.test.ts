import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bench, idOf, listOf, mailBench } from './test-mail.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await mailBench();
});
afterAll(() => bench.close());

test('paths, keys, query options and well-known names are matched in any letter case', async () => {
  const plain = await bench.ask('GET', '/me/mailFolders/inbox/messages?$top=3&$select=subject');
  const odd = await bench.ask('GET', "/ME/MAILFOLDERS('Inbox')/MeSSages?$TOP=3&$Select=Subject");
  expect(listOf(odd)).toEqual(listOf(plain));
  const id = idOf(listOf(plain)[0]);
  const bySegment = await bench.ask('GET', `/me/messages/${id}`);
  const byKey = await bench.ask('GET', `/Users('ada@sandbox.test')/Messages('${id}')`);
  expect(byKey.json['subject']).toBe(bySegment.json['subject']);
});

test('ids are case-sensitive', async () => {
  const [first] = listOf(await bench.ask('GET', '/me/messages?$top=1'));
  const id = idOf(first);
  const swapped = id.slice(0, 8) + id.slice(8).toLowerCase();
  expect([400, 404]).toContain((await bench.ask('GET', `/me/messages/${swapped}`)).status);
});

test('every entity carries an etag made of its change key, and answers carry a context', async () => {
  const { json } = await bench.ask('GET', '/me/messages?$top=1');
  expect(json['@odata.context']).toMatch(/\/v1\.0\/\$metadata#users\('.+'\)\/messages$/);
  const [message] = json['value'] as Record<string, unknown>[];
  expect(message?.['@odata.etag']).toBe(`W/"${String(message?.['changeKey'])}"`);
  expect(message?.['receivedDateTime']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});

test('the documented headers are there', async () => {
  const guid = '11111111-2222-3333-4444-555555555555';
  const { headers } = await bench.ask('GET', '/me/messages?$top=1', {
    headers: { 'client-request-id': guid, Prefer: 'outlook.body-content-type="text", IdType="ImmutableId", unknown' },
  });
  expect(headers.get('request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get('client-request-id')).toBe(guid);
  expect(headers.get('odata-version')).toBe('4.0');
  expect(headers.get('content-type')).toBe(
    'application/json;odata.metadata=minimal;odata.streaming=true;IEEE754Compatible=false;charset=utf-8',
  );
  expect(headers.get('preference-applied')).toBe('outlook.body-content-type="text", IdType="ImmutableId"');
});

test('bodies are HTML unless text is preferred', async () => {
  await bench.order('/deliver', { to: 'ada@sandbox.test', from: 'x@example.com', subject: 'Plain', body: 'a < b\nc' });
  const html = listOf(await bench.ask('GET', '/me/messages?$top=1'))[0]?.['body'] as {
    contentType: string;
    content: string;
  };
  expect(html).toMatchObject({ contentType: 'html', content: expect.stringContaining('a &lt; b<br>') as string });
  const text = listOf(
    await bench.ask('GET', '/me/messages?$top=1', { headers: { Prefer: 'outlook.body-content-type="text"' } }),
  )[0]?.['body'];
  expect(text).toEqual({ contentType: 'text', content: 'a < b\nc' });
});

test('writes above 4 MB are refused with 413', async () => {
  const body = { subject: 'x'.repeat(4 * 1024 * 1024) };
  expect((await bench.ask('POST', '/me/messages', { body })).status).toBe(413);
});

test('without a token, with an unknown, and with an expired one the answer is 401 in the words of the account type', async () => {
  const missing = await bench.ask('GET', '/me', { token: '' });
  expect([missing.status, missing.code]).toEqual([401, 'InvalidAuthenticationToken']);
  const opaque = await bench.ask('GET', '/me', { token: 'EwAnonsense' });
  expect(opaque.text).toContain('CompactToken');
  const token = bench.tokenFor('ben@sandbox.test');
  await bench.order('/tokens', { expire: true, user: 'ben@sandbox.test' });
  const expired = await bench.ask('GET', '/me', { token });
  expect([expired.status, expired.text]).toEqual([401, expect.stringContaining('the token is expired')]);
});

test('a missing scope is 403 ErrorAccessDenied', async () => {
  const { status, code } = await bench.ask('POST', '/me/sendMail', { scopes: 'Mail.Read', body: { message: {} } });
  expect([status, code]).toEqual([403, 'ErrorAccessDenied']);
  expect((await bench.ask('GET', '/me/outlook/masterCategories', { scopes: 'Mail.ReadWrite' })).status).toBe(403);
});

test('Mail.ReadBasic alone shows neither body nor preview', async () => {
  const [message] = listOf(await bench.ask('GET', '/me/messages?$top=1', { scopes: 'Mail.ReadBasic' }));
  expect(message).not.toHaveProperty('body');
  expect(message).not.toHaveProperty('bodyPreview');
  expect(message).toHaveProperty('subject');
});

test('mistakes have the documented codes', async () => {
  const codes = async (path: string) => {
    const { status, code } = await bench.ask('GET', path);
    return `${status} ${code}`;
  };
  expect(await codes('/me/messages/nonsense')).toBe('400 ErrorInvalidIdMalformed');
  expect(await codes('/me/messages?$select=colour')).toBe('400 BadRequest');
  expect(await codes('/me/messages?$orderby=subject&$filter=isRead eq true')).toBe('400 InefficientFilter');
  expect(await codes('/me/messages?$search="x"&$orderby=subject')).toBe('400 SearchWithOrderBy');
  expect(await codes('/me/messages?$search="x"&$filter=isRead eq true')).toBe('400 SearchWithFilter');
  expect(await codes('/me/nowhere')).toBe('400 BadRequest');
  expect(await codes('/users/nobody@sandbox.test/messages')).toBe('404 ErrorInvalidUser');
  expect((await bench.ask('PUT', '/me/messages')).status).toBe(405);
  expect(
    (await bench.ask('POST', '/me/messages', { raw: '{', headers: { 'Content-Type': 'application/json' } })).code,
  ).toBe('RequestBodyRead');
});

test('the error envelope names date and request', async () => {
  const { json, headers } = await bench.ask('GET', '/me/messages/nonsense');
  expect(json['error']).toMatchObject({
    message: 'Id is malformed.',
    innerError: { 'request-id': headers.get('request-id') },
  });
});

test('the signed-in person, also under /users', async () => {
  const { json } = await bench.ask('GET', '/me');
  expect(json).toMatchObject({
    userPrincipalName: 'ada@sandbox.test',
    displayName: 'Ada Marsh',
    mail: 'ada@sandbox.test',
  });
  expect((await bench.ask('GET', '/users/ada@sandbox.test?$select=displayName')).json).toMatchObject({
    displayName: 'Ada Marsh',
  });
  expect((await bench.ask('GET', '/me', { as: 'cy@sandbox.test' })).json['mail']).toBeNull();
});

test('mailbox settings can be read whole, in part, and changed', async () => {
  await bench.ask('PATCH', '/me/mailboxSettings', { body: { timeZone: 'Pacific Standard Time' } });
  expect((await bench.ask('GET', '/me/mailboxSettings/timeZone')).json['value']).toBe('Pacific Standard Time');
  expect((await bench.ask('GET', '/me/mailboxSettings')).json).toMatchObject({
    timeZone: 'Pacific Standard Time',
    userPurpose: 'user',
  });
  expect((await bench.ask('GET', '/me/mailboxSettings/workingHours')).json['daysOfWeek']).toHaveLength(5);
  const bad = await bench.ask('PATCH', '/me/mailboxSettings', { body: { timeZone: 'Greenwich Mean Time' } });
  expect(bad.code).toBe('TimeZoneNotSupportedException');
});

test('time zones come in Windows and IANA names', async () => {
  const windows = listOf(await bench.ask('GET', '/me/outlook/supportedTimeZones'));
  expect(windows.map(({ alias }) => alias)).toContain('Pacific Standard Time');
  const iana = listOf(
    await bench.ask('GET', "/me/outlook/supportedTimeZones(TimeZoneStandard=microsoft.graph.timeZoneStandard'Iana')"),
  );
  expect(iana.map(({ alias }) => alias)).toContain('America/Los_Angeles');
});
