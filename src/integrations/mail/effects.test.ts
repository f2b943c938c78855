import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Effect, type Method, type Path, parseEndpoint } from '#kit';
import { effectOf } from './effects.ts';
import { idIn } from './wire.ts';

const judge = (method: string, endpoint: string, body?: unknown): Effect =>
  effectOf({ method: method as Method, path: parseEndpoint(endpoint).path, body });

const contract = JSON.parse(
  readFileSync(new URL('../../../sandbox/mail/contract/answers.openapi.json', import.meta.url), 'utf8'),
) as { paths: Record<string, Record<string, unknown>> };
const operations = Object.entries(contract.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

/** What each operation of the contract does, with the body that goes with it. Everything else in it is a GET. */
const expected: Record<string, readonly [Effect, unknown?]> = {
  'POST /$batch': ['read', { requests: [{ id: '1', method: 'GET', url: '/me' }] }],
  'POST /me/calendar/events': ['write', { subject: 'Alone' }],
  'PATCH /me/calendar/events/{event-id}': ['send', { subject: 'Other' }],
  'DELETE /me/calendar/events/{event-id}': ['send'],
  'POST /me/calendar/getSchedule': ['read', { schedules: [] }],
  'POST /me/calendars': ['write', { name: 'Second' }],
  'POST /me/calendars/{calendar-id}/events': ['write', { subject: 'Alone', attendees: [] }],
  'POST /me/contactFolders/{contactFolder-id}/contacts': ['write', {}],
  'POST /me/contacts': ['write', {}],
  'PATCH /me/contacts/{contact-id}': ['write', {}],
  'DELETE /me/contacts/{contact-id}': ['destroy'],
  'POST /me/events': ['write', { subject: 'Alone', attendees: null }],
  'PATCH /me/events/{event-id}': ['write', { categories: ['Red'], isReminderOn: false }],
  'DELETE /me/events/{event-id}': ['send'],
  'POST /me/events/{event-id}/accept': ['send', {}],
  'POST /me/events/{event-id}/attachments': ['send', {}],
  'POST /me/events/{event-id}/attachments/createUploadSession': ['send', {}],
  'DELETE /me/events/{event-id}/attachments/{attachment-id}': ['send'],
  'POST /me/events/{event-id}/cancel': ['send', {}],
  'POST /me/events/{event-id}/decline': ['write', { sendResponse: false }],
  'POST /me/events/{event-id}/forward': ['send', {}],
  'POST /me/events/{event-id}/tentativelyAccept': ['send', { sendResponse: true }],
  'POST /me/findMeetingTimes': ['read', {}],
  'POST /me/mailFolders': ['write', {}],
  'PATCH /me/mailFolders/{mailFolder-id}': ['write', {}],
  'DELETE /me/mailFolders/{mailFolder-id}': ['destroy'],
  'POST /me/mailFolders/{mailFolder-id}/childFolders': ['write', {}],
  'POST /me/mailFolders/{mailFolder-id}/copy': ['write', { destinationId: 'archive' }],
  'POST /me/mailFolders/{mailFolder-id}/messages': ['write', {}],
  'POST /me/mailFolders/{mailFolder-id}/move': ['write', { destinationId: 'archive' }],
  'PATCH /me/mailboxSettings': ['write', { timeZone: 'UTC', language: {} }],
  'POST /me/messages': ['write', { toRecipients: [] }],
  'PATCH /me/messages/{message-id}': ['write', { isRead: true }],
  'DELETE /me/messages/{message-id}': ['destroy'],
  'POST /me/messages/{message-id}/attachments': ['write', {}],
  'POST /me/messages/{message-id}/attachments/createUploadSession': ['write', {}],
  'DELETE /me/messages/{message-id}/attachments/{attachment-id}': ['destroy'],
  'POST /me/messages/{message-id}/copy': ['write', { destinationId: 'archive' }],
  'POST /me/messages/{message-id}/createForward': ['write'],
  'POST /me/messages/{message-id}/createReply': ['write'],
  'POST /me/messages/{message-id}/createReplyAll': ['write'],
  'POST /me/messages/{message-id}/forward': ['send', {}],
  'POST /me/messages/{message-id}/move': ['write', { destinationId: 'archive' }],
  'POST /me/messages/{message-id}/permanentDelete': ['destroy'],
  'POST /me/messages/{message-id}/reply': ['send', {}],
  'POST /me/messages/{message-id}/replyAll': ['send', {}],
  'POST /me/messages/{message-id}/send': ['send'],
  'POST /me/outlook/masterCategories': ['write', {}],
  'PATCH /me/outlook/masterCategories/{outlookCategory-id}': ['write', {}],
  'DELETE /me/outlook/masterCategories/{outlookCategory-id}': ['destroy'],
  'POST /me/sendMail': ['send', {}],
  'POST /me/translateExchangeIds': ['read', {}],
  'POST /subscriptions': ['send', {}],
  'PATCH /subscriptions/{subscription-id}': ['send', {}],
  'DELETE /subscriptions/{subscription-id}': ['destroy'],
  'POST /subscriptions/{subscription-id}/reauthorize': ['send'],
};

test('every operation of the contract that is no GET has its effect in this table', () => {
  expect(operations.filter((each) => !each.startsWith('GET ')).toSorted()).toEqual(Object.keys(expected).toSorted());
});

const id = 'AAMkAGx-_1AAA=';
const filled = (path: string) => path.replace(/\{[^}]+\}/g, id);
/** The same address as the service also reads it. */
const spellings: readonly [string, (path: string) => string][] = [
  ['as it is', (path) => path],
  ['of another mailbox', (path) => path.replace(/^\/me\//, '/users/ben@sandbox.test/')],
  ['of another mailbox, in brackets', (path) => path.replace(/^\/me\//, "/Users('ben@sandbox.test')/")],
  ['in another letter case', (path) => path.toUpperCase().replaceAll(id.toUpperCase(), id)],
  ['with its ids in brackets', (path) => path.replaceAll(`/${id}`, `('${id}')`)],
  ['with escapes', (path) => path.replace(/[a-z](?=\w*$)/i, (char) => `%${char.charCodeAt(0).toString(16)}`)],
  ['with a slash at its end', (path) => `${path}/`],
];

describe.each(operations)('%s', (operation) => {
  const [method = '', template = ''] = operation.split(' ');
  const [effect, body] = expected[operation] ?? ['read'];
  test.each(spellings)('is judged alike %s', (_, spell) => {
    expect(judge(method, spell(filled(template)), body)).toBe(effect);
  });
});

const attendees = [{ emailAddress: { address: 'ben@sandbox.test' } }];
const batch = (...requests: unknown[]) => ({ requests });

/** Ways to make mail leave, or to tell others. */
const ways: readonly [string, string, unknown?][] = [
  ['POST', '/me/sendMail', { message: {} }],
  ['POST', '/me/SENDMAIL', { message: {} }],
  ['POST', '/me/sendMail/', { message: {} }],
  ['POST', '/me/%73endMail', { message: {} }],
  ['POST', '/me/microsoft.graph.sendMail', { message: {} }],
  ['POST', '/me/sendMail()', { message: {} }],
  ['POST', '/me/sendMail', 'bWltZQ=='],
  ['POST', '/users/ben@sandbox.test/sendMail', {}],
  ['POST', "/users('ben@sandbox.test')/sendMail", {}],
  ['POST', `/me/messages/${id}/send`],
  ['POST', `/me/messages('${id}')/send`],
  ['POST', `/me/messages('${id}')/microsoft.graph.send`],
  ['POST', `/me/mailFolders/drafts/messages/${id}/send`],
  ['POST', `/me/mailFolders('drafts')/messages('${id}')/send`],
  ['POST', `/me/messages/${id}/reply`, { comment: 'x' }],
  ['POST', `/me/messages/${id}/replyAll`, {}],
  ['POST', `/me/messages/${id}/forward`, {}],
  ['POST', `/me/messages/${id}%2Fsend`],
  ['POST', `/me/messages/${id}/move`, { destinationId: 'outbox' }],
  ['POST', `/me/messages/${id}/copy`, { DestinationId: 'Outbox' }],
  ['POST', '/me/mailFolders/outbox/messages', {}],
  ['POST', '/me/mailFolders/msgfolderroot/childFolders/outbox/messages', {}],
  ['POST', `/me/mailFolders/${id}/move`, { destinationId: ' Outbox' }],
  ['POST', '/me/mailFolders', { displayName: 'x', messageRules: [{ actions: { forwardTo: [] } }] }],
  ['POST', '/me/calendars', { name: 'x', events: [{ attendees }] }],
  ['PATCH', '/me/calendar', { CalendarPermissions: [] }],
  ['POST', '/me/events', { exceptionOccurrences: [{ attendees }] }],
  ['POST', '/me/events', { attendees }],
  ['POST', '/me/events', { Attendees: attendees }],
  ['POST', '/me/events', { attendees: [], Attendees: attendees }],
  ['POST', '/me/events', { 'attendees@delta': attendees }],
  ['POST', '/me/events', 'text that nobody here can read'],
  ['POST', '/me/calendar/events', { attendees }],
  ['POST', `/me/calendars/${id}/events`, { attendees }],
  ['POST', `/me/calendarGroups/${id}/calendars/${id}/events`, { attendees }],
  ['PATCH', `/me/events/${id}`, { start: {} }],
  ['PATCH', `/me/events/${id}`, { attendees }],
  ['PATCH', `/me/events/${id}/instances/${id}`, { subject: 'x' }],
  ['PATCH', `/me/calendarView/${id}`, { subject: 'x' }],
  ['DELETE', `/me/events/${id}`],
  ['DELETE', `/me/calendarView/${id}`],
  ['DELETE', `/me/events/${id}/instances/${id}`],
  ['DELETE', `/me/messages/${id}/microsoft.graph.eventMessage/event`],
  ['POST', `/me/events/${id}/cancel`, {}],
  ['POST', `/me/events/${id}/forward`, {}],
  ['POST', `/me/events/${id}/accept`],
  ['POST', `/me/events/${id}/decline`, { sendResponse: 'true' }],
  ['POST', `/me/messages/${id}/microsoft.graph.eventMessage/event/accept`, {}],
  ['POST', '/me/mailFolders/inbox/messageRules', { actions: { forwardTo: [] } }],
  ['PATCH', `/me/mailFolders/inbox/messageRules/${id}`, { isEnabled: true }],
  ['PATCH', '/me/mailboxSettings', { automaticRepliesSetting: { status: 'alwaysEnabled' } }],
  ['PATCH', '/me/mailboxSettings', { AutomaticRepliesSetting: {}, timeZone: 'UTC' }],
  ['PATCH', '/me/mailboxSettings/automaticRepliesSetting', {}],
  ['POST', '/subscriptions', { notificationUrl: 'https://elsewhere.example' }],
  ['PATCH', `/subscriptions/${id}`, { notificationUrl: 'https://elsewhere.example' }],
  ['POST', `/me/calendars/${id}/calendarPermissions`, {}],
  ['POST', '/me/onlineMeetings', {}],
  ['POST', '/groups/x/threads', {}],
  ['POST', '/chats/x/messages', {}],
  ['PUT', '/me/photo/$value'],
  ['POST', '/me/somethingNew', {}],
  ['POST', '/$batch', batch({ id: '1', method: 'POST', url: '/me/sendMail', body: {} })],
  ['POST', '/$BATCH', batch({ id: '1', method: 'GET', url: '/me' }, { id: '2', method: 'post', url: 'me/sendMail' })],
  ['POST', '/$batch', { Requests: [{ Id: '1', Method: 'POST', Url: `/me/messages('${id}')/send` }] }],
  ['POST', '/$batch', batch({ id: '1', method: 'GET', url: '/me', URL: '/me/sendMail' })],
  ['POST', '/$batch', batch({ id: '1', method: 'POST', url: '/me/events', body: { attendees } })],
  ['POST', '/$batch', batch({ id: '1', method: 'POST', url: '/$batch', body: batch() })],
  ['POST', '/$batch', batch({ id: '1', method: 'POST', url: 'https://elsewhere.example/me/messages' })],
  ['POST', '/$batch', batch({ id: '1', method: 'GET', url: 'https://elsewhere.example/me' })],
  ['POST', '/$batch', batch({ id: '1', method: 'POST', url: '/me/messages/../sendMail' })],
  ['POST', '/$batch', batch({ id: '1', method: 'POST', url: '/me/messages', headers: { 'X-HTTP-Method': 'PUT' } })],
  ['POST', '/$batch', batch({ id: '1', method: 'POST', url: '/me/messages', headers: { Authorization: 'Bearer x' } })],
  [
    'POST',
    '/$batch',
    batch({
      id: '1',
      method: 'POST',
      url: '/me/events',
      headers: { 'content-type': 'application/json; charset=utf-7' },
    }),
  ],
  ['POST', '/%24batch', batch({ id: '1', method: 'POST', url: '/me/sendMail', body: {} })],
  ['POST', '/$batch', { requests: 'what?' }],
  ['POST', '/$batch', 'text that nobody here can read'],
];

test.each(ways)('%s %s %j is a send', (method, endpoint, body) => {
  expect(judge(method, endpoint, body)).toBe('send');
});

/** Writes that the contract does not describe and that tell nobody. */
const quiet: readonly [string, string, unknown?][] = [
  ['PATCH', `/me/messages/${id}/extensions/${id}`],
  ['POST', '/me/inferenceClassification/overrides'],
  ['PATCH', `/me/inferenceClassification/overrides/${id}`],
  ['POST', '/me/contactFolders'],
  ['POST', `/me/contactFolders/${id}/childFolders`],
  ['PATCH', `/me/contactFolders/${id}`],
  ['PATCH', `/me/contactFolders/${id}/childFolders/${id}`],
  ['POST', `/me/contactFolders/${id}/childFolders/${id}/contacts`],
  ['PATCH', `/me/contactFolders/${id}/contacts/${id}`],
  ['PUT', `/me/contacts/${id}/photo/$value`],
  ['PATCH', '/me/calendar'],
  ['PATCH', `/me/calendars/${id}`],
  ['PATCH', `/me/calendarGroups/${id}`],
  ['PATCH', `/me/calendarGroup/calendars/${id}/events/${id}`, { categories: [] }],
  ['PATCH', `/me/calendarGroups/${id}/calendars/${id}/events/${id}`, { reminderMinutesBeforeStart: 5 }],
  ['POST', `/me/events/${id}/snoozeReminder`],
  ['POST', `/me/events/${id}/dismissReminder`],
  ['POST', `/me/events/${id}/accept`, { sendResponse: false }],
  ['POST', `/me/events/${id}/accept`, { sendResponse: 'False' }],
  ['PATCH', '/me/mailboxSettings', { workingHours: {}, dateFormat: 'x', timeFormat: 'x' }],
  ['PATCH', `/me/mailFolders/${id}/childFolders/${id}/childFolders/${id}/messages/${id}`],
  ['PATCH', `/me/mailFolders/${id}/childFolders/${id}`],
  ['PATCH', `/me/mailFolders(${id})/messages(${id})`],
  ['PATCH', `/me/microsoft.graph.messages/${id}`],
  ['PATCH', `/me/messages()/${id}`],
];

test.each(quiet)('%s %s %j is a write', (method, endpoint, body = {}) => {
  expect(judge(method, endpoint, body)).toBe('write');
});

const pathOf = (text: string) => text as Path;

test.each([
  ['a path that begins elsewhere', 'PATCH', `/groups/x/me/messages/${id}`],
  ['a mailbox of nobody', 'PATCH', `/messages/${id}`],
  ['an empty segment', 'PATCH', `/me//messages/${id}`],
  ['an escape that is none', 'PATCH', '/me/messages/%zz'],
  ['a slash that was escaped', 'PATCH', '/me/messages/a%2Fb'],
  ['an escape that was escaped', 'PATCH', '/me/messages/a%252Fb'],
  ['a backslash', 'PATCH', '/me/messages/a%5Cb'],
  ['a control character', 'PATCH', '/me/messages/a%00b'],
  ['a folder below something else', 'PATCH', `/me/x/mailFolders/a/messages/${id}`],
  ['contacts below something else', 'PATCH', `/me/x/contactFolders/a/contacts/${id}`],
  ['a calendar below something else', 'POST', '/me/x/calendar/events'],
  ['nested folders below something else', 'PATCH', '/me/x/mailFolders/a/childFolders/b'],
  ['messages that only begin so', 'POST', '/me/mailFolders/a/messagesX'],
  ['contacts that only begin so', 'POST', '/me/contactFolders/a/contactsX'],
  ['events that only begin so', 'POST', '/me/calendar/eventsX'],
  ['a key before a name', 'PATCH', "/me/x-messages('a')"],
  ['a name after a key', 'PATCH', "/me/messages('a')x"],
  ['an action inside another name', 'PATCH', `/me/xmicrosoft.graph.messages/${id}`],
  ['the outbox itself', 'POST', '/me/mailFolders/outbox/move'],
  ['the outbox at the end', 'PATCH', '/me/mailFolders/outbox'],
  ['a batch by another method', 'PUT', '/$batch'],
  ['a move to a place that is no name', 'POST', `/me/messages/${id}/move`, { destinationId: 5 }],
  ['a move without a body', 'POST', `/me/messages/${id}/move`, null],
  ['a body of bytes', 'PATCH', '/me/mailboxSettings', new Uint8Array(0)],
  ['a body that is a list', 'PATCH', '/me/mailboxSettings', []],
  ['a body that is nothing', 'PATCH', '/me/mailboxSettings', null],
  ['an answer that is nothing', 'POST', `/me/events/${id}/accept`, null],
])('%s is a send, however it came here', (_, method, path, body: unknown = {}) => {
  expect(effectOf({ method: method as Method, path: pathOf(path), body })).toBe('send');
});

test.each([
  ['HEAD', '/me/messages', 'read'],
  ['DELETE', '/me/mailFolders/outbox/messages/x', 'destroy'],
  ['DELETE', '/me/eventsX/x', 'destroy'],
  ['DELETE', '/me/outboxes/x', 'destroy'],
  ['POST', '/me/mailFolders/outboxes/messages', 'write'],
])('%s %s is a %s', (method, path, effect) => {
  expect(effectOf({ method: method as Method, path: pathOf(path), body: {} })).toBe(effect);
});

test.each([
  ['no method', { id: '1', url: '/me/messages' }, 'send'],
  ['no address', { id: '1', method: 'GET' }, 'send'],
  ['a method that is no text', { id: '1', method: 5, url: '/me/messages' }, 'send'],
  ['an address that is no text', { id: '1', method: 'GET', url: ['/me/messages'] }, 'send'],
  ['an address without a slash', { id: '1', method: 'GET', url: 'me/messages' }, 'read'],
  ['a write without a slash', { id: '1', method: 'patch', url: `me/messages/${id}`, body: {} }, 'write'],
  [
    'a body that decides',
    { id: '1', method: 'POST', url: `/me/messages/${id}/move`, body: { destinationId: 'a' } },
    'write',
  ],
  ['nothing at all', null, 'send'],
])('a part of a batch with %s is judged by what it says', (_, part, effect) => {
  expect(judge('POST', '/$batch', batch(part))).toBe(effect);
});

test('a batch is as grave as its gravest part', () => {
  const parts = {
    read: { method: 'GET', url: '/me/messages' },
    write: { method: 'PATCH', url: `/me/messages/${id}`, body: { isRead: true } },
    destroy: { method: 'DELETE', url: `/me/messages/${id}` },
    send: { method: 'POST', url: '/me/sendMail', body: {} },
  };
  const order = ['read', 'write', 'destroy', 'send'] as const;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...order), { minLength: 1, maxLength: 20 }), (effects) => {
      const requests = effects.map((effect, at) => ({ id: String(at), ...parts[effect] }));
      const gravest = order[Math.max(...effects.map((effect) => order.indexOf(effect)))];
      expect(judge('POST', '/$batch', { requests })).toBe(gravest);
    }),
  );
});

