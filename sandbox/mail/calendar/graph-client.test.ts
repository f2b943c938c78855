import tls from 'node:tls';
import { Client, PageIterator } from '@microsoft/microsoft-graph-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { selfSigned } from '../certificate.ts';
import { type MailSandbox, startMail } from '../server.ts';
import { until } from '../test-mail.ts';

/* The official client, unchanged, over TLS. */

type Item = Record<string, unknown> & { id: string };
type Page = { value: Item[]; '@odata.nextLink'?: string; '@odata.deltaLink'?: string; '@odata.count'?: number };

let mail: MailSandbox;
let ada: Client;
let ben: Client;
const trusted = tls.getCACertificates('default');
beforeAll(async () => {
  const certificate = selfSigned();
  tls.setDefaultCACertificates([certificate.cert]);
  mail = await startMail({ tls: certificate });
  const clientFor = (name: string) =>
    Client.init({
      baseUrl: `https://localhost:${mail.port}/`,
      customHosts: new Set(['localhost']),
      defaultVersion: 'v1.0',
      authProvider: (done) => done(null, mail.tokenFor(`${name}@sandbox.test`)),
    });
  ada = clientFor('ada');
  ben = clientFor('ben');
});
afterAll(async () => {
  tls.setDefaultCACertificates(trusted);
  await mail.close();
});

const at = (dateTime: string, timeZone = 'UTC') => ({ dateTime, timeZone });
const toBen = [{ emailAddress: { name: 'Ben Okafor', address: 'ben@sandbox.test' }, type: 'required' }];
const meeting = { subject: 'Tea', start: at('2030-05-11T15:00:00'), end: at('2030-05-11T15:30:00'), attendees: toBen };
// A Saturday, free of the seeded series.
const window = 'startDateTime=2030-05-11T00:00:00Z&endDateTime=2030-05-12T00:00:00Z';
const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: { statusCode: number; code: string }) => ({ status: error.statusCode, code: error.code }),
  );

test('the seeded calendars can be looked at: calendars, events, a view by pages, instances', async () => {
  const calendars = (await ada.api('/me/calendars').get()) as Page;
  expect(calendars.value.map(({ name }) => name)).toEqual(['Calendar', 'Birthdays']);
  const events = (await ada.api('/me/events').select('subject,type').orderby('subject').top(50).get()) as Page;
  expect(events.value.map(({ subject }) => subject)).toContain('Team stand-up');
  const [now, later] = [new Date(), new Date(Date.now() + 28 * 86_400_000)];
  const range = `startDateTime=${now.toISOString()}&endDateTime=${later.toISOString()}`;
  const view = (await ada
    .api(`/me/calendarView?${range}`)
    .header('Prefer', 'outlook.timezone="Pacific Standard Time"')
    .top(5)
    .get()) as Page;
  expect(view.value[0]?.['start']).toMatchObject({ timeZone: 'Pacific Standard Time' });
  const seen: unknown[] = [];
  await new PageIterator(ada, view, (event: Item) => seen.push(event['subject']) > 0).iterate();
  expect(seen.filter((subject) => subject === 'Team stand-up').length).toBeGreaterThanOrEqual(18);
  const series = events.value.find(({ subject }) => subject === 'Team stand-up');
  const instances = (await ada.api(`/me/events/${series?.id}/instances?${range}`).top(3).get()) as Page;
  expect(instances.value).toHaveLength(3);
});

