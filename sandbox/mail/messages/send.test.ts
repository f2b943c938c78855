import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Bench, idOf, listOf, mailBench, to, until } from '../test-mail.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await mailBench();
});
beforeEach(() => bench.order('/reset', {}));
afterAll(() => bench.close());

const ben = { as: 'ben@sandbox.test' };
const newestOf = async (folder: string, who: { as?: string } = {}) =>
  listOf(await bench.ask('GET', `/me/mailFolders/${folder}/messages?$top=1`, who))[0];
const arrived = (subject: string, who: { as?: string } = ben) =>
  until(async () => {
    const message = await newestOf('inbox', who);
    return message?.['subject'] === subject && message;
  });
const send = (message: object, more: object = {}) => bench.ask('POST', '/me/sendMail', { body: { message, ...more } });

test('a sent mail answers 202 without body, is in the outbox at once, then with its recipient and in Sent Items', async () => {
  const reply = await send({
    subject: 'Hello',
    body: { contentType: 'Text', content: 'Hi' },
    toRecipients: to('ben@sandbox.test'),
    bccRecipients: to('cy@sandbox.test'),
  });
  expect([reply.status, reply.text, reply.headers.get('location')]).toEqual([202, '', null]);
  expect(bench.world.outbox.map(({ subject, from, to, bcc }) => ({ subject, from, to, bcc }))).toEqual([
    { subject: 'Hello', from: 'ada@sandbox.test', to: ['ben@sandbox.test'], bcc: ['cy@sandbox.test'] },
  ]);
  const received = await arrived('Hello');
  expect(received).toMatchObject({
    isRead: false,
    isDraft: false,
    from: { emailAddress: { name: 'Ada Marsh' } },
    bccRecipients: [],
  });
  await arrived('Hello', { as: 'cy@sandbox.test' });
  const sent = await until(async () => {
    const message = await newestOf('sentitems');
    return message?.['subject'] === 'Hello' && message;
  });
  expect(sent['internetMessageId']).toBe(received['internetMessageId']);
});

test('the item sits in Drafts until the lag has passed', async () => {
  await bench.order('/behaviour', { sentItemsLagMs: 60_000 });
  await send({ subject: 'Waiting', toRecipients: to('ben@sandbox.test') });
  expect(await newestOf('drafts')).toMatchObject({ subject: 'Waiting', isDraft: true });
  await bench.order('/clock', { advanceMs: 61_000 });
  await until(async () => (await newestOf('sentitems'))?.['subject'] === 'Waiting');
});

test('saveToSentItems false keeps no copy, also written as a string', async () => {
  await send({ subject: 'Traceless', toRecipients: to('ben@sandbox.test') }, { saveToSentItems: 'false' });
  await arrived('Traceless');
  const found = await bench.ask('GET', "/me/messages?$filter=subject eq 'Traceless'");
  expect(listOf(found)).toEqual([]);
});

test('MIME can be sent', async () => {
  const mime = 'To: ben@sandbox.test\r\nSubject: By MIME\r\nX-Step: 9\r\n\r\nbody';
  const reply = await bench.ask('POST', '/me/sendMail', {
    raw: Buffer.from(mime).toString('base64'),
    headers: { 'Content-Type': 'text/plain' },
  });
  expect(reply.status).toBe(202);
  await arrived('By MIME');
  expect(bench.world.outbox[0]?.headers).toContainEqual({ name: 'X-Step', value: '9' });
});

test('recipients must exist in form', async () => {
  expect((await send({ subject: 'None' })).code).toBe('ErrorInvalidRecipients');
  expect((await send({ subject: 'Bad', toRecipients: to('bad') })).code).toBe('ErrorInvalidRecipients');
  const many = to(...Array.from({ length: 501 }, (_, at) => `p${at}@example.com`));
  expect((await send({ subject: 'Many', toRecipients: many })).status).toBe(400);
  expect(bench.world.outbox).toEqual([]);
  expect(await newestOf('drafts')).not.toMatchObject({ subject: 'Bad' });
});

test('an address of the sandbox that nobody has comes back as a non-delivery report', async () => {
  await send({ subject: 'Lost', toRecipients: to('nobody@sandbox.test', 'ben@sandbox.test') });
  const report = await arrived('Undeliverable: Lost', {});
  expect(report['from']).toMatchObject({ emailAddress: { address: 'postmaster@sandbox.test' } });
  expect(String(report['bodyPreview'])).toContain('nobody@sandbox.test');
  await arrived('Lost');
  expect(bench.world.outbox).toHaveLength(1);
});

test('who is away answers each sender once', async () => {
  const setting = { status: 'alwaysEnabled', internalReplyMessage: '<p>Away</p>', externalReplyMessage: 'Out' };
  await bench.ask('PATCH', '/me/mailboxSettings', { body: { automaticRepliesSetting: setting }, ...ben });
  await send({ subject: 'One', toRecipients: to('ben@sandbox.test') });
  expect(await arrived('Automatic reply: One', {})).toMatchObject({ bodyPreview: 'Away' });
  await send({ subject: 'Two', toRecipients: to('ben@sandbox.test') });
  await arrived('Two');
  await until(() => bench.world.outbox.length === 3);
  expect(bench.world.outbox.filter(({ automatic }) => automatic)).toHaveLength(1);
});

