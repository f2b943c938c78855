import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Fault, path } from '#kit';
import { type Workbench, workbench } from '#test';
import { newEmail } from '../triggers/new-email.ts';
import { Delivery } from './delivery.ts';
import { deliveryOf, type Watcher, watcher } from './watcher.fixture.ts';

let bench: Workbench;
let ada: Watcher;
beforeAll(async () => {
  bench = await workbench({ mail: true });
  ada = watcher(bench.mail);
  const berlin = { timeZone: 'W. Europe Standard Time' };
  const owner = watcher(bench.mail, { granted: ['MailboxSettings.ReadWrite'] });
  await owner.upstream.patch(path`/me/mailboxSettings`, { body: berlin });
});
afterAll(() => bench[Symbol.asyncDispose]());

const deliver = async (more: object = {}, by = ada) => {
  const mail = { to: 'ada@sandbox.test', from: 'Luis <luis@contoso.example>', subject: 'Hello', body: 'x', ...more };
  return (await by.order('deliver', mail))['immutableId'] ?? '';
};
const arrived = async (more: object = {}) => deliveryOf(await ada.read(await deliver(more)));
const judged = (delivery: Delivery) =>
  newEmail.judge(newEmail.delivery.parse(delivery), newEmail.config.parse({}), {
    account: ada.context().account,
    since: new Date(Date.now() - 60_000),
    now: new Date(),
  });

test('a message is read with all that triggers need', async () => {
  const delivery = await arrived({
    subject: 'Off\u200ber \u{e0041}12',
    cc: 'cy@sandbox.test',
    replyTo: 'orders@contoso.example',
    html: '<p>See attached.</p>',
    importance: 'high',
    headers: { 'Authentication-Results': 'spf=pass; dkim=fail; dmarc=none' },
    attachments: [{ name: 'Offer.pdf', contentType: 'application/pdf', contentBytes: 'aGVsbG8=' }],
  });
  expect(Delivery.parse(delivery)).toEqual(delivery);
  expect(delivery).toMatchObject({
    mailbox: { id: ada.identity.id, shared: null, zone: 'Europe/Berlin' },
    subject: 'Offer 12',
    from: { name: 'Luis', address: 'luis@contoso.example' },
    sender: { name: 'Luis', address: 'luis@contoso.example' },
    to: [{ address: 'ada@sandbox.test' }],
    cc: [{ address: 'cy@sandbox.test' }],
    replyTo: [{ address: 'orders@contoso.example' }],
    importance: 'high',
    folder: { name: 'Inbox', path: 'Inbox', wellKnownName: 'inbox' },
    hasAttachments: true,
    attachments: [{ name: 'Offer.pdf', contentType: 'application/pdf', size: 5, isInline: false, kind: 'file' }],
    authentication: { spf: 'pass', dkim: 'fail', dmarc: 'none' },
    isAutomatic: false,
    marker: null,
  });
  expect(judged(delivery)).toEqual({ outcome: 'fired' });
  const event = newEmail.toEvent(delivery, newEmail.config.parse({}));
  expect(newEmail.event.parse(event)).toEqual(JSON.parse(JSON.stringify(event)));
});

test('nobody is named by nothing: neither who has no address, nor by a name that nobody sees', async () => {
  const nobody = await arrived({ from: { name: '', address: '' } });
  expect([nobody.from, nobody.sender]).toEqual([null, null]);
  expect([newEmail.actorOf(nobody), newEmail.summaryOf(nobody)]).toEqual([undefined, 'Hello']);
  const unseen = await arrived({ from: { name: '\u200b \u2800', address: 'luis@contoso.example' } });
  expect(unseen.from).toEqual({ address: 'luis@contoso.example' });
  expect(newEmail.summaryOf(unseen)).toBe('Hello, from luis@contoso.example');
  const nameless = await arrived({ from: { name: 'Payroll', address: '' } });
  expect(nameless.from).toEqual({ name: 'Payroll', address: '' });
});

test('one request is enough, and no content of attachments comes along', async () => {
  const id = await deliver({ attachments: [{ name: 'a.bin', size: 100_000 }] });
  await ada.read(id);
  ada.asked.splice(0);
  await ada.read(id);
  expect(ada.asked).toHaveLength(1);
});

test('mail with an attachment over 25 MB is told, and skipped with the reason', async () => {
  const large = await arrived({ attachments: [{ name: 'Film.mov', size: 26_214_401 }] });
  expect(judged(large)).toMatchObject({ outcome: 'skipped', reason: expect.stringContaining('over 25 MB') });
  const allowed = await arrived({ attachments: [{ name: 'Film.mov', size: 26_214_400 }] });
  expect(judged(allowed)).toEqual({ outcome: 'fired' });
});

