import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Ask, type Bench, idOf, type Listener, listener, listOf, mailBench, until } from '../test-mail.ts';

let bench: Bench;
let ear: Listener;
beforeAll(async () => {
  bench = await mailBench();
});
beforeEach(async () => {
  await bench.order('/reset', {});
  ear = await listener();
});
afterEach(() => ear[Symbol.asyncDispose]());
afterAll(() => bench.close());

const minute = 60_000;
const inMinutes = (minutes: number) => new Date(bench.control.clock.now() + minutes * minute).toISOString();
const subscribe = (more: object = {}, ask: Ask = {}) =>
  bench.ask('POST', '/subscriptions', {
    body: {
      changeType: 'created,updated,deleted',
      notificationUrl: `${ear.url}/hook`,
      resource: 'me/messages',
      expirationDateTime: inMinutes(100),
      clientState: 'secret',
      ...more,
    },
    ...ask,
  });
const deliver = (subject = 'New', more: object = {}) =>
  bench.order('/deliver', { to: 'ada@sandbox.test', from: 'x@example.com', subject, body: 'x', ...more });
const kinds = () => ear.heard.map(({ changeType }) => changeType);

test('both addresses are asked to echo a token before the subscription exists', async () => {
  const { status, json } = await subscribe({ lifecycleNotificationUrl: `${ear.url}/life` });
  expect(status).toBe(201);
  expect(ear.handshakes).toEqual(['/hook', '/life']);
  expect(json).toMatchObject({ clientState: 'secret', applicationId: 'switchboard-sandbox', resource: 'me/messages' });
});

test.each([
  ['answers with an error', () => ({ status: 500 })],
  ['echoes something else', () => ({ status: 200, body: 'hello' })],
  [
    'answers in JSON',
    (request: { url?: string | undefined }) => ({
      status: 200,
      contentType: 'application/json',
      body: new URL(request.url ?? '', 'http://x').searchParams.get('validationToken') ?? '',
    }),
  ],
])('no subscription for an address that %s', async (_, answer) => {
  ear.answer = answer;
  const { status, code } = await subscribe();
  expect([status, code]).toEqual([400, 'ValidationError']);
  expect(listOf(await bench.ask('GET', '/subscriptions'))).toEqual([]);
});

test('no subscription for an address nobody listens at, or outside this machine', async () => {
  expect((await subscribe({ notificationUrl: 'http://127.0.0.1:9/hook' })).code).toBe('ValidationError');
  expect((await subscribe({ notificationUrl: 'http://example.com/hook' })).code).toBe('InvalidRequest');
  expect((await subscribe({ notificationUrl: 'nonsense' })).status).toBe(400);
});

test('a new mail is announced as created and again as updated, with clientState, and the message can be fetched', async () => {
  const { json } = await subscribe();
  const { restId: id } = await deliver();
  await until(() => ear.heard.length === 2);
  expect(kinds()).toEqual(['created', 'updated']);
  expect(ear.heard[0]).toMatchObject({
    subscriptionId: idOf(json),
    clientState: 'secret',
    resource: `Users/a11ce000-0000-4000-8000-000000000001/Messages/${String(id)}`,
    resourceData: { '@odata.type': '#Microsoft.Graph.Message', id },
  });
  expect((await bench.ask('GET', `/${String(ear.heard[0]?.['resource'])}`)).json['subject']).toBe('New');
});

test('immutable ids are told when asked for at creation', async () => {
  await subscribe({ changeType: 'created' }, { headers: { Prefer: 'IdType="ImmutableId"' } });
  const { immutableId } = await deliver();
  await until(() => ear.heard.length === 1);
  expect(ear.heard[0]?.['resourceData']).toMatchObject({ id: immutableId });
});

test('only the asked kinds of change are told', async () => {
  await subscribe({ changeType: 'deleted' });
  const { id } = await deliver();
  await bench.ask('PATCH', `/me/messages/${String(id)}`, { body: { isRead: true } });
  await bench.ask('POST', `/me/messages/${String(id)}/permanentDelete`);
  await until(() => ear.heard.length > 0);
  expect(kinds()).toEqual(['deleted']);
});

