import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Workbench, workbench } from '#test';

let bench: Workbench;
let accountId: string;
beforeAll(async () => {
  bench = await workbench({ mail: true });
  accountId = await bench.connectMail();
});
afterAll(() => bench[Symbol.asyncDispose]());

const run = async (step: string, input: object): Promise<Answer> =>
  bench.owned('POST', `/v1/steps/${step}/run`, { accountId, input });
const call = async (method: string, endpoint: string, body: object) =>
  (await run('mail.api_call', { method, endpoint, body })).body;
const person = (address: string) => ({ emailAddress: { address } });
const message = (subject: string) => ({
  subject,
  toRecipients: [person('ben@sandbox.test')],
  body: { contentType: 'text', content: 'See you.' },
});
const draft = async (subject: string, more: object = {}): Promise<string> =>
  (await call('POST', '/me/messages', { ...message(subject), ...more })).output.data.id;
const deliver = async (subject: string): Promise<string> => {
  const mail = { to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject };
  const headers = { 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify(mail) };
  const answer = await fetch(`${bench.mail.url}/_control/deliver`, sent);
  return ((await answer.json()) as { immutableId: string }).immutableId;
};
const hidden = {
  '@odata.type': '#microsoft.graph.fileAttachment',
  name: 'salaries.csv',
  contentBytes: Buffer.from('all of them').toString('base64'),
  isInline: true,
};

describe('a draft that an agent wrote first, and then has sent', () => {
  test('is not sent once it was thrown away, and tells it where it was before', async () => {
    const id = await draft('Thrown away');
    const { approval, runId } = (await run('mail.send_draft', { draftId: id })).body;
    expect([approval.view.warnings, approval.view.fields.parentfolderid]).toEqual([[], undefined]);
    await run('mail.move_email', { messageId: id, folder: 'deleteditems' });
    await bench.owned('POST', `/v1/approvals/${approval.id}/approve`, { digest: approval.digest });
    const ended = async () => (await bench.owned('GET', `/v1/runs/${runId}`)).body.error?.code;
    await expect.poll(ended).toBe('approval_denied');
    expect(bench.mail.world.outbox.filter(({ subject }) => subject === 'Thrown away')).toEqual([]);
    const again = (await run('mail.send_draft', { draftId: id })).body.approval;
    expect(again.view.warnings).toEqual(['This draft lies in Deleted Items.']);
  });

  test('is shown with files that count as inside of its text and are not', async () => {
    const id = await draft('Harmless');
    expect((await call('POST', `/me/messages/${id}/attachments`, hidden)).output.status).toBe(201);

    const { status, body } = await run('mail.send_draft', { draftId: id });

    expect(status).toBe(202);
    expect(body.approval.view.attachments).toMatchObject([{ name: 'salaries.csv', size: 11 }]);
  });

  test('is shown with its other headers, receipts and sender', async () => {
    const internetMessageHeaders = [{ name: 'x-list-command', value: 'subscribe' }];
    const id = await draft('With more', { internetMessageHeaders, isReadReceiptRequested: true });
    const { body } = await run('mail.send_draft', { draftId: id });
    expect(body.approval.view.fields).toMatchObject({
      internetmessageheaders: internetMessageHeaders,
      isreadreceiptrequested: true,
    });
  });

  test.each([
    ['addresses nobody', () => draft('To nobody', { toRecipients: [] }), 'addresses nobody'],
    ['was received', () => deliver('Not ours'), 'not a draft'],
  ])('and that %s is refused, and nobody is asked about it', async (_, made, why) => {
    const draftId = await made();

    const { status, body } = await run('mail.send_draft', { draftId });

    expect([status, body.error?.code]).toEqual([400, 'invalid_input']);
    expect(body.error.message).toContain(why);
  });

  test('is not sent when a file was put into it after it was approved', async () => {
    const id = await draft('Approved without');
    const { body } = await run('mail.send_draft', { draftId: id });
    await call('POST', `/me/messages/${id}/attachments`, hidden);
    const { id: approvalId, digest } = body.approval;
    await bench.owned('POST', `/v1/approvals/${approvalId}/approve`, { digest });
    const ended = async () => (await bench.owned('GET', `/v1/runs/${body.runId}`)).body.error?.code;
    await expect.poll(ended).toBe('approval_denied');
    expect(bench.mail.world.outbox.filter(({ subject }) => subject === 'Approved without')).toEqual([]);
  });
});

