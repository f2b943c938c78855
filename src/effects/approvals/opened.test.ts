import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '#clock';
import { silentLog } from '#log';
import { createFiles, removeExpired } from '#runs';
import { openStore } from '#store';
import { type Answer, bootstrapKey, type Workbench, workbench } from '#test';

let bench: Workbench;
let accountId: string;
beforeAll(async () => {
  bench = await workbench({ mail: true });
  accountId = await bench.connectMail();
});
afterAll(() => bench[Symbol.asyncDispose]());

const to = ['ben@sandbox.test'];
const ask = async (step: string, input: object): Promise<Answer['body']> =>
  (await bench.owned('POST', `/v1/steps/${step}/run`, { accountId, input })).body.approval;
const open = async ({ id }: { id: string }, place: number | string) =>
  fetch(`${bench.origin}/v1/approvals/${id}/attachments/${place}`, {
    headers: { authorization: `Bearer ${bootstrapKey}` },
  });
const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());
const keep = async (name: string, bytes: Buffer): Promise<string> => {
  const answer = await fetch(`${bench.origin}/v1/files?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'text/html' },
    body: new Uint8Array(bytes),
  });
  return ((await answer.json()) as { id: string }).id;
};
const deliver = async (subject: string, attachments: object[]): Promise<string> => {
  const body = JSON.stringify({ to: 'ada@sandbox.test', from: to[0], subject, body: 'See there.', attachments });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${bench.mail.url}/_control/deliver`, { method: 'POST', headers, body });
  return ((await answer.json()) as { id: string }).id;
};
const base64 = (text: string) => Buffer.from(text).toString('base64');

test('whoever decides can open every file that would be sent, small or large, and gets exactly that', async () => {
  const files = [Buffer.from('<script>alert(1)</script>'), Buffer.alloc(5_000_000, 'ä')];
  const attachments = await Promise.all(
    files.map(async (bytes, at) => ({ ref: await keep(`Über ${at}.html`, bytes) })),
  );
  const approval = await ask('mail.send_email', { to, subject: 'With files', body: 'Here.', attachments });
  // However long ago they came: as long as it waits they are kept, which others are not.
  const others = [await keep('Other.html', Buffer.from('other')), await keep('Third.html', Buffer.from('third'))];
  const store = openStore({ connectionString: bench.connectionString, max: 1, log: silentLog });
  await sql`update files set created_at = now() - interval '8 days', expires_at = now() - interval '1 day'`.execute(
    store.system,
  );
  // Of very many, some at a time.
  expect((await removeExpired(new Date(), 1).execute(store.system)).rows).toHaveLength(1);
  await createFiles({ store, clock: systemClock() }).sweep();
  const { rows } = await sql`select from files where id = any(${others}::text[])`.execute(store.system);
  expect(rows).toEqual([]);
  await store.close();

  for (const [place, bytes] of files.entries()) {
    const answer = await open(approval, place);
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
      200,
      `attachment; filename*=UTF-8''%C3%9Cber%20${place}.html`,
    ]);
    const got = await bytesOf(answer);
    expect(got.equals(bytes)).toBe(true);
    expect(createHash('sha256').update(got).digest('hex')).toBe(approval.view.attachments[place].sha256);
  }
  const sent = () => bench.mail.world.outbox.filter(({ subject }) => subject === 'With files');
  expect(sent()).toEqual([]);
  await bench.owned('POST', `/v1/approvals/${approval.id}/approve`, { digest: approval.digest });
  await expect.poll(() => sent().length).toBe(1);
});