test('with a filter, leaving its matches is heard as deleted and entering them as created', async () => {
  await subscribe({
    resource: "me/mailFolders('inbox')/messages?$filter=isRead eq false",
    changeType: 'created,deleted',
  });
  const { id } = await deliver();
  await until(() => ear.heard.length === 1);
  await bench.ask('PATCH', `/me/messages/${String(id)}`, { body: { isRead: true } });
  await until(() => ear.heard.length === 2);
  await bench.ask('PATCH', `/me/messages/${String(id)}`, { body: { isRead: false } });
  await until(() => ear.heard.length === 3);
  expect(kinds()).toEqual(['created', 'deleted', 'created']);
});

test('a search cannot be subscribed to, and the names of options may be written in any case', async () => {
  expect((await subscribe({ resource: 'me/messages?$search="New"' })).status).toBe(400);
  expect((await subscribe({ resource: 'me/messages?$Filter=nonsense' })).status).toBe(400);
});

test('the same combination twice is 409', async () => {
  const { json } = await subscribe();
  const again = await subscribe({ changeType: 'deleted,created,updated' });
  expect(again.status).toBe(409);
  expect(again.text).toContain(`${idOf(json)} already exists for the requested combination`);
  expect((await subscribe({ changeType: 'created' })).status).toBe(201);
});

test('life is raised to 45 minutes, ends at 10,080, can be renewed; expired ones are unknown', async () => {
  const expiry = (json: Record<string, unknown>) =>
    Date.parse(String(json['expirationDateTime'])) - bench.control.clock.now();
  const { json } = await subscribe({ expirationDateTime: inMinutes(5) });
  expect(expiry(json)).toBeGreaterThan(44 * minute);
  const tooLong = await subscribe({ expirationDateTime: inMinutes(10_082), changeType: 'created' });
  expect(tooLong.text).toContain('Subscription expiration can only be 10080 minutes in the future.');
  const path = `/subscriptions/${idOf(json)}`;
  const renewed = await bench.ask('PATCH', path, { body: { expirationDateTime: inMinutes(500) } });
  expect(expiry(renewed.json)).toBeGreaterThan(499 * minute);
  await bench.order('/clock', { advanceMs: 501 * minute });
  await bench.order('/tokens', {});
  expect((await bench.ask('PATCH', path, { body: { expirationDateTime: inMinutes(500) } })).status).toBe(404);
  await deliver();
  expect(ear.heard.filter(({ changeType }) => changeType !== undefined)).toEqual([]);
});

test('lists hide clientState; another app or person sees nothing', async () => {
  const { json } = await subscribe();
  expect(listOf(await bench.ask('GET', '/subscriptions'))).toMatchObject([{ id: idOf(json), clientState: null }]);
  expect(listOf(await bench.ask('GET', '/subscriptions', { as: 'ben@sandbox.test' }))).toEqual([]);
  const other = bench.tokenFor('ada@sandbox.test', undefined, 'another-app');
  expect((await bench.ask('GET', `/subscriptions/${idOf(json)}`, { token: other })).status).toBe(404);
  expect((await bench.ask('POST', `/subscriptions/${idOf(json)}/reauthorize`)).status).toBe(204);
  expect((await bench.ask('DELETE', `/subscriptions/${idOf(json)}`)).status).toBe(204);
  expect((await bench.ask('GET', `/subscriptions/${idOf(json)}`)).status).toBe(404);
});

test('a write scope does not stand in for the read scope', async () => {
  expect((await subscribe({}, { scopes: 'Mail.ReadWrite' })).status).toBe(403);
  expect((await subscribe({}, { scopes: 'Mail.ReadWrite Mail.Read' })).status).toBe(201);
});

test('a mailbox of somebody else cannot be watched, shared or not', async () => {
  expect((await subscribe({ resource: 'users/team@sandbox.test/messages' })).status).toBe(403);
  expect((await subscribe({ resource: 'users/ada@sandbox.test/messages' })).status).toBe(201);
  expect((await subscribe({ resource: 'me/nothing' })).status).toBe(400);
});