test('a mail that waits as a draft while a file is put into it does not leave', async () => {
  const { body } = await run('mail.send_email', { to: ['ben@sandbox.test'], subject: 'In between', body: 'Hello' });
  const { faults } = bench.mail.control;
  faults.add({ match: { method: 'GET', path: '/v1.0/me/messages/' }, kind: 'latency', ms: 1_500, times: 1 });
  const { id, digest } = body.approval;
  await bench.owned('POST', `/v1/approvals/${id}/approve`, { digest });
  const made = async (): Promise<string | undefined> => {
    const listed = await run('mail.api_call', { method: 'GET', endpoint: '/me/mailFolders/drafts/messages?$top=50' });
    return listed.body.output.data.value.find((each: Answer['body']) => each.subject === 'In between')?.id;
  };
  await expect.poll(made, { interval: 5 }).toBeDefined();
  expect((await call('POST', `/me/messages/${await made()}/attachments`, hidden)).output.status).toBe(201);
  const ended = async () => (await bench.owned('GET', `/v1/runs/${body.runId}`)).body.error?.code;
  await expect.poll(ended).toBe('approval_denied');
  expect(bench.mail.world.outbox.filter(({ subject }) => subject === 'In between')).toEqual([]);
});

describe('a draft that somebody changes through us while it is being sent', () => {
  const outcome = async (slow: { method: string; path: string }, subject: string) => {
    const id = await draft(subject);
    const { body } = await run('mail.send_draft', { draftId: id });
    const { faults } = bench.mail.control;
    const path = `^/v1.0/me/messages/[^/]+/${slow.path}$`;
    faults.add({ match: { method: slow.method, path }, kind: 'latency', ms: 300, times: 1 });
    const deciding = bench.owned('POST', `/v1/approvals/${body.approval.id}/approve`, { digest: body.approval.digest });
    await expect.poll(() => bench.mail.control.faults.list(), { interval: 5 }).toEqual([]);
    const changed = await run('mail.api_call', {
      ...{ method: 'PATCH', endpoint: `/me/messages/${id}` },
      body: { body: { contentType: 'text', content: 'Pay the thief.' } },
    });
    await deciding;
    const ended = async () => (await bench.owned('GET', `/v1/runs/${body.runId}`)).body;
    await expect.poll(async () => (await ended()).finishedAt).toBeTruthy();
    const left = bench.mail.world.outbox.filter((each) => each.subject === subject);
    return { changed: changed.status, error: (await ended()).error?.code, left: left.map(({ body }) => body?.content) };
  };

  test('after it was looked at does not leave', async () => {
    expect(await outcome({ method: 'GET', path: 'attachments.*' }, 'Looked at')).toMatchObject({
      ...{ changed: 200, error: 'approval_denied', left: [] },
    });
  });

  test('once nothing can hold it back is not changed', async () => {
    expect(await outcome({ method: 'POST', path: 'send' }, 'On its way')).toMatchObject({
      changed: 409,
      left: ['See you.'],
    });
  });
});

test('a draft is changed while somebody sends a mail of their own', async () => {
  const id = await draft('To be changed');
  const path = '^/v1.0/me/messages/[^/]+/send$';
  bench.mail.control.faults.add({ match: { method: 'POST', path }, kind: 'latency', ms: 300, times: 1 });
  const sending = bench.run('mail.send_email', { to: ['ben@sandbox.test'], subject: 'Own', body: 'x' }, 'autopilot');
  await expect.poll(() => bench.mail.control.faults.list(), { interval: 5 }).toEqual([]);

  const { status } = await run('mail.api_call', {
    method: 'PATCH',
    endpoint: `/me/messages/${id}`,
    body: { subject: 'y' },
  });

  expect(status).toBe(200);
  await sending;
});

describe('a property that the service does not list', () => {
  const asks = async (endpoint: string, body: object, method = 'POST') =>
    (await run('mail.api_call', { method, endpoint, body })).status === 202;
  const having = (...ids: string[]) => ({ singleValueExtendedProperties: ids.map((id) => ({ id, value: 'x' })) });

  test.each([
    ['when it leaves', 'SystemTime 0x3FEF'],
    ['that no copy is kept', 'Boolean 0x0E01'],
    ['a header of it', 'String {00020386-0000-0000-C000-000000000046} Name Disposition-Notification-To'],
    ['something by a number', 'Integer {00062008-0000-0000-C000-000000000046} Id 0x8520'],
  ])('and that says of a mail %s is asked about when it is written', async (_, id) => {
    const messageId = await draft('Plain');
    expect(await asks('/me/messages', { ...message('Odd'), ...having(id) })).toBe(true);
    expect(await asks(`/me/messages/${messageId}`, having(id), 'PATCH')).toBe(true);
    expect(await asks(`/me/messages/${messageId}/createReply`, { message: having(id) })).toBe(true);
    expect(await asks('/me/messages', { multiValueExtendedProperties: [{ id, value: ['x'] }] })).toBe(true);
  });

  test('and that is nothing but a note of the caller is kept without asking', async () => {
    const id = 'String {66f5a359-4659-4830-9070-00047ec6ac6e} Name Checked';
    expect(await asks('/me/messages', { ...message('Noted'), ...having(id) })).toBe(false);
  });
});
