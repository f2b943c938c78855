import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';

let bench: Workbench;
/** Ada again, with every permission a test needs beyond the everyday ones. */
let wide: string;
const wideScopes = [
  'User.Read',
  'Mail.ReadWrite',
  'Mail.Send',
  'Mail.ReadWrite.Shared',
  'Mail.Send.Shared',
  'MailboxSettings.ReadWrite',
];
const control = async (path: string, body: unknown) => {
  const answer = await fetch(`${bench.mail.url}/_control/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as { id: string; immutableId: string; internetMessageId: string };
};
const deliver = (mail: object) => control('deliver', { to: 'ada@sandbox.test', from: 'ben@sandbox.test', ...mail });
const send = (step: string, input: object) => bench.run(`mail.${step}`, input, 'autopilot');
const outbox = (subject: string) => bench.mail.world.outbox.filter((mail) => mail.subject.includes(subject));
const drafts = (subject: string) =>
  [...(bench.mail.world.mailboxOf('ada@sandbox.test')?.messages.values() ?? [])].filter(
    (mail) => mail.isDraft && mail.subject.includes(subject),
  ).length;
const read = (messageId: string, more: object = {}) => bench.run('mail.get_email', { messageId, ...more });
const store = async (name: string, content: Buffer, type = 'text/plain'): Promise<string> => {
  const answer = await fetch(`${bench.origin}/v1/files?name=${name}`, {
    method: 'POST',
    headers: { authorization: 'Bearer bootstrap-key-of-the-workbench', 'content-type': type },
    body: new Uint8Array(content),
  });
  return ((await answer.json()) as { ref: string }).ref;
};
/** Until the copy has reached Sent Items. */
const sentCopy = (id: string) => expect.poll(() => read(id).catch(() => undefined)).toMatchObject({ id });

beforeAll(async () => {
  bench = await workbench({ mail: true });
  wide = await bench.connectMail('ada@sandbox.test', wideScopes);
});
beforeEach(() => bench.mail.control.faults.clear());
afterAll(() => bench[Symbol.asyncDispose]());

describe('Send Email', () => {
  test('one mail leaves, carries its marker, and is found by the id that was answered', async () => {
    const sent = await send('send_email', {
      to: ['Ben <ben@sandbox.test>', { address: 'cy@sandbox.test' }],
      cc: ['ada@sandbox.test'],
      bcc: ['x@elsewhere.example'],
      replyTo: ['desk@sandbox.test'],
      subject: 'Hello 1',
      body: 'A < B & "C"\nbye',
      importance: 'high',
    });

    const [mail, ...more] = outbox('Hello 1');
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ subject: 'Hello 1' });
    expect(JSON.stringify(mail)).toContain('x@elsewhere.example');
    expect(JSON.stringify(mail?.headers)).toMatch(/x-switchboard-marker.*run_\w+-1/);
    expect(sent.to).toEqual(['ben@sandbox.test', 'cy@sandbox.test', 'ada@sandbox.test', 'x@elsewhere.example']);
    await sentCopy(sent.messageId);
    expect(await read(sent.messageId)).toMatchObject({
      internetMessageId: sent.internetMessageId,
      conversationId: sent.conversationId,
      body: 'A < B & "C"\nbye',
      importance: 'high',
      replyTo: [{ address: 'desk@sandbox.test' }],
    });
    const { body } = await bench.owned('GET', '/v1/audit?limit=1');
    expect(body.items[0].details).toMatchObject({ effect: 'send', upstreamId: sent.messageId });
  });

  test('attachments go along by reference, pictures inside the text too', async () => {
    const refs = [await store('a.txt', Buffer.from('one')), await store('b.bin', Buffer.alloc(2_000_000, 7))];

    const sent = await send('send_email', {
      to: ['ben@sandbox.test'],
      subject: 'Hello files',
      body: '<p>see <img src="cid:pic"></p>',
      bodyFormat: 'html',
      attachments: [refs[0], { ref: refs[1], name: 'big.bin', contentId: 'pic' }],
    });

    await sentCopy(sent.messageId);
    expect((await read(sent.messageId)).attachments).toMatchObject([
      { name: 'a.txt', size: 3, isInline: false },
      { name: 'big.bin', size: 2_000_000, isInline: true },
    ]);
  });

  test('a wrong reference or address is refused before anything is written', async () => {
    // Without what connecting asks, which the first test of the file does.
    const reached = () => bench.mail.control.log.list().filter(({ path }) => path.startsWith('/v1.0/me/')).length;
    const before = reached();
    const mail = { to: ['ben@sandbox.test'], subject: 'Never', body: 'x' };

    await expect(send('send_email', { ...mail, attachments: ['file_none'] })).rejects.toThrow(/no such file/);
    const told = { messageId: 'm', attachmentId: 'a' };
    for (const each of [told, { ref: told }, { id: 'a', name: 'a.txt', kind: 'file' }]) {
      const sending = send('send_email', { ...mail, attachments: [each] });
      await expect(sending).rejects.toThrow(/attachments\[?.?0.*call Get Attachment .* give the ref it answers/);
    }
    for (const [address, why] of [
      ['https://10.0.0.1/a.pdf?key=hush', '10.0.0.1/a.pdf leads into a private network'],
      [
        'http://files.example/a.pdf?key=hush',
        'files.example/a.pdf is not loaded: its address must begin with https://',
      ],
      [`${bench.mail.url}/none.pdf?key=hush`, '/none.pdf could not be loaded: it answered 404'],
    ]) {
      const sending = send('send_email', { ...mail, attachments: [{ ref: address, name: 'a.pdf' }] });
      await expect(sending).rejects.toThrow(why);
      await expect(sending).rejects.toThrow('"field":"input.attachments[0]"');
      await expect(sending).rejects.not.toThrow('hush');
    }
    const content = [{ name: 'a.txt', contentBytes: 'aGk=' }];
    await expect(send('send_email', { ...mail, attachments: content })).rejects.toThrow(/POST \/v1\/files/);
    await expect(send('send_email', { ...mail, to: ['ben at sandbox'] })).rejects.toThrow(/not a complete address/);
    await expect(send('send_email', { ...mail, from: 'ben at sandbox' })).rejects.toThrow(/from: .*not a complete/);
    await expect(send('send_email', { ...mail, to: [] })).rejects.toThrow(/Nobody is addressed/);
    const toAll = send('send_email', { ...mail, replyAll: true });
    await expect(toAll).rejects.toThrow(/"invalid_input".*"input\.inReplyTo".*"input\.replyAll"/);
    const crowd = { to: Array.from({ length: 499 }, (_, at) => `p${at}@a.test`), cc: ['b@a.test'], bcc: ['c@a.test'] };
    for (const step of ['send_email', 'create_draft']) {
      await expect(send(step, { ...mail, ...crowd })).rejects.toThrow(/at most 500 recipients in all, not 501/);
    }
    for (const step of ['reply', 'forward']) {
      const answering = send(step, { messageId: 'm', ...(step === 'reply' ? { body: 'x' } : {}), ...crowd });
      await expect(answering).rejects.toThrow(/not 501/);
    }
    expect(reached()).toBe(before);
  });

  test('without approval nothing is sent', async () => {
    const mail = { to: ['ben@sandbox.test'], subject: 'Hello unapproved', body: 'x' };
    await expect(bench.run('mail.send_email', mail)).rejects.toThrow(/autopilot|approval/);
    expect(outbox('Hello unapproved')).toEqual([]);
  });

  test('no copy is kept where none is wanted', async () => {
    const people = { to: ['Ben <ben@sandbox.test>'], bcc: ['cy@sandbox.test'] };
    const mail = { ...people, subject: 'Hello traceless', body: 'x', saveToSent: false };
    expect(await send('send_email', mail)).toEqual({ to: ['ben@sandbox.test', 'cy@sandbox.test'] });
    expect(outbox('Hello traceless')).toHaveLength(1);
    const found = await bench.run('mail.find_email', { subject: 'traceless', folder: 'sentitems' });
    expect(found.items).toEqual([]);
  });

  test('it can be sent from a shared mailbox, or in its name', async () => {
    const run = (input: object) =>
      bench.owned('POST', '/v1/steps/mail.send_email/run', { accountId: wide, input, permission: 'autopilot' });
    const mail = { to: ['ben@sandbox.test'], subject: 'Hello team', body: 'x' };

    expect((await run({ ...mail, mailbox: 'team@sandbox.test' })).status).toBe(200);
    expect((await run({ ...mail, from: 'team@sandbox.test' })).status).toBe(200);

    expect(outbox('Hello team').map(({ from }) => JSON.stringify(from))).toEqual([
      expect.stringContaining('team@sandbox.test'),
      expect.stringContaining('team@sandbox.test'),
    ]);
    const denied = await run({ ...mail, from: 'ben@sandbox.test' });
    expect(denied.body.error).toMatchObject({
      code: 'upstream_rejected',
      message: expect.stringMatching(/may not send in that name/),
    });
  });

  test('the same idempotency key sends once', async () => {
    const mail = { to: ['ben@sandbox.test'], subject: 'Hello key', body: 'x', idempotencyKey: 'k-1' };
    const first = await send('send_email', mail);
    expect(await send('send_email', mail)).toEqual(first);
    expect(outbox('Hello key')).toHaveLength(1);
  });

  test('a dry run shows the draft that would be made, and makes none', async () => {
    const input = { to: ['ben@sandbox.test'], subject: 'Hello dry', body: 'x', dryRun: true };
    const { body } = await bench.owned('POST', '/v1/steps/mail.send_email/run', { accountId: wide, input });

    expect(body.request).toMatchObject({ method: 'POST', path: '/me/messages', body: { subject: 'Hello dry' } });
    expect((await bench.run('mail.find_email', { subject: '"Hello dry"' })).items).toEqual([]);
  });
});

describe('exactly one mail leaves although answers are lost', () => {
  const faults = [
    ['the draft', 'POST', '/v1.0/me/messages$'],
    ['the reply draft', 'POST', '/createReply$'],
    ['its text', 'PATCH', '/v1.0/me/messages/'],
    ['an attachment', 'POST', '/attachments$'],
    ['the sending', 'POST', '/send$'],
  ] as const;
  test.each(
    faults.flatMap(([what, method, path]) => [
      [`504 after ${what}`, { method, path }, { kind: 'accept_then', status: 504 }],
      [`a broken line after ${what}`, { method, path }, { kind: 'accept_then' }],
    ]) as [string, { method: string; path: string }, { kind: 'accept_then'; status?: number }][],
  )('%s', async (name, match, fault) => {
    const subject = `Once ${name}`;
    const { id } = await deliver({ subject });
    const ref = await store('a.txt', Buffer.from('one'));
    bench.mail.control.faults.add({ match, ...fault, times: 1 });
    const fresh = match.path.includes('/me/messages$');

    const sent = fresh
      ? await send('send_email', { to: ['ben@sandbox.test'], subject, body: 'new text', attachments: [ref] })
      : await send('reply', { messageId: id, body: 'new text', attachments: [ref] });

    expect(bench.mail.control.faults.list()).toEqual([]);
    expect([outbox(subject).length, drafts(subject)]).toEqual([1, 0]);
    await sentCopy(sent.messageId);
    expect(await read(sent.messageId)).toMatchObject({ body: 'new text', attachments: [{ name: 'a.txt' }] });
  });

  test('a line that breaks before anything happened', async () => {
    bench.mail.control.faults.add({ match: { method: 'POST', path: '/send$' }, kind: 'reset', times: 1 });

    await send('send_email', { to: ['ben@sandbox.test'], subject: 'Broken line', body: 'x' });

    expect(bench.mail.control.faults.list()).toEqual([]);
    expect([outbox('Broken line').length, drafts('Broken line')]).toEqual([1, 0]);
  });
});

describe('answering and passing on', () => {
  test('a reply goes where the sender wants it, quotes the mail, and stays in the conversation', async () => {
    const { id } = await deliver({
      subject: 'Question',
      body: 'How much?',
      replyTo: 'desk@partner.example',
      cc: 'cy@sandbox.test',
    });
    const original = await read(id);

    const sent = await send('reply', { messageId: id, body: 'Ten <euro>' });

    expect(sent).toMatchObject({ to: ['desk@partner.example'], sent: true, conversationId: original.conversationId });
    expect(outbox('Question')).toMatchObject([{ subject: 'RE: Question' }]);
    await sentCopy(sent.messageId);
    expect(await read(sent.messageId)).toMatchObject({ body: 'Ten <euro>', quotedRemoved: true });
    expect((await read(sent.messageId, { includeQuoted: true })).body).toContain('How much?');
  });

  test('a reply to all reaches the others too; a draft waits', async () => {
    const { id } = await deliver({ subject: 'Party', cc: 'cy@sandbox.test' });

    const draft = await bench.run('mail.reply', { messageId: id, body: 'Coming', replyAll: true, asDraft: true });

    expect(draft).toMatchObject({ to: ['ben@sandbox.test', 'cy@sandbox.test'], sent: false });
    expect(outbox('Party')).toEqual([]);
    expect(await send('send_draft', { draftId: draft.messageId })).toMatchObject({ messageId: draft.messageId });
    expect(outbox('Party')).toHaveLength(1);
    await sentCopy(draft.messageId);
    await expect(send('send_draft', { draftId: draft.messageId })).rejects.toThrow(/not a draft/);
    expect(outbox('Party')).toHaveLength(1);
  });

  test('a forward carries the comment and the attachments', async () => {
    const { id } = await deliver({
      subject: 'Report',
      body: 'Numbers',
      attachments: [{ name: 'r.txt', contentType: 'text/plain', contentBytes: 'aGVsbG8=' }],
    });

    const sent = await send('forward', { messageId: id, to: ['cy@sandbox.test'], comment: 'For you' });

    expect(outbox('FW: Report')).toHaveLength(1);
    await sentCopy(sent.messageId);
    const mail = await read(sent.messageId);
    expect(mail.body).toMatch(/^For you[\s\S]*Numbers/);
    expect(mail.attachments).toMatchObject([{ name: 'r.txt' }]);
  });

  test('a mail can answer another with recipients of its own', async () => {
    const { id } = await deliver({ subject: 'Thread' });
    const { conversationId } = await read(id);

    const sent = await send('send_email', {
      inReplyTo: id,
      to: ['cy@sandbox.test'],
      subject: 'Thread, elsewhere',
      body: 'Hi',
    });

    expect(sent).toMatchObject({ to: ['cy@sandbox.test'], conversationId });
    expect(outbox('Thread, elsewhere')).toHaveLength(1);
  });

  test('a draft is made without anybody getting it', async () => {
    const draft = await bench.run('mail.create_draft', { to: ['ben@sandbox.test'], subject: 'Later', body: 'x' });
    expect(await read(draft.messageId)).toMatchObject({ isDraft: true, subject: 'Later' });
    expect(outbox('Later')).toEqual([]);
  });
});
