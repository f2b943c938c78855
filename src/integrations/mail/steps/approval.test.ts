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
  await expect.poll(async () => (await read(runId)).finishedAt, { interval: 20, timeout: 25_000 }).not.toBeNull();
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

  test('a meeting that is changed after its change was shown is not mailed to those invited', async () => {
    const slot = { start: '2026-12-03T09:00:00Z', end: '2026-12-03T10:00:00Z' };
    const made = await run('create_event', { subject: 'Review', attendees: ['ben@sandbox.test'], ...slot });
    await approve(made.body.approval);
    const { output: event } = await ended(made.body.runId);
    const endpoint = `/me/events/${encodeURIComponent(event.id)}`;
    const forward = { comment: 'FYI', toRecipients: [{ emailAddress: { address: 'cy@sandbox.test' } }] };
    const { body } = await run('api_call', { method: 'POST', endpoint: `${endpoint}/forward`, body: forward });
    expect(body.approval.view).toMatchObject({
      subject: 'Review',
      to: [{ address: 'cy@sandbox.test' }, { address: 'ben@sandbox.test' }],
      fields: { event: { subject: 'Review', invited: ['ben@sandbox.test'] } },
    });
    const mailbox = bench.mail.world.mailboxOf('ada@sandbox.test');
    const held = [...(mailbox?.calendar.events.values() ?? [])].find(({ subject }) => subject === 'Review');
    if (held !== undefined) held.subject = 'Review of salaries';
    const before = bench.mail.world.outbox.length;
    await approve(body.approval);
    expect((await ended(body.runId)).error.code).toBe('approval_denied');
    expect(bench.mail.world.outbox.length).toBe(before);
  });
});