test('sending in another’s name needs the right to', async () => {
  const asTeam = { from: { emailAddress: { address: 'team@sandbox.test' } } };
  expect((await send({ subject: 'Team', toRecipients: to('ben@sandbox.test'), ...asTeam })).status).toBe(202);
  expect(await arrived('Team')).toMatchObject({
    from: { emailAddress: { address: 'team@sandbox.test' } },
    sender: { emailAddress: { address: 'ada@sandbox.test' } },
  });
  const denied = await bench.ask('POST', '/me/sendMail', {
    body: { message: { toRecipients: to('cy@sandbox.test'), ...asTeam } },
    ...ben,
  });
  expect([denied.status, denied.code]).toEqual([403, 'ErrorSendAsDenied']);
});

test('sent through a shared mailbox, the copy lands in its Sent Items', async () => {
  const body = { message: { subject: 'Shared', toRecipients: to('ben@sandbox.test') } };
  expect((await bench.ask('POST', '/users/team@sandbox.test/sendMail', { body })).status).toBe(202);
  await arrived('Shared');
  const sent = await until(
    async () => listOf(await bench.ask('GET', '/users/team@sandbox.test/mailFolders/sentitems/messages'))[0],
  );
  expect(sent['subject']).toBe('Shared');
  expect(await newestOf('sentitems')).not.toMatchObject({ subject: 'Shared' });
});

test('reply, replyAll and forward keep the thread and quote the original', async () => {
  await bench.order('/deliver', {
    to: ['ada@sandbox.test', 'cy@sandbox.test'],
    cc: 'ben@sandbox.test',
    from: 'Zoe <zoe@example.com>',
    subject: 'Plan',
    html: '<p>Original words</p>',
  });
  const original = await newestOf('inbox');
  const path = `/me/messages/${idOf(original)}`;
  expect((await bench.ask('POST', `${path}/reply`, { body: { comment: 'Sure' } })).status).toBe(202);
  expect((await bench.ask('POST', `${path}/replyAll`, { body: { comment: 'All' } })).status).toBe(202);
  expect(
    (await bench.ask('POST', `${path}/forward`, { body: { comment: 'Look', toRecipients: to('ben@sandbox.test') } }))
      .status,
  ).toBe(202);
  const [reply, replyAll, forward] = bench.world.outbox;
  expect(reply).toMatchObject({ subject: 'RE: Plan', to: ['zoe@example.com'], cc: [] });
  expect(reply?.body.content).toMatch(/Sure[\s\S]*From:[\s\S]*Sent:[\s\S]*Original words/);
  expect(replyAll).toMatchObject({ to: ['zoe@example.com', 'cy@sandbox.test'], cc: ['ben@sandbox.test'] });
  expect(forward).toMatchObject({ subject: 'FW: Plan', to: ['ben@sandbox.test'] });
  const received = await arrived('FW: Plan');
  expect(received['conversationId']).toBe(original?.['conversationId']);
  expect(reply?.headers).toContainEqual({ name: 'In-Reply-To', value: original?.['internetMessageId'] });
});

test('the rules of the reply actions: no comment with a body, recipients of a forward in one place', async () => {
  const path = `/me/messages/${idOf(await newestOf('inbox'))}`;
  const status = async (action: string, body: object) =>
    (await bench.ask('POST', `${path}/${action}`, { body })).status;
  expect(await status('reply', { comment: 'a', message: { body: { contentType: 'text', content: 'b' } } })).toBe(400);
  expect(await status('forward', { comment: 'a' })).toBe(400);
  expect(
    await status('forward', { toRecipients: to('ben@sandbox.test'), message: { toRecipients: to('cy@sandbox.test') } }),
  ).toBe(400);
  expect(await status('reply', { message: { body: { contentType: 'text', content: 'only this' } } })).toBe(202);
  expect(bench.world.outbox[0]?.body.content).toBe('only this');
});

test('the sent line of a reply follows the preferred zone', async () => {
  await bench.order('/deliver', {
    to: 'ada@sandbox.test',
    from: 'z@example.com',
    subject: 'Zone',
    body: 'x',
    receivedAt: '2026-07-01T12:00:00Z',
    folder: 'archive',
  });
  const id = idOf(listOf(await bench.ask('GET', "/me/messages?$filter=subject eq 'Zone'"))[0]);
  const { json } = await bench.ask('POST', `/me/messages/${id}/createReply`, {
    headers: { Prefer: 'outlook.timezone="Pacific Standard Time"' },
  });
  expect((json['body'] as { content: string }).content).toContain('5:00:00');
});

test('a draft is sent by its id; what was sent already is refused', async () => {
  const { json } = await bench.ask('POST', '/me/messages', {
    body: { subject: 'From draft', toRecipients: to('ben@sandbox.test') },
  });
  expect((await bench.ask('POST', `/me/messages/${idOf(json)}/send`)).status).toBe(202);
  await arrived('From draft');
  const sent = await until(async () => {
    const message = await newestOf('sentitems');
    return message?.['subject'] === 'From draft' && message;
  });
  expect((await bench.ask('POST', `/me/messages/${idOf(sent)}/send`)).status).toBe(400);
});
