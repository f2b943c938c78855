import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Bench, idOf, listener, listOf, mailBench, to, until } from './test-mail.ts';

/* One test for each of the upstream's known traps that the server itself sets. */

let bench: Bench;
beforeAll(async () => {
  bench = await mailBench();
});
beforeEach(() => bench.order('/reset', {}));
afterAll(() => bench.close());

const immutable = { Prefer: 'IdType="ImmutableId"' };
const deliver = async (subject = 'New', more: object = {}) =>
  (await bench.order('/deliver', { to: 'ada@sandbox.test', from: 'x@example.com', subject, body: 'x', ...more })) as {
    id: string;
    immutableId: string;
    restId: string;
    internetMessageId: string;
  };
const inMinutes = (minutes: number) => new Date(bench.control.clock.now() + minutes * 60_000).toISOString();
const sendMail = (subject: string, more: object = {}) =>
  bench.ask('POST', '/me/sendMail', { body: { message: { subject, toRecipients: to('ben@sandbox.test'), ...more } } });

test('trap 1: ids change on move and after send unless every call carries IdType ImmutableId', async () => {
  const { restId: id } = await deliver();
  const moved = await bench.ask('POST', `/me/messages/${id}/move`, { body: { destinationId: 'archive' } });
  expect(idOf(moved.json)).not.toBe(id);
  expect((await bench.ask('GET', `/me/messages/${id}`)).code).toBe('ErrorItemNotFound');
  const stable = idOf(
    (
      await bench.ask('POST', '/me/messages', {
        body: { subject: 'D', toRecipients: to('ben@sandbox.test') },
        headers: immutable,
      })
    ).json,
  );
  await bench.order('/behaviour', { sentItemsLagMs: 60_000 });
  await bench.ask('POST', `/me/messages/${stable}/send`);
  expect((await bench.ask('GET', `/me/messages/${stable}`)).status).toBe(404);
  await bench.order('/clock', { advanceMs: 61_000 });
  const sent = await until(async () => {
    const reply = await bench.ask('GET', `/me/messages/${stable}`, { headers: immutable });
    return reply.status === 200 && reply.json;
  });
  expect(sent).toMatchObject({ id: stable, isDraft: false });
});

test('trap 2: PATCH categories replaces the array, and every touch changes changeKey and etag', async () => {
  const { id } = await deliver();
  const patch = async (categories: string[]) =>
    (await bench.ask('PATCH', `/me/messages/${id}`, { body: { categories } })).json;
  const first = await patch(['Red category', 'Mine']);
  const second = await patch(['Blue category']);
  expect(second['categories']).toEqual(['Blue category']);
  expect(second['@odata.etag']).not.toBe(first['@odata.etag']);
  const stale = await bench.ask('PATCH', `/me/messages/${id}`, {
    body: { categories: [] },
    headers: { 'If-Match': String(first['@odata.etag']) },
  });
  expect([stale.status, stale.code]).toEqual([412, 'ErrorIrresolvableConflict']);
});

test('trap 3: sending returns no id, and sending again duplicates the mail', async () => {
  for (const _ of [1, 2]) {
    const reply = await sendMail('Twice');
    expect([reply.status, reply.text, reply.headers.get('location')]).toEqual([202, '', null]);
  }
  expect(bench.world.outbox.filter(({ subject }) => subject === 'Twice')).toHaveLength(2);
});

test('trap 4: one creation may come as created and updated; drafts and sent mail are announced too, one under an id that then is unknown; copies share internetMessageId', async () => {
  await using ear = await listener();
  await bench.ask('POST', '/subscriptions', {
    body: {
      changeType: 'created,updated,deleted',
      notificationUrl: ear.url,
      resource: 'me/messages',
      expirationDateTime: inMinutes(60),
      clientState: 's',
    },
  });
  await bench.order('/notifications', { duplicate: 1 });
  await sendMail('Loud');
  const created = await until(() => {
    const ids = ear.heard
      .filter(({ changeType }) => changeType === 'created')
      .map(({ resourceData }) => idOf(resourceData as Record<string, unknown>));
    return new Set(ids).size >= 2 && ids.length > new Set(ids).size && ids;
  });
  const statuses = await Promise.all(
    [...new Set(created)].map(async (id) => (await bench.ask('GET', `/me/messages/${id}`)).status),
  );
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404]);
  expect(ear.heard.some(({ changeType }) => changeType === 'updated')).toBe(true);
  const { id, internetMessageId } = await deliver();
  const copy = await bench.ask('POST', `/me/messages/${id}/copy`, { body: { destinationId: 'archive' } });
  expect(copy.json['internetMessageId']).toBe(internetMessageId);
});

