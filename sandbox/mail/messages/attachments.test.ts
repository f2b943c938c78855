import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Bench, idOf, listOf, mailBench, to } from '../test-mail.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await mailBench();
});
beforeEach(() => bench.order('/reset', {}));
afterAll(() => bench.close());

const megabyte = 1024 * 1024;
const fileType = '#microsoft.graph.fileAttachment';
const draft = async () =>
  `/me/messages/${idOf((await bench.ask('POST', '/me/messages', { body: { subject: 'With file', toRecipients: to('ben@sandbox.test') } })).json)}`;

test('a file is attached, listed with its content, fetched raw and removed', async () => {
  const message = await draft();
  const contentBytes = Buffer.from('hello').toString('base64');
  const added = await bench.ask('POST', `${message}/attachments`, {
    body: { '@odata.type': fileType, name: 'a.txt', contentType: 'text/plain', contentBytes },
  });
  expect(added.status).toBe(201);
  expect((await bench.ask('GET', message)).json['hasAttachments']).toBe(true);
  const [listed] = listOf(await bench.ask('GET', `${message}/attachments?$filter=name eq 'nothing'`));
  expect(listed).toMatchObject({ '@odata.type': fileType, name: 'a.txt', size: 5, contentBytes });
  const [small] = listOf(await bench.ask('GET', `${message}/attachments?$select=id,name,contentType,size,isInline`));
  expect(small).not.toHaveProperty('contentBytes');
  const raw = await bench.ask('GET', `${message}/attachments/${idOf(added.json)}/$value`);
  expect([raw.text, raw.headers.get('content-type')]).toEqual(['hello', 'text/plain']);
  expect((await bench.ask('DELETE', `${message}/attachments/${idOf(added.json)}`)).status).toBe(204);
  expect((await bench.ask('GET', `${message}/attachments/${idOf(added.json)}`)).code).toBe('ErrorItemNotFound');
});

test('a file of 3 MB is too large for a simple upload', async () => {
  const contentBytes = Buffer.alloc(3 * megabyte).toString('base64');
  const reply = await bench.ask('POST', `${await draft()}/attachments`, {
    body: { '@odata.type': fileType, name: 'big', contentBytes },
  });
  expect(reply.status).toBe(413);
});

const session = async (message: string, size: number) =>
  bench.ask('POST', `${message}/attachments/createUploadSession`, {
    body: { AttachmentItem: { attachmentType: 'file', name: 'big.bin', size } },
  });
const put = (url: string, slice: Uint8Array, from: number, total: number, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'PUT',
    body: slice as BodyInit,
    headers: {
      'Content-Range': `bytes ${from}-${from + slice.length - 1}/${total}`,
      'Content-Type': 'application/octet-stream',
      ...headers,
    },
  });

test('a larger file goes up in slices, without a token, in order', async () => {
  const message = await draft();
  const size = 3 * megabyte + 1000;
  const content = Buffer.alloc(size, 'abc');
  const opened = await session(message, size);
  expect(opened.json['nextExpectedRanges']).toEqual(['0-']);
  const url = String(opened.json['uploadUrl']);
  expect((await put(url, content.subarray(0, 10), 0, size, { Authorization: 'Bearer x' })).status).toBe(401);
  const first = await put(url, content.subarray(0, 2 * megabyte), 0, size);
  expect([first.status, ((await first.json()) as { nextExpectedRanges: string[] }).nextExpectedRanges]).toEqual([
    200,
    [String(2 * megabyte)],
  ]);
  expect((await put(url, content.subarray(0, 10), 0, size)).status).toBe(416);
  const last = await put(url, content.subarray(2 * megabyte), 2 * megabyte, size);
  expect([last.status, await last.text()]).toEqual([201, '']);
  const id = /Attachments\('(.+)'\)/.exec(last.headers.get('location') ?? '')?.[1];
  const got = await bench.ask('GET', `${message}/attachments/${id}?$select=name,size`);
  expect(got.json).toMatchObject({ name: 'big.bin', size });
  expect((await put(url, content.subarray(0, 10), 0, size)).status).toBe(404);
});

test('an upload can be called off, is refused below 3 MB, and in a shared mailbox', async () => {
  const message = await draft();
  const url = String((await session(message, 4 * megabyte)).json['uploadUrl']);
  expect((await fetch(url, { method: 'DELETE' })).status).toBe(204);
  expect((await fetch(url, { method: 'DELETE' })).status).toBe(404);
  expect((await session(message, 1000)).code).toBe('ErrorAttachmentSizeShouldNotBeLessThanMinimumSize');
  const { json } = await bench.ask('POST', '/users/team@sandbox.test/messages', { body: { subject: 's' } });
  expect((await session(`/users/team@sandbox.test/messages/${idOf(json)}`, 4 * megabyte)).status).toBe(403);
});

test('an attached item shows its content only when expanded; a reference has none', async () => {
  const message = await draft();
  const item = { '@odata.type': '#microsoft.graph.message', subject: 'Inner' };
  const added = await bench.ask('POST', `${message}/attachments`, {
    body: { '@odata.type': '#microsoft.graph.itemAttachment', name: 'mail', item },
  });
  const path = `${message}/attachments/${idOf(added.json)}`;
  expect((await bench.ask('GET', path)).json).not.toHaveProperty('item');
  expect((await bench.ask('GET', `${path}?$expand=microsoft.graph.itemattachment/item`)).json['item']).toMatchObject({
    subject: 'Inner',
  });
  const reference = await bench.ask('POST', `${message}/attachments`, {
    body: { '@odata.type': '#microsoft.graph.referenceAttachment', name: 'link' },
  });
  expect((await bench.ask('GET', `${message}/attachments/${idOf(reference.json)}/$value`)).status).toBe(405);
  expect((await bench.ask('POST', `${message}/attachments`, { body: { name: 'untyped' } })).code).toBe(
    'RequestBodyRead',
  );
});

test('attachments travel with the mail and come expanded when asked', async () => {
  const contentBytes = Buffer.from('x,y').toString('base64');
  const attachments = [{ '@odata.type': fileType, name: 'a.csv', contentBytes }];
  await bench.order('/behaviour', { sentItemsLagMs: 0 });
  await bench.ask('POST', '/me/sendMail', {
    body: { message: { subject: 'File', toRecipients: to('ben@sandbox.test'), attachments } },
  });
  const [received] = listOf(
    await bench.ask('GET', '/me/messages?$top=1&$expand=attachments($select=name,size)', { as: 'ben@sandbox.test' }),
  );
  expect(received?.['attachments']).toMatchObject([{ name: 'a.csv', size: 3 }]);
});