test('files of a mail that is forwarded, of a draft, and in a raw request open as well', async () => {
  const file = { name: 'offer.txt', contentType: 'text/plain', contentBytes: base64('12 pieces') };
  const messageId = await deliver('An offer', [file]);
  const forwarded = await ask('mail.forward', { messageId, to });
  expect((await bytesOf(await open(forwarded, 0))).toString()).toBe('12 pieces');

  const kept = { '@odata.type': '#microsoft.graph.fileAttachment', name: 'a.txt', contentBytes: base64('kept') };
  const draft = { subject: 'A draft', toRecipients: [{ emailAddress: { address: to[0] } }], attachments: [kept] };
  const made = await bench.owned('POST', '/v1/steps/mail.api_call/run', {
    accountId,
    input: { method: 'POST', endpoint: '/me/messages', body: draft },
  });
  const drafted = await ask('mail.send_draft', { draftId: made.body.output.data.id });
  expect((await bytesOf(await open(drafted, 0))).toString()).toBe('kept');

  const message = { ...draft, subject: 'Raw', attachments: [{ ...kept, source: { at: '/me' } }] };
  const raw = await ask('mail.api_call', { method: 'POST', endpoint: '/me/sendMail', body: { message } });
  expect((await bytesOf(await open(raw, 0))).toString()).toBe('kept');
});

test.each(['text/html; charset=utf-7', 'text/html, text/plain', 'text/html\r\nset-cookie: a=b', 'html', 'ä/ö'])(
  'a file that calls itself %j is given as bytes of no kind',
  async (contentType) => {
    const file = {
      '@odata.type': '#microsoft.graph.fileAttachment',
      name: 'a',
      contentType,
      contentBytes: base64('a'),
    };
    const message = { subject: 'Odd', toRecipients: [{ emailAddress: { address: to[0] } }], attachments: [file] };
    const raw = await ask('mail.api_call', { method: 'POST', endpoint: '/me/sendMail', body: { message } });
    const answer = await open(raw, 0);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'application/octet-stream',
      'a',
    ]);
  },
);

test('a place that is none, a decided approval and what has changed meanwhile open nothing, and say why', async () => {
  const messageId = await deliver('Changes', [{ name: 'a.txt', contentType: 'text/plain', contentBytes: base64('a') }]);
  const approval = await ask('mail.forward', { messageId, to });
  expect([
    (await open(approval, 1)).status,
    (await open(approval, -1)).status,
    (await open(approval, 'x')).status,
  ]).toEqual([404, 400, 400]);
  expect((await open({ id: 'apr_nobody' }, 0)).status).toBe(404);

  const [held] = [...(bench.mail.world.mailboxOf('ada@sandbox.test')?.messages.values() ?? [])].filter(
    ({ subject }) => subject === 'Changes',
  );
  const [attachment] = held?.attachments ?? [];
  if (attachment !== undefined) Object.assign(attachment, { name: 'b.txt' });
  const changed = await open(approval, 0);
  expect([changed.status, (await changed.json()).error.message]).toEqual([
    409,
    'What would be sent now is not what waits here; look at the approval again.',
  ]);

  await bench.owned('POST', `/v1/approvals/${approval.id}/reject`, {});
  expect((await open(approval, 0)).status).toBe(409);
});

test('what is too large to be read for a look says so, and who asks only for the head or hangs up holds nothing', async () => {
  const large = await deliver('Large', [{ name: 'large.bin', contentType: 'application/x', size: 17 * 1024 * 1024 }]);
  const refused = await open(await ask('mail.forward', { messageId: large, to }), 0);
  expect([refused.status, (await refused.json()).error.message]).toEqual([
    413,
    'This is larger than 16 MB; look at it in the mailbox.',
  ]);

  const files = [{ name: 'a.txt', contentType: 'text/plain', contentBytes: base64('a'.repeat(900_000)) }];
  const approval = await ask('mail.forward', { messageId: await deliver('Medium', files), to });
  const address = `${bench.origin}/v1/approvals/${approval.id}/attachments/0`;
  const headers = { authorization: `Bearer ${bootstrapKey}` };
  for (let n = 0; n < 6; n += 1) {
    await fetch(address, { method: 'HEAD', headers });
    await (await fetch(address, { headers })).body?.cancel();
  }
  expect((await bytesOf(await open(approval, 0))).length).toBe(900_000);
});