test('trap 5: an inbox-only subscription misses mail that a rule files elsewhere', async () => {
  await using ear = await listener();
  const subscribe = (resource: string) =>
    bench.ask('POST', '/subscriptions', {
      body: {
        changeType: 'created',
        notificationUrl: `${ear.url}/${resource.length}`,
        resource,
        expirationDateTime: inMinutes(60),
      },
    });
  const inbox = idOf((await subscribe("me/mailFolders('Inbox')/messages")).json);
  const whole = idOf((await subscribe('me/messages')).json);
  await deliver('Filed', { folder: 'archive' });
  await until(() => ear.heard.length > 0);
  await deliver('Seen');
  await until(() => ear.heard.length === 3);
  expect(ear.heard.map(({ subscriptionId }) => String(subscriptionId)).toSorted()).toEqual(
    [inbox, whole, whole].toSorted(),
  );
});

test('trap 6: an expired subscription just vanishes', async () => {
  await using ear = await listener();
  const { json } = await bench.ask('POST', '/subscriptions', {
    body: {
      changeType: 'created',
      notificationUrl: ear.url,
      resource: 'me/messages',
      expirationDateTime: inMinutes(50),
    },
  });
  await bench.order('/clock', { advanceMs: 51 * 60_000 });
  await deliver('Unheard');
  expect(listOf(await bench.ask('GET', '/subscriptions'))).toEqual([]);
  expect(
    (await bench.ask('PATCH', `/subscriptions/${idOf(json)}`, { body: { expirationDateTime: inMinutes(100) } })).status,
  ).toBe(404);
  expect(ear.heard).toEqual([]);
});

test('trap 7: getSchedule is refused for personal accounts and answers 200 with errors inside for others', async () => {
  const body = {
    schedules: ['ben@sandbox.test', 'nobody@sandbox.test'],
    startTime: { dateTime: '2026-12-01T08:00:00', timeZone: 'UTC' },
    endTime: { dateTime: '2026-12-01T18:00:00', timeZone: 'UTC' },
  };
  const work = await bench.ask('POST', '/me/calendar/getSchedule', { body });
  expect(work.status).toBe(200);
  expect(listOf(work)[1]?.['error']).toMatchObject({ responseCode: '5009' });
  expect(
    (await bench.ask('POST', '/me/calendar/getSchedule', { body, as: 'cy@sandbox.test' })).status,
  ).toBeGreaterThanOrEqual(400);
});

test('trap 11: creating and deleting an event with attendees sends real mail', async () => {
  const at = (hour: number) => ({ dateTime: `2026-12-01T${hour}:00:00`, timeZone: 'UTC' });
  const attendees = [{ type: 'required', emailAddress: { address: 'ben@sandbox.test', name: 'Ben' } }];
  const { json } = await bench.ask('POST', '/me/events', {
    body: { subject: 'Meet', start: at(10), end: at(11), attendees },
  });
  expect(bench.world.outbox).toHaveLength(1);
  const invitation = await until(async () =>
    listOf(await bench.ask('GET', '/me/messages?$top=1', { as: 'ben@sandbox.test' })).find(
      ({ subject }) => subject === 'Meet',
    ),
  );
  expect(invitation['@odata.type']).toBe('#microsoft.graph.eventMessageRequest');
  await bench.ask('DELETE', `/me/events/${idOf(json)}`);
  expect(bench.world.outbox).toHaveLength(2);
});

test('trap 12: replyTo overrides the reply target, from and sender differ for delegates, hasAttachments is false for inline-only mail', async () => {
  const { id } = await deliver('List', {
    replyTo: 'list@example.com',
    attachments: [{ name: 'logo.png', size: 10, isInline: true, contentId: 'logo' }],
  });
  expect((await bench.ask('GET', `/me/messages/${id}`)).json['hasAttachments']).toBe(false);
  await bench.ask('POST', `/me/messages/${id}/reply`, { body: { comment: 'ok' } });
  expect(bench.world.outbox[0]?.to).toEqual(['list@example.com']);
  await sendMail('Delegated', { from: { emailAddress: { address: 'team@sandbox.test' } } });
  const received = await until(async () =>
    listOf(await bench.ask('GET', '/me/messages?$top=1', { as: 'ben@sandbox.test' })).find(
      ({ subject }) => subject === 'Delegated',
    ),
  );
  expect(received).toMatchObject({
    from: { emailAddress: { address: 'team@sandbox.test' } },
    sender: { emailAddress: { address: 'ada@sandbox.test' } },
  });
});

test('trap 13: $search ends at 1,000 results and cannot be sorted, mailFolders is one level, default pages are small', async () => {
  await bench.order('/seed', { messages: 1200 });
  expect(await bench.all('/me/messages?$search="subject:weekly OR details"&$top=500&$select=id')).toHaveLength(1000);
  expect((await bench.ask('GET', '/me/messages?$search="x"&$orderby=receivedDateTime')).code).toBe('SearchWithOrderBy');
  const names = (await bench.all('/me/mailFolders')).map(({ displayName }) => displayName);
  expect(names).toContain('Customers');
  expect(names).not.toContain('Contoso');
  expect(listOf(await bench.ask('GET', '/me/messages'))).toHaveLength(10);
});