test('no write that is not in the list of known ones passes for less than a send', () => {
  const segment = fc.constantFrom(
    'me',
    'users',
    'messages',
    id,
    'send',
    'events',
    'mailFolders',
    'inbox',
    'contacts',
    'x',
  );
  const known = [/^\/(?:me|users\/[^/]+)\/.*(?:messages|mailfolders|contacts|events)/];
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 7 }), (segments) => {
      const path = `/${segments.join('/')}`;
      const effect = judge('POST', path, {});
      if (!known.some((each) => each.test(path.toLowerCase()))) expect(effect).toBe('send');
      if (/\/send$/i.test(path)) expect(effect).toBe('send');
    }),
  );
});

test('a link to a file elsewhere, which may open it to others, is asked about when it is put into a draft', () => {
  const judged = (path: string, body: unknown) => effectOf({ method: 'POST', path: path as Path, body });
  const link = { '@odata.type': '#microsoft.graph.ReferenceAttachment', name: 'x', SourceUrl: 'https://files.example' };
  const file = { '@odata.type': '#microsoft.graph.fileAttachment', name: 'x', contentBytes: 'eA==' };
  expect(judged('/me/messages/a/attachments', link)).toBe('send');
  expect(judged('/me/messages/a/attachments', { name: 'x', permission: 'anonymousView' })).toBe('send');
  expect(judged('/me/messages/a/attachments', file)).toBe('write');
  expect(judged('/me/messages', { attachments: [file, link] })).toBe('send');
  expect(judged('/me/messages', { attachments: 'odd' })).toBe('send');
  expect(judged('/me/messages', { attachments: [file] })).toBe('write');
  expect(judged('/me/messages/a/createReply', { message: { Attachments: [link] } })).toBe('send');
  expect(judged('/me/messages/a/attachments', JSON.stringify(link))).toBe('send');
  expect(judged('/me/messages', JSON.stringify({ attachments: [link] }))).toBe('send');
  const encoded = Buffer.from(`\ufeff ${JSON.stringify({ attachments: [link] })}`).toString('base64');
  expect(judged('/me/messages', encoded)).toBe('send');
  expect(judge('POST', '/$batch', batch({ id: '1', method: 'POST', url: '/me/messages', body: encoded }))).toBe('send');
  expect(judged('/me/messages', 'U3ViamVjdDogeA0K\r\nDQpIaQ==\r\n')).toBe('write');
});

const long = `AAk${'x'.repeat(60)}=`;
test.each([
  [`/me/messages/${encodeURIComponent(long)}/send`, long],
  [`/users/ada%40sandbox.test/mailFolders/inbox/messages('${long}')`, long],
  [`/me/messages/${'y'.repeat(60)}/attachments/${long}`, long],
  [`/me/messages/${long}/attachments/createUploadSession`, long],
  ['/me/sendMail', undefined],
  ['/me/mailFolders/inbox', undefined],
])('what %s is about', (path, id) => {
  expect(idIn(path)).toBe(id);
});
