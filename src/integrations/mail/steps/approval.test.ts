import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Answer, bootstrapKey, type Workbench, workbench } from '#test';

type Mailbox = NonNullable<ReturnType<Workbench['mail']['world']['mailboxOf']>>;
type Message = Mailbox['messages'] extends Map<unknown, infer Each> ? Each : never;

let bench: Workbench;
let accountId: string;
beforeAll(async () => {
  bench = await workbench({ mail: true });
  accountId = await bench.connectMail();
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => bench[Symbol.asyncDispose]());

const run = (step: string, input: unknown) => bench.owned('POST', `/v1/steps/mail.${step}/run`, { accountId, input });
const read = async (runId: string) => (await bench.owned('GET', `/v1/runs/${runId}`)).body;
const ended = async (runId: string) => {
  await expect.poll(async () => (await read(runId)).finishedAt, { interval: 20 }).not.toBeNull();
  return read(runId);
};
const approve = ({ id, digest }: { id: string; digest: string }) =>
  bench.owned('POST', `/v1/approvals/${id}/approve`, { digest });
const left = (subject: string) => bench.mail.world.outbox.filter((each) => each.subject.endsWith(subject));
const store = async (name: string, size: number): Promise<string> => {
  const answer = await fetch(`${bench.origin}/v1/files?name=${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/zip' },
    body: new Uint8Array(Buffer.alloc(size, 7)),
  });
  return ((await answer.json()) as { ref: string }).ref;
};

/** A message in the own mailbox. */
const held = (subject: string) =>
  [...(bench.mail.world.mailboxOf('ada@sandbox.test')?.messages.values() ?? [])].find(
    (each) => each.subject === subject,
  );

/** A page on the web whose address is a secret, and what is there. */
const openSite = async (name: string, content: string) => {
  const site = { content, visits: 0, address: '' };
  const server = createServer((_, answer) => {
    site.visits += 1;
    answer.setHeader('content-disposition', `attachment; filename=${name}`);
    answer.setHeader('content-type', 'text/csv');
    answer.end(site.content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/data?key=hush`;
  const close = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return Object.assign(site, { [Symbol.asyncDispose]: async () => void (await close()) });
};

/** Somebody else with this mailbox open, who changes our draft after it was made and before it is sent. */
const meddle = (subject: string, change: (draft: Message) => void) => {
  const { faults } = bench.mail.control;
  const strike = faults.strike.bind(faults);
  vi.spyOn(faults, 'strike').mockImplementation((method, path) => {
    const all = bench.mail.world.mailboxOf('ada@sandbox.test')?.messages.values() ?? [];
    const draft = [...all].find((each) => each.isDraft && each.subject.endsWith(subject));
    // The look before the send is the first at the draft itself.
    if (method === 'GET' && path.includes('/messages/') && draft !== undefined) {
      change(draft);
      draft.version += 1;
    }
    return strike(method, path);
  });
};

test('without permission to send, not even a draft is written', async () => {
  const { items } = (await run('find_email', { limit: 1 })).body.output;
  const writes = () =>
    bench.mail.control.log.list().filter(({ method, path }) => method !== 'GET' && path.startsWith('/v1.0/'));

  const answers = [
    await run('send_email', { to: ['ben@sandbox.test'], subject: 'Hello', body: 'Hello' }),
    await run('reply', { messageId: items[0].id, body: 'Thanks' }),
    await run('forward', { messageId: items[0].id, to: ['ben@sandbox.test'] }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(writes()).toEqual([]);

  expect((await run('reply', { messageId: items[0].id, body: 'Later', asDraft: true })).status).toBe(200);
  expect(writes().length).toBeGreaterThan(0);
});

describe('what leaves is what was approved', () => {
  const html =
    '<p style="color:#333">Pay <a href="https://bank.example/ada?a=1&amp;b=2">here</a></p><img src="https://x.example/1.png">';
  /** A mail of each kind, by the end of its subject. */
  const ask = async (kind: string, subject: string): Promise<Answer['body']> => {
    const attachments = kind === 'with files' ? [await store('big.zip', 5_000_000), await store('a.zip', 99)] : [];
    if (kind === 'new' || kind === 'with files') {
      const mail = { to: ['ben@sandbox.test'], subject, body: html, bodyFormat: 'html', attachments };
      return (await run('send_email', mail)).body;
    }
    const answer = await fetch(`${bench.mail.url}/_control/deliver`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ to: 'ada@sandbox.test', from: 'zoe@example.com', subject, html }),
    });
    const { id: messageId } = (await answer.json()) as { id: string };
    const step = kind === 'answer' ? 'reply' : 'forward';
    const to = kind === 'answer' ? {} : { to: ['ben@sandbox.test'] };
    return (await run(step, { messageId, ...(step === 'reply' ? { body: 'Sure' } : { comment: 'See' }), ...to })).body;
  };
  const replaced = (from: string, to: string) => (draft: Message) => {
    draft.body.content = draft.body.content.replace(from, to);
  };
  const toEve = (draft: Message) => {
    draft.to = [{ name: 'Ben', address: 'eve@sandbox.test' }];
  };

  test.each(['new', 'with files', 'answer', 'forward'])('undisturbed, it leaves: %s', async (kind) => {
    const { approval, runId } = await ask(kind, `Calm ${kind}`);
    await approve(approval);
    expect((await ended(runId)).error).toBeNull();
    expect(left(`Calm ${kind}`)).toHaveLength(1);
  });

  test.each<[string, string, string, (draft: Message) => void]>([
    ['new', 'its recipient', 'to', toEve],
    ['new', 'somebody in bcc', 'bcc', (draft) => draft.bcc.push({ name: '', address: 'eve@sandbox.test' })],
    ['new', 'where answers go', 'reply-to', (draft) => draft.replyTo.push({ name: '', address: 'eve@sandbox.test' })],
    ['with files', 'how urgent it is', 'importance', (draft) => void (draft.importance = 'high')],
    ['new', 'a word', 'body', replaced('Pay', 'Send')],
    ['new', 'where a link leads', 'body', replaced('bank.example', 'evil.example')],
    ['new', 'what a picture loads', 'body', replaced('x.example/1', 'evil.example/1')],
    ['new', 'how it looks', 'body', replaced('color:#333', 'display:none')],
    [
      'with files',
      'the content of a large file',
      'attachments',
      ({ attachments }) => attachments.find(({ name }) => name === 'big.zip')?.content?.fill(8, 4_900_000),
    ],
    ['with files', 'a file that is gone', 'attachments', ({ attachments }) => void attachments.pop()],
    ['answer', 'its recipient', 'to', toEve],
    ['answer', 'where a quoted link leads', 'body', replaced('bank.example', 'evil.example')],
    ['answer', 'a link above the quotation', 'body', replaced('Sure', '<a href="https://evil.example">Sure</a>')],
    ['forward', 'its recipient', 'to', toEve],
    ['forward', 'a quoted word', 'body', replaced('Pay', 'Send')],
  ])('a changed draft stays where it is: %s, %s', async (kind, what, named, change) => {
    const subject = `${kind}: ${what}`;
    const { approval, runId } = await ask(kind, subject);
    meddle(subject, change);
    await approve(approval);
    const { status, error } = await ended(runId);
    expect([status, error.code, error.message]).toEqual([
      'failed',
      'approval_denied',
      expect.stringContaining(`differs from what was approved (${named})`),
    ]);
    expect((await bench.owned('GET', `/v1/approvals/${approval.id}`)).body.status).toBe('void');
    expect(left(subject)).toEqual([]);
  });

  test('what is at an address is loaded once, before anybody is asked, and that is what leaves', async () => {
    await using site = await openSite('first.txt', 'what was seen');
    const attachments = [site.address, { ref: site.address, name: 'again.txt' }];
    const mail = { to: ['ben@sandbox.test'], subject: 'From afar', body: 'Hi', attachments };

    const { body } = await run('send_email', mail);

    expect(body.approval.view.attachments).toMatchObject([
      { name: 'first.txt', contentType: 'text/csv', size: 13 },
      { name: 'again.txt', contentType: 'text/csv', size: 13 },
    ]);
    expect(JSON.stringify(body.approval)).not.toContain('hush');
    site.content = 'something else';
    await approve(body.approval);
    const { error, warnings, journal } = await ended(body.runId);
    expect([error, warnings ?? []]).toEqual([null, []]);
    expect(left('From afar')).toHaveLength(1);
    const files = () => held('From afar')?.attachments.map(({ name, content }) => [name, String(content)]);
    await expect.poll(files).toEqual([
      ['first.txt', 'what was seen'],
      ['again.txt', 'what was seen'],
    ]);
    expect(site.visits).toBe(1);
    expect(JSON.stringify(journal)).toContain('/data');
    expect(JSON.stringify(journal)).not.toContain('hush');
  });

  test('a text that was written for it leaves as a file, with the type that its name tells', async () => {
    const attachments = [
      { name: 'Zahlen.CSV', text: 'ä;b\n1;2' },
      { name: 'notes', text: '' },
    ];
    const mail = { to: ['ben@sandbox.test'], subject: 'Written', body: 'Hi', attachments };
    const { body } = await run('send_email', mail);
    expect(body.approval.view.attachments).toMatchObject([
      { name: 'Zahlen.CSV', contentType: 'text/csv', size: 8 },
      { name: 'notes', contentType: 'text/plain', size: 0 },
    ]);
    await approve(body.approval);
    const { error, warnings } = await ended(body.runId);
    expect([error, warnings ?? []]).toEqual([null, []]);
    const files = () => held('Written')?.attachments.map(({ name, content }) => [name, String(content)]);
    await expect.poll(files).toEqual([
      ['Zahlen.CSV', 'ä;b\n1;2'],
      ['notes', ''],
    ]);
  });

  test.each([
    [{}, '', 'needs either ref or text'],
    [{ ref: 'file_1', text: 'x', name: 'a' }, '', 'needs either ref or text'],
    [{ text: 'x' }, '.name', 'is needed with text, such as notes.txt'],
    [{ name: 'a.txt', content: 'x' }, '', expect.stringContaining('or {"name": "…", "text": "…"}')],
  ])(
    'an attachment that is neither a file nor a text is refused with what it takes: %j',
    async (given, at, message) => {
      const { body } = await run('create_draft', { attachments: [given] });
      expect(body.error.details.fields).toEqual([{ field: `input.attachments[0]${at}`, message }]);
    },
  );

  test('a dry run and an edit load what they name, and an answer, a forward and a draft take it along', async () => {
    await using site = await openSite('plan.txt', 'plan');
    const attachments = [site.address];
    const mail = { to: ['ben@sandbox.test'], subject: 'Edited', body: 'Hi' };
    const dry = await run('send_email', { ...mail, attachments, dryRun: true });
    expect(dry.body.view.attachments).toMatchObject([{ name: 'plan.txt', size: 4 }]);

    const { body } = await run('send_email', mail);
    const edit = (changes: unknown) => bench.owned('POST', `/v1/approvals/${body.approval.id}/edit`, { changes });
    const { status, body: edited } = await edit({ attachments });
    expect([status, edited.view.attachments]).toMatchObject([200, [{ name: 'plan.txt', size: 4 }]]);
    expect(JSON.stringify(edited.input)).toMatch(/"attachments":\["file_\w+"\]/);

    const { items } = (await run('find_email', { limit: 1 })).body.output;
    const messageId = items[0].id;
    const answers = [
      await run('reply', { messageId, body: 'Sure', attachments }),
      await run('forward', { messageId, to: ['ben@sandbox.test'], attachments }),
    ];
    for (const { body } of answers) expect(body.approval.view.attachments.at(-1)).toMatchObject({ name: 'plan.txt' });
    const draft = await run('create_draft', { ...mail, subject: 'Drafted', attachments });
    expect([draft.status, held('Drafted')?.attachments.map(({ name }) => name)]).toEqual([200, ['plan.txt']]);
  });

  test('what leaves a shared mailbox is shown as sent by that mailbox, and an answer to all does not go to it', async () => {
    const team = 'team@sandbox.test';
    const scopes = ['Mail.ReadWrite', 'Mail.Send', 'Mail.ReadWrite.Shared', 'Mail.Send.Shared'];
    const shared = await bench.connectMail('ada@sandbox.test', scopes);
    await fetch(`${bench.mail.url}/_control/deliver`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ to: [team, 'cy@sandbox.test'], from: 'zoe@example.com', subject: 'To the team' }),
    });
    const ask = async (step: string, input: object): Promise<Answer['body']> =>
      (await bench.owned('POST', `/v1/steps/mail.${step}/run`, { accountId: shared, input })).body;
    const { items } = (await ask('find_email', { mailbox: team, query: 'subject:"To the team"' })).output;
    const messageId: string = items[0].id;
    const toBen = { subject: 'Of the team', toRecipients: [{ emailAddress: { address: 'ben@sandbox.test' } }] };
    const mail = { to: ['ben@sandbox.test'], subject: 'Of the team', body: 'Hi', mailbox: team };
    const raw = (endpoint: string, body: object) => ask('api_call', { method: 'POST', endpoint, body });
    const asked = [
      await ask('send_email', mail),
      await raw(`/users/${team}/sendMail`, { message: toBen }),
      await ask('reply', { messageId, body: 'Sure', replyAll: true, mailbox: team }),
      await raw(`/users/${team}/messages/${messageId}/replyAll`, { comment: 'Sure' }),
    ];
    for (const { approval, runId } of asked) {
      const { from, warnings } = approval.view;
      expect([from, warnings]).toEqual([{ address: team }, [`It is sent as ${team}.`]]);
      const before = bench.mail.world.outbox.length;
      await approve(approval);
      expect((await ended(runId)).error).toBeNull();
      const shown = approval.view.to.map(({ address }: { address: string }) => address);
      expect(bench.mail.world.outbox.slice(before)).toMatchObject([{ from: team, to: shown }]);
    }
  });

  test('an agent that sends by itself sends what was judged, or nothing', async () => {
    const steps = (subject: string) => [
      {
        key: 'send',
        step: 'mail.send_email',
        account: { id: accountId },
        input: { to: ['ben@sandbox.test'], subject, body: 'Hi' },
        permission: 'autopilot',
      },
    ];
    const play = async (subject: string) => {
      const { body: tool } = await bench.owned('POST', '/v1/tools', { name: subject, steps: steps(subject) });
      const tools = [{ toolId: tool.id, permission: 'autopilot' }];
      const agent = { name: subject, tools, runner: { type: 'tool', toolId: tool.id } };
      const { body } = await bench.owned('POST', '/v1/agents', agent);
      const started = await bench.owned('POST', `/v1/agents/${body.id}/runs`, { input: {} });
      return ended(started.body.runId);
    };
    expect([(await play('By itself')).status, left('By itself').length]).toEqual(['succeeded', 1]);
    meddle('Judged', toEve);
    const { status, error } = await play('Judged');
    expect([status, error.code, error.message]).toEqual(['failed', 'conflict', expect.stringContaining('(to)')]);
    expect(left('Judged')).toEqual([]);
  });

  test('a meeting that is changed after it was shown, if only in its files, is not mailed to anybody', async () => {
    const slot = { start: '2026-12-03T09:00:00Z', end: '2026-12-03T10:00:00Z' };
    const made = await run('create_event', { subject: 'Review', attendees: ['ben@sandbox.test'], ...slot });
    await approve(made.body.approval);
    const { output: event } = await ended(made.body.runId);
    const endpoint = `/me/events/${encodeURIComponent(event.id)}`;
    const forward = { comment: 'FYI', toRecipients: [{ emailAddress: { address: 'cy@sandbox.test' } }] };
    const mailbox = bench.mail.world.mailboxOf('ada@sandbox.test');
    const held = [...(mailbox?.calendar.events.values() ?? [])].find(({ subject }) => subject === 'Review');
    const token = bench.mail.tokenFor('ada@sandbox.test', 'Calendars.ReadWrite');
    await fetch(`${bench.mail.url}/v1.0${endpoint}/attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ '@odata.type': '#microsoft.graph.fileAttachment', name: 'pay.txt' },
        contentBytes: Buffer.from('pay').toString('base64'),
      }),
    });
    const { body } = await run('api_call', { method: 'POST', endpoint: `${endpoint}/forward`, body: forward });
    const opened = await bench.owned('GET', `/v1/approvals/${body.approval.id}/attachments/0`);
    expect([opened.status, opened.body]).toEqual([200, 'pay']);
    expect(body.approval.view).toMatchObject({
      subject: 'Review',
      to: [{ address: 'cy@sandbox.test' }],
      fields: { event: { subject: 'Review', invited: ['ben@sandbox.test'] } },
    });
    held?.attachments.pop();
    const before = bench.mail.world.outbox.length;
    await approve(body.approval);
    expect((await ended(body.runId)).error.code).toBe('approval_denied');

    // Somebody is invited in the very moment of the approved change.
    const change = await run('update_event', { eventId: event.id, location: 'Room 2' });
    const { faults } = bench.mail.control;
    const strike = faults.strike.bind(faults);
    vi.spyOn(faults, 'strike').mockImplementation((method, path) => {
      if (method === 'PATCH' && held !== undefined) held.version += 1;
      return strike(method, path);
    });
    await approve(change.body.approval);
    expect((await ended(change.body.runId)).error.code).toBe('conflict');
    expect(bench.mail.world.outbox.length).toBe(before);
  });
});