test('trap 14: attachment lists drag base64 content, which counts against the 4 MB cap', async () => {
  const { id } = await deliver('File', { attachments: [{ name: 'a.bin', size: 3000 }] });
  const [file] = listOf(await bench.ask('GET', `/me/messages/${id}/attachments`));
  expect(String(file?.['contentBytes'])).toHaveLength(4000);
  const message = idOf((await bench.ask('POST', '/me/messages', { body: {} })).json);
  const contentBytes = Buffer.alloc(3.1 * 1024 * 1024).toString('base64');
  const large = await bench.ask('POST', `/me/messages/${message}/attachments`, {
    body: { '@odata.type': '#microsoft.graph.fileAttachment', name: 'b', contentBytes },
  });
  expect(large.status).toBe(413);
});

test('trap 15: four concurrent requests per mailbox; 429 also hides inside $batch', async () => {
  // Longer than a busy machine takes to open six connections.
  await bench.order('/faults', { match: { path: '/v1.0/me/messages' }, kind: 'latency', ms: 500 });
  const calls = Array.from({ length: 6 }, () => bench.ask('GET', '/me/messages?$top=1'));
  const replies = await Promise.all(calls);
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(2);
  await bench.order('/limits', { perMailbox: 1 });
  const batch = await bench.ask('POST', '/$batch', {
    body: { requests: ['1', '2'].map((id) => ({ id, method: 'GET', url: '/me/messages' })) },
  });
  expect(batch.status).toBe(200);
  expect((batch.json['responses'] as { status: number }[]).some(({ status }) => status === 429)).toBe(true);
});

test('trap 16: an upload address that is sent a bearer token refuses it', async () => {
  const message = idOf((await bench.ask('POST', '/me/messages', { body: {} })).json);
  const { json } = await bench.ask('POST', `/me/messages/${message}/attachments/createUploadSession`, {
    body: { AttachmentItem: { attachmentType: 'file', name: 'b', size: 4_000_000 } },
  });
  const wrong = await fetch(String(json['uploadUrl']), {
    method: 'PUT',
    headers: { Authorization: 'Bearer x', 'Content-Range': 'bytes 0-0/4000000' },
    body: 'a',
  });
  expect(wrong.status).toBe(401);
});

test('trap 17: Prefer is per request, never sticky', async () => {
  const first = async (headers: Record<string, string> = {}) =>
    idOf(listOf(await bench.ask('GET', '/me/messages?$top=1', { headers }))[0]);
  const stable = await first(immutable);
  expect(stable).toMatch(/^AAkALg/);
  expect(await first()).toMatch(/^AAMk/);
});

test('trap 18: an expired token is 401; a person without a mailbox is 404 MailboxNotEnabledForRESTAPI', async () => {
  const token = bench.tokenFor('ada@sandbox.test');
  await bench.order('/tokens', { expire: true });
  expect((await bench.ask('GET', '/me', { token })).code).toBe('InvalidAuthenticationToken');
  bench.world.mailboxes.delete(bench.world.person('ben@sandbox.test')?.id ?? '');
  expect((await bench.ask('GET', '/me/messages', { as: 'ben@sandbox.test' })).code).toBe('MailboxNotEnabledForRESTAPI');
});

test('trap 19: what the OpenAPI file has stricter is accepted as documented: letter case, camelCase parameters, saveToSentItems true by default', async () => {
  const body = {
    Message: { Subject: 'Cased', Body: { ContentType: 'HTML', Content: 'x' }, ToRecipients: to('ben@sandbox.test') },
  };
  await bench.order('/behaviour', { sentItemsLagMs: 0 });
  expect((await bench.ask('POST', '/me/sendmail', { body })).status).toBe(202);
  expect(listOf(await bench.ask('GET', '/me/mailFolders/SentItems/messages?$top=1'))[0]?.['subject']).toBe('Cased');
});

test('trap 20: the comment of createReply and createForward is not in the draft', async () => {
  const { id } = await deliver('Question', { html: '<p>Original</p>' });
  const toRecipients = [{ emailAddress: { address: 'ben@sandbox.test' } }];
  const comment = 'vanishing words';
  expect((await bench.ask('POST', `/me/messages/${id}/createForward`, { body: { comment } })).status).toBe(400);
  for (const action of ['createReply', 'createReplyAll', 'createForward']) {
    const { status, json } = await bench.ask('POST', `/me/messages/${id}/${action}`, {
      body: { comment, ...(action === 'createForward' ? { toRecipients } : {}) },
    });
    expect(status).toBe(201);
    const { content } = json['body'] as { content: string };
    expect(content).toContain('Original');
    expect(content).not.toContain('vanishing words');
  }
});