test('a refused notification is tried again with growing gaps, and after four hours reported as missed', async () => {
  await subscribe({ changeType: 'created', lifecycleNotificationUrl: `${ear.url}/life` });
  const posts = () => ear.posts.filter(({ path }) => path === '/hook');
  const accept = ear.answer;
  ear.answer = (request, text) => (request.url?.startsWith('/hook') ? { status: 503 } : accept(request, text));
  await deliver();
  await until(() => posts().length === 1);
  const nextPost = (minutes: number) => {
    const seen = posts().length;
    return until(async () => {
      await bench.order('/clock', { advanceMs: minutes * minute });
      return posts().length > seen;
    });
  };
  await nextPost(0.2);
  while (posts().length < 11) await nextPost(91);
  await until(async () => {
    await bench.order('/clock', { advanceMs: minute });
    return ear.heard.some(({ lifecycleEvent }) => lifecycleEvent === 'missed');
  });
  expect(posts()).toHaveLength(11);
});

test('near its end an app is told to reauthorize; revoked, that the subscription is removed', async () => {
  await subscribe({ lifecycleNotificationUrl: `${ear.url}/life`, expirationDateTime: inMinutes(100) });
  for (const [control, body] of [
    ['/tokens', { revoke: true }],
    ['/lifecycle', { event: 'subscriptionRemoved' }],
  ] as const) {
    await expect(bench.order(control, { ...body, user: 'nobody' })).rejects.toThrow("Nobody here is 'nobody'.");
  }
  expect(listOf(await bench.ask('GET', '/subscriptions'))).toHaveLength(1);
  await bench.order('/clock', { advanceMs: 75 * minute });
  await until(() => ear.heard.some(({ lifecycleEvent }) => lifecycleEvent === 'reauthorizationRequired'));
  await bench.order('/tokens', { revoke: true, user: 'ada@sandbox.test' });
  const removed = await until(() => ear.heard.find(({ lifecycleEvent }) => lifecycleEvent === 'subscriptionRemoved'));
  expect(removed['clientState']).toBe('secret');
  expect(listOf(await bench.ask('GET', '/subscriptions'))).toEqual([]);
});

test('notifications can be doubled, dropped and held back', async () => {
  await subscribe({ changeType: 'created' });
  await bench.order('/notifications', { duplicate: 1 });
  await deliver();
  await until(() => ear.heard.length === 2);
  await bench.order('/notifications', { duplicate: 0, pause: true });
  await deliver();
  expect(ear.heard).toHaveLength(2);
  await bench.order('/notifications', { pause: false });
  await until(() => ear.heard.length === 3);
});

test('events and contacts are watched too', async () => {
  await subscribe({ resource: 'me/events', changeType: 'created' });
  await subscribe({ resource: 'me/contacts', changeType: 'created' });
  await bench.ask('POST', '/me/contacts', { body: { givenName: 'Vera' } });
  const start = { dateTime: '2026-12-01T10:00:00', timeZone: 'UTC' };
  await bench.ask('POST', '/me/events', {
    body: { subject: 'Meet', start, end: { ...start, dateTime: '2026-12-01T11:00:00' } },
  });
  await until(() => ear.heard.length === 2);
  const types = ear.heard.map(({ resourceData }) => String((resourceData as Record<string, unknown>)['@odata.type']));
  expect(types.toSorted()).toEqual(['#Microsoft.Graph.Contact', '#Microsoft.Graph.Event']);
});

test('an address that is slow most of the time is served ten minutes late', async () => {
  await subscribe({ changeType: 'created', expirationDateTime: inMinutes(100) });
  await bench.order('/notifications', { shuffle: true });
  const quick = ear.answer;
  ear.answer = () => ({ status: 202, wait: 3100 });
  await Promise.all(Array.from({ length: 20 }, () => deliver()));
  // Accepted, but only after three seconds, each of them.
  await until(() => bench.control.outgoing.faults.shuffle && ear.heard.length === 20);
  await until(async () => {
    ear.answer = quick;
    const before = ear.heard.length;
    await deliver('Probe');
    await sleep(600);
    return ear.heard.length === before;
  });
  const before = ear.heard.length;
  await bench.order('/clock', { advanceMs: 11 * minute });
  await until(() => ear.heard.length > before);
});
