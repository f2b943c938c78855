import { Readable } from 'node:stream';
import tls from 'node:tls';
import {
  BatchRequestContent,
  Client,
  LargeFileUploadTask,
  PageIterator,
  StreamUpload,
} from '@microsoft/microsoft-graph-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { selfSigned } from './certificate.ts';
import { type MailSandbox, startMail } from './server.ts';
import { listener, until } from './test-mail.ts';

/* The official client, unchanged, over TLS: it sends its token to https alone. */

let mail: MailSandbox;
let graph: Client;
const trusted = tls.getCACertificates('default');
beforeAll(async () => {
  const certificate = selfSigned();
  tls.setDefaultCACertificates([certificate.cert]);
  mail = await startMail({ tls: certificate });
  const base = `https://localhost:${mail.port}/`;
  graph = Client.init({
    baseUrl: base,
    customHosts: new Set(['localhost']),
    defaultVersion: 'v1.0',
    authProvider: (done) => done(null, mail.tokenFor('ada@sandbox.test')),
  });
});
afterAll(async () => {
  tls.setDefaultCACertificates(trusted);
  await mail.close();
});

type Item = Record<string, unknown> & { id: string };
type Page = { value: Item[]; '@odata.nextLink'?: string; '@odata.deltaLink'?: string; '@odata.count'?: number };

const toBen = [{ emailAddress: { address: 'ben@sandbox.test' } }];
const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: { statusCode: number; code: string }) => ({ status: error.statusCode, code: error.code }),
  );

test('reads the signed-in person, messages with options, a count and MIME', async () => {
  expect(await graph.api('/me').get()).toMatchObject({ userPrincipalName: 'ada@sandbox.test' });
  const page = (await graph.api('/me/messages').select('subject,from').top(3).skip(1).count(true).get()) as Page;
  expect(page.value).toHaveLength(3);
  expect(page['@odata.count']).toBeGreaterThan(10);
  const unread = (await graph
    .api('/me/mailFolders/inbox/messages')
    .filter('isRead eq false')
    .orderby('isRead')
    .get()) as Page;
  expect(unread.value.every(({ isRead }) => isRead === false)).toBe(true);
  const found = (await graph.api('/me/messages').search('"from:hanna"').get()) as Page;
  expect(found.value).toHaveLength(3);
  const stream = (await graph
    .api(`/me/messages/${page.value[0]?.id}/$value`)
    .getStream()) as ReadableStream<Uint8Array>;
  expect(await new Response(stream).text()).toContain('Subject:');
});

test('walks all pages with the page iterator', async () => {
  const first = (await graph.api('/me/messages').top(4).select('subject').get()) as Page;
  const seen: string[] = [];
  const iterator = new PageIterator(graph, first, (item: Item) => {
    seen.push(item.id);
    return true;
  });
  await iterator.iterate();
  expect(new Set(seen).size).toBe(mail.world.mailboxOf('ada@sandbox.test')?.timeline.length);
});

test('writes, changes, moves, copies and deletes drafts', async () => {
  const draft = (await graph
    .api('/me/messages')
    .header('Prefer', 'IdType="ImmutableId"')
    .post({ subject: 'Client', toRecipients: toBen })) as Item;
  await graph.api(`/me/messages/${draft.id}`).patch({ categories: ['Red category'], subject: 'Client 2' });
  const moved = (await graph.api(`/me/messages/${draft.id}/move`).post({ destinationId: 'archive' })) as Item;
  const copied = (await graph.api(`/me/messages/${draft.id}/copy`).post({ destinationId: 'drafts' })) as Item;
  expect(moved).toMatchObject({ subject: 'Client 2', categories: ['Red category'] });
  await graph.api(`/me/messages/${copied.id}`).delete();
  await graph.api(`/me/messages/${draft.id}/permanentDelete`).post({});
  expect(await failure(graph.api(`/me/messages/${draft.id}`).get())).toEqual({
    status: 404,
    code: 'ErrorItemNotFound',
  });
});

test('sends, replies, forwards and sends a draft', async () => {
  await graph
    .api('/me/sendMail')
    .post({ message: { subject: 'By client', body: { contentType: 'text', content: 'x' }, toRecipients: toBen } });
  const [newest] = ((await graph.api('/me/mailFolders/inbox/messages').top(1).get()) as Page).value;
  await graph.api(`/me/messages/${newest?.id}/reply`).post({ comment: 'Thanks' });
  await graph.api(`/me/messages/${newest?.id}/forward`).post({ toRecipients: toBen });
  const reply = (await graph.api(`/me/messages/${newest?.id}/createReply`).post({})) as Item;
  await graph.api(`/me/messages/${reply.id}/send`).post(undefined);
  expect(mail.world.outbox).toHaveLength(4);
  expect(await failure(graph.api('/me/sendMail').post({ message: { subject: 'To nobody' } }))).toEqual({
    status: 400,
    code: 'ErrorInvalidRecipients',
  });
});