test('junk is known as junk, although the service had no room for all the questions about folders', async () => {
  const id = await deliver({ folder: 'junkemail' });
  const crowded = watcher(bench.mail);
  await crowded.order('limits', { concurrent: 1 });
  onTestFinished(async () => void (await crowded.order('limits', { concurrent: 4 })));
  const delivery = deliveryOf(await crowded.read(id));
  expect(judged(delivery)).toMatchObject({ outcome: 'skipped', reason: 'It is in the junk folder.' });
});

describe('a machine wrote it where', () => {
  test.each([
    [{ 'Auto-Submitted': 'auto-replied' }],
    [{ 'Auto-Submitted': 'auto-generated' }],
    [{ 'X-Auto-Response-Suppress': 'All' }],
    [{ 'X-Autoreply': 'yes' }],
    [{ Precedence: 'auto_reply' }],
    [{ 'X-Failed-Recipients': 'nobody@sandbox.test' }],
    [{ 'Return-Path': '<>' }],
    [{ 'Content-Type': 'multipart/report; report-type=delivery-status; boundary="x"' }],
  ])('its headers are %j', async (headers) => {
    const delivery = await arrived({ headers });
    expect(delivery.isAutomatic).toBe(true);
    expect(judged(delivery)).toMatchObject({ outcome: 'skipped' });
  });

  test('a bounce or an absence note comes from the service itself', async () => {
    const message = {
      subject: 'To nobody',
      body: { contentType: 'text', content: 'x' },
      toRecipients: [{ emailAddress: { address: 'nobody@sandbox.test' } }],
    };
    await ada.act('POST', path`/sendMail`, { message });
    bench.mail.world.settle();
    const [newest] = await ada.recent(1);
    expect(deliveryOf(newest)).toMatchObject({ subject: 'Undeliverable: To nobody', isAutomatic: true });
  });

  test.each([
    [{ 'List-Unsubscribe': '<https://news.example/leave>' }],
    [{ 'Auto-Submitted': 'no' }],
    [{ 'X-Auto-Response-Suppress': 'DR, OOF' }],
    [{ 'Return-Path': '<luis@contoso.example>' }],
    [{ 'Content-Type': 'multipart/mixed' }],
  ])('but not for %j', async (headers) => {
    expect(judged(await arrived({ headers }))).toEqual({ outcome: 'fired' });
  });
});

test('mail that the account sent to itself is known as its own, and as sent by us where it carries our mark', async () => {
  const message = {
    subject: 'Note to self',
    body: { contentType: 'text', content: 'x' },
    toRecipients: [{ emailAddress: { address: 'ada@sandbox.test' } }],
    internetMessageHeaders: [{ name: 'x-switchboard-marker', value: 'run 1 mail 1' }],
  };
  await ada.act('POST', path`/sendMail`, { message });
  bench.mail.world.settle();
  const [newest] = await ada.recent(1);
  if (newest === undefined) throw new Error('Nothing came.');
  const { own } = ada.watching;
  const write = { method: 'POST', path: '/me/sendMail', body: { message }, upstreamId: null, at: new Date() };
  expect(judged(deliveryOf(newest))).toMatchObject({ outcome: 'skipped', reason: 'The account sent it itself.' });
  expect(own.isSuspect(newest, ada.context().account)).toBe(true);
  expect(own.traces(newest)).toEqual([deliveryOf(newest).id]);
  expect(own.isCausedBy(newest, { ...write, state: 'sent' })).toBe(true);
  expect(own.isCausedBy(newest, { ...write, state: 'not_sent' })).toBe(false);
  expect(own.isCausedBy(newest, { ...write, body: {}, state: 'unknown' })).toBe(false);
  const foreign = await ada.read(await deliver());
  if (foreign === undefined) throw new Error('Nothing came.');
  expect(own.isSuspect(foreign, ada.context().account)).toBe(false);
  // A message that is marked, labelled or moved through us came in all the same; one that we made did not.
  const { id } = deliveryOf(foreign);
  const touched = { ...write, body: {}, upstreamId: id, state: 'sent' as const };
  const by = (method: string, target: string) => own.isCausedBy(foreign, { ...touched, method, path: target });
  expect([by('PATCH', `/v1.0/me/messages/${id}`), by('POST', `/v1.0/me/messages/${id}/move`)]).toEqual([false, false]);
  const made = ['messages', `mailFolders/inbox/messages`, `messages/${id}/createReply`, `messages/${id}/copy`];
  for (const target of made) expect(by('POST', `/v1.0/me/${target}`), target).toBe(true);
});

test('a body that no answer can hold is told by its beginning', async () => {
  const id = await deliver({ body: 'A long story' });
  const { get } = ada.upstream;
  ada.upstream.get = async (target, options) => {
    if (/\bbody\b/.test(String(options?.query?.['$select']))) throw new Fault('too_large', 'Too large.');
    return get(target, options);
  };
  const delivery = deliveryOf(await ada.read(id));
  ada.upstream.get = get;
  expect(delivery.body).toEqual({ contentType: 'text', content: 'A long story', isCut: true });
});