test('a meeting goes all the way: invitation mail, acceptance, change, cancellation', async () => {
  const made = (await ada.api('/me/events').post(meeting)) as Item;
  const invited = await until(async () => {
    const { value } = (await ben.api('/me/messages').filter("subject eq 'Tea'").get()) as Page;
    return value[0];
  });
  expect(invited).toMatchObject({
    '@odata.type': '#microsoft.graph.eventMessageRequest',
    meetingMessageType: 'meetingRequest',
  });
  const { value } = (await ben.api(`/me/calendarView?${window}`).get()) as Page;
  expect(value).toMatchObject([{ subject: 'Tea', isOrganizer: false, responseStatus: { response: 'notResponded' } }]);
  await ben.api(`/me/events/${value[0]?.id}/accept`).post({ comment: 'Yes', sendResponse: true });
  const answered = await until(async () => {
    const page = (await ada.api('/me/messages').filter("subject eq 'Accepted: Tea'").get()) as Page;
    return page.value[0];
  });
  expect(answered).toMatchObject({ '@odata.type': '#microsoft.graph.eventMessageResponse', responseType: 'accepted' });
  const read = (await ada.api(`/me/events/${made.id}`).get()) as Item;
  expect(read['attendees']).toMatchObject([{ status: { response: 'accepted' } }]);
  const moved = (await ada
    .api(`/me/events/${made.id}`)
    .patch({ start: at('2030-05-11T16:00:00'), end: at('2030-05-11T16:30:00') })) as Item;
  expect(moved['changeKey']).not.toBe(read['changeKey']);
  await ada.api(`/me/events/${made.id}/cancel`).post({ comment: 'Ill' });
  expect(await failure(ada.api(`/me/events/${made.id}`).get())).toEqual({ status: 404, code: 'ErrorItemNotFound' });
  const left = (await ben.api(`/me/calendarView?${window}`).get()) as Page;
  expect(left.value).toMatchObject([{ isCancelled: true }]);
  await ben.api(`/me/events/${value[0]?.id}`).delete();
  expect(((await ben.api(`/me/calendarView?${window}`).get()) as Page).value).toEqual([]);
});

test('free and busy, meeting times, attachments and delta', async () => {
  const made = (await ada.api('/me/calendar/events').post({ ...meeting, attendees: [], subject: 'Alone' })) as Item;
  const schedule = (await ada.api('/me/calendar/getSchedule').post({
    schedules: ['ada@sandbox.test', 'nobody@sandbox.test'],
    startTime: at('2030-05-11T15:00:00'),
    endTime: at('2030-05-11T16:00:00'),
    availabilityViewInterval: 30,
  })) as Page;
  expect(schedule.value).toMatchObject([{ availabilityView: '20' }, { error: { responseCode: '5009' } }]);
  const delta = (await ada.api(`/me/calendarView/delta?${window}`).get()) as Page;
  expect(delta.value.map(({ id }) => id)).toEqual([made.id]);
  const file = { '@odata.type': '#microsoft.graph.fileAttachment', name: 'plan.txt', contentBytes: 'aGk=' };
  const attached = (await ada.api(`/me/events/${made.id}/attachments`).post(file)) as Item;
  expect(((await ada.api(`/me/events/${made.id}/attachments`).get()) as Page).value).toMatchObject([
    { id: attached.id, contentBytes: 'aGk=' },
  ]);
  await ada.api(`/me/events/${made.id}`).delete();
  const changes = (await ada.api(String(delta['@odata.deltaLink'])).get()) as Page;
  expect(changes.value).toMatchObject([{ id: made.id, '@removed': { reason: 'deleted' } }]);
  expect(await failure(ada.api('/me/calendarView').get())).toEqual({ status: 400, code: 'ErrorInvalidParameter' });
});

test('contacts: find by address, create, change, folders, delta, delete', async () => {
  const found = (await ada
    .api('/me/contacts')
    .filter("emailAddresses/any(a:a/address eq 'siobhan.obrien@contoso.test')")
    .get()) as Page;
  expect(found.value).toMatchObject([{ displayName: "Siobhán O'Brien" }]);
  const quoted = (await ada
    .api('/me/contacts')
    .filter("startswith(surname,'O''B')")
    .select('displayName')
    .get()) as Page;
  expect(quoted.value).toHaveLength(1);
  const made = (await ada.api('/me/contacts').post({ givenName: 'New', surname: 'Person' })) as Item;
  expect(await ada.api(`/me/contacts/${made.id}`).patch({ givenName: 'Old' })).toMatchObject({
    displayName: 'Old Person',
  });
  const folders = (await ada.api('/me/contactFolders').get()) as Page;
  expect(folders.value).toMatchObject([{ displayName: 'Suppliers' }]);
  const inside = (await ada.api(`/me/contactFolders/${folders.value[0]?.id}/contacts`).count(true).get()) as Page;
  expect(inside['@odata.count']).toBe(2);
  const delta = (await ada.api(`/me/contactFolders/${folders.value[0]?.id}/contacts/delta`).get()) as Page;
  expect(delta.value).toHaveLength(2);
  await ada.api(`/me/contacts/${made.id}`).delete();
  expect(await failure(ada.api(`/me/contacts/${made.id}`).get())).toEqual({ status: 404, code: 'ErrorItemNotFound' });
  expect(await failure(ada.api('/me/contacts').filter("contains(displayName,'x')").get())).toEqual({
    status: 400,
    code: 'ErrorInvalidUrlQueryFilter',
  });
});