test('attaches small files, and large ones with the upload task', async () => {
  const draft = (await graph.api('/me/messages').post({ subject: 'Files' })) as Item;
  const path = `/me/messages/${draft.id}/attachments`;
  await graph.api(path).post({ '@odata.type': '#microsoft.graph.fileAttachment', name: 'a.txt', contentBytes: 'YQ==' });
  const content = Buffer.alloc(3_500_000, 'b');
  const session = await LargeFileUploadTask.createUploadSession(graph, `${path}/createUploadSession`, {
    AttachmentItem: { attachmentType: 'file', name: 'big.bin', size: content.length },
  });
  const file = new StreamUpload(Readable.from(content, { objectMode: false }), 'big.bin', content.length);
  const task = new LargeFileUploadTask(graph, file, session, { rangeSize: 1_310_720 });
  const result = await task.upload();
  expect(result.location).toContain('Attachments(');
  const { value } = (await graph.api(path).select('name,size').get()) as Page;
  expect(value.map(({ name, size }) => [name, size])).toEqual([
    ['a.txt', 1],
    ['big.bin', 3_500_000],
  ]);
});

test('folders, categories and settings', async () => {
  const folder = (await graph.api('/me/mailFolders').post({ displayName: 'From client' })) as Item;
  await graph.api(`/me/mailFolders/${folder.id}`).patch({ displayName: 'Renamed' });
  await graph.api(`/me/mailFolders/${folder.id}/childFolders`).post({ displayName: 'Child' });
  expect(((await graph.api(`/me/mailFolders/${folder.id}`).get()) as Item)['childFolderCount']).toBe(1);
  await graph.api(`/me/mailFolders/${folder.id}`).delete();
  const category = (await graph
    .api('/me/outlook/masterCategories')
    .post({ displayName: 'Client', color: 'preset5' })) as Item;
  await graph.api(`/me/outlook/masterCategories/${category.id}`).delete();
  await graph.api('/me/mailboxSettings').update({ timeZone: 'W. Europe Standard Time' });
  expect(await graph.api('/me/mailboxSettings/timeZone').get()).toMatchObject({ value: 'W. Europe Standard Time' });
  const zones = (await graph.api('/me/outlook/supportedTimeZones').get()) as Page;
  expect(zones.value.length).toBeGreaterThan(50);
});

test('delta, batch, subscription and a shared mailbox', async () => {
  let page = (await graph.api('/me/mailFolders/inbox/messages/delta').select('subject').get()) as Page;
  while (page['@odata.nextLink'] !== undefined) page = (await graph.api(page['@odata.nextLink']).get()) as Page;
  mail.world.deliver({
    from: { name: 'X', address: 'x@example.com' },
    to: [{ name: 'Ada', address: 'ada@sandbox.test' }],
    subject: 'Fresh',
    body: { contentType: 'text', content: '' },
  });
  const news = (await graph.api(String(page['@odata.deltaLink'])).get()) as Page;
  expect(news.value.map(({ subject }) => subject)).toContain('Fresh');

  const batch = new BatchRequestContent([
    { id: '1', request: new Request('https://localhost/me/messages?$top=1') },
    { id: '2', request: new Request('https://localhost/me/mailFolders/inbox') },
  ]);
  const { responses } = (await graph.api('/$batch').post(await batch.getContent())) as {
    responses: { status: number }[];
  };
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);

  await using ear = await listener();
  const subscription = (await graph.api('/subscriptions').post({
    changeType: 'created',
    notificationUrl: ear.url,
    resource: 'me/messages',
    clientState: 'c',
    expirationDateTime: new Date(Date.now() + 3_600_000).toISOString(),
  })) as Item;
  await graph
    .api('/users/team@sandbox.test/sendMail')
    .post({ message: { subject: 'From team', toRecipients: [{ emailAddress: { address: 'ada@sandbox.test' } }] } });
  await until(() => ear.heard.length > 0);
  await graph.api(`/subscriptions/${subscription.id}`).delete();
});

test('the client waits out a 429 and tries again', async () => {
  mail.control.faults.add({
    match: { path: '/v1.0/me/mailFolders' },
    kind: 'status',
    status: 429,
    retryAfter: 1,
    times: 1,
  });
  expect(await graph.api('/me/mailFolders').get()).toHaveProperty('value');
});
