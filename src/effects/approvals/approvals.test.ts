import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { defaultIntervals } from '#clock';
import { silentLog } from '#log';
import { openStore, type Store } from '#store';
import { type Answer, bootstrapKey, callerFor, type Workbench, workbench } from '#test';
import { showApprovals } from './shown.ts';

let bench: Workbench;
let accountId: string;
let boardId: string;
let store: Store;
let second: ReturnType<typeof callerFor>;

beforeAll(async () => {
  bench = await workbench({
    mail: true,
    config: { intervals: { ...defaultIntervals, writeDeadlineMs: 3_000, sweepMs: 500 } },
  });
  accountId = await bench.connectMail();
  boardId = await bench.connectBoard();
  second = callerFor((await bench.startProcess('all')).origin);
  store = openStore({ connectionString: bench.connectionString, max: 1, log: silentLog });
});
afterAll(async () => {
  await store.close();
  await bench[Symbol.asyncDispose]();
});

const mails = (subject: string) => bench.mail.world.outbox.filter((each) => each.subject === subject);
const writes = () =>
  bench.mail.control.log.list().filter(({ method, path }) => method !== 'GET' && path.startsWith('/v1.0/')).length;
const run = (step: string, input: object) => bench.owned('POST', `/v1/steps/${step}/run`, { accountId, input });
const ask = async (subject: string, over: object = {}) => {
  const { status, body } = await run('mail.send_email', { to: ['ben@sandbox.test'], subject, body: 'Hello', ...over });
  expect([status, body.status]).toEqual([202, 'waiting_approval']);
  return body as { runId: string; approval: Answer['body'] };
};
const decide = (approval: { id: string }, how: string, body: object = {}) =>
  bench.owned('POST', `/v1/approvals/${approval.id}/${how}`, body);
const approve = (approval: { id: string; digest: string }) => decide(approval, 'approve', { digest: approval.digest });
const read = async (runId: string) => (await bench.owned('GET', `/v1/runs/${runId}`)).body;
const ended = async (runId: string) => {
  await expect.poll(async () => (await read(runId)).finishedAt, { interval: 20 }).not.toBeNull();
  return read(runId);
};

test('what waits is shown exactly, nothing is written meanwhile, and once approved it leaves once', async () => {
  const file = await fetch(new URL('/v1/files?name=offer.txt', bench.origin), {
    method: 'POST',
    headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'text/plain' },
    body: 'twelve',
  });
  const { ref } = (await file.json()) as { ref: string };
  const before = writes();
  const { approval, runId } = await ask('Exactly', {
    to: ['Ben <ben@sandbox.test>'],
    cc: ['cy@sandbox.test'],
    bcc: ['eve@sandbox.test'],
    replyTo: ['desk@sandbox.test'],
    body: '<p>Hello <b>there</b></p>',
    bodyFormat: 'html',
    attachments: [ref],
  });
  expect(approval.view).toMatchObject({
    kind: 'mail',
    to: [{ name: 'Ben', address: 'ben@sandbox.test' }],
    cc: [{ address: 'cy@sandbox.test' }],
    bcc: [{ address: 'eve@sandbox.test' }],
    subject: 'Exactly',
    body: { text: 'Hello there', html: '<p>Hello <b>there</b></p>' },
    attachments: [{ name: 'offer.txt', size: 6, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  });
  expect(approval.view.warnings.join(' ')).toContain('desk@sandbox.test');
  expect(approval).toMatchObject({
    status: 'pending',
    account: { id: accountId },
    cause: { stepId: 'mail.send_email' },
  });
  expect([approval.request.path, approval.following.at(-1).path]).toEqual([
    '/me/messages',
    expect.stringMatching(/\/send$/),
  ]);
  expect((await read(runId)).status).toBe('waiting_approval');
  expect([writes(), mails('Exactly').length]).toEqual([before, 0]);
  const listed = await bench.owned('GET', '/v1/approvals?status=pending&limit=1');
  expect(listed.body.items[0]).toMatchObject({ id: approval.id, headline: { subject: 'Exactly', attachments: 1 } });

  expect((await approve(approval)).body).toMatchObject({ status: 'approved', digest: approval.digest });
  expect(await ended(runId)).toMatchObject({ status: 'succeeded', warnings: [] });
  expect((await approve(approval)).status).toBe(200);
  const [mail, ...more] = mails('Exactly');
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ to: ['ben@sandbox.test'], cc: ['cy@sandbox.test'], bcc: ['eve@sandbox.test'] });
  expect(JSON.stringify(mail)).toContain(`run_${runId.slice(-16)}-1`);
  const { body: audit } = await bench.owned('GET', '/v1/audit');
  const sends = audit.items.filter(
    ({ details }: Answer['body']) => details.runId === runId && details.effect === 'send',
  );
  expect(sends).toHaveLength(1);
  expect(sends[0].details).toMatchObject({ approvalId: approval.id, approvalDigest: approval.digest });
});

test('an answer is shown with whom the service addresses and what it quotes, and stays in its thread', async () => {
  const original = await fetch(`${bench.mail.url}/_control/deliver`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      to: 'ada@sandbox.test',
      from: 'zoe@example.com',
      cc: ['ben@sandbox.test'],
      subject: 'Plan',
      html: '<p>Original words</p>',
    }),
  });
  const { id } = (await original.json()) as { id: string };
  const { status, body } = await run('mail.reply', { messageId: id, body: 'Sure <3', replyAll: true });
  expect(status).toBe(202);
  expect(body.approval.view).toMatchObject({
    to: [{ address: 'zoe@example.com' }],
    cc: [{ address: 'ben@sandbox.test' }],
    subject: 'RE: Plan',
  });
  expect(body.approval.view.body.text).toMatch(/^Sure <3[\s\S]*Original words/);
  await approve(body.approval);
  expect(await ended(body.runId)).toMatchObject({ status: 'succeeded', warnings: [] });
  const [mail] = mails('RE: Plan');
  expect(mail).toMatchObject({ to: ['zoe@example.com'], cc: ['ben@sandbox.test'] });
});

test('an approved mail whose answer is lost is found, and its one record names what was approved', async () => {
  const { approval, runId } = await ask('Answer lost');
  bench.mail.control.faults.add({ match: { method: 'POST', path: '/send$' }, kind: 'accept_then', times: 1 });
  await approve(approval);
  expect((await ended(runId)).status).toBe('succeeded');
  expect([mails('Answer lost').length, bench.mail.control.faults.list()]).toEqual([1, []]);
  const { body: audit } = await bench.owned('GET', '/v1/audit');
  const ofRun = ({ details }: Answer['body']) => details.runId === runId && details.effect === 'send';
  expect(audit.items.filter(ofRun)).toMatchObject([
    {
      action: 'effect.sent',
      details: { found: true, approvalId: approval.id, approvalDigest: approval.digest, accountId },
    },
  ]);
});

test('a rejected send fails its run with the reason, and nothing was written', async () => {
  const before = writes();
  const { approval, runId } = await ask('Refused');
  expect((await decide(approval, 'reject', { reason: 'Wrong tone' })).body.status).toBe('rejected');
  const { status, error } = await ended(runId);
  expect([status, error.code, error.details.reason]).toEqual(['failed', 'approval_denied', 'Wrong tone']);
  expect((await approve(approval)).status).toBe(409);
  expect([writes(), mails('Refused').length]).toEqual([before, 0]);
  const { approval: another } = await ask('Refused without a word');
  const { body } = await decide(another, 'reject', { reason: ' ' });
  expect([body.status, body.reason]).toEqual(['rejected', null]);
});

test('after an edit the old digest approves nothing, and the new one sends what was edited', async () => {
  const { approval, runId } = await ask('Draft one');
  const changes = { subject: 'Edited', to: ['cy@sandbox.test'], body: 'Hello Cy' };
  const { body: edited } = await decide(approval, 'edit', { changes });
  expect(edited.digest).not.toBe(approval.digest);
  expect(edited.view).toMatchObject({
    subject: 'Edited',
    to: [{ address: 'cy@sandbox.test' }],
    body: { text: 'Hello Cy' },
  });
  const unknown = await decide(approval, 'edit', { changes: { nonsense: 1 } });
  expect([unknown.status, unknown.body.error?.message]).toEqual([400, expect.stringMatching(/saveToSent, mailbox\.$/)]);
  const rehearsed = await decide(approval, 'edit', { changes: { dryRun: true } });
  expect([rehearsed.status, rehearsed.body.error?.details.fields[0].field]).toEqual([400, 'changes.dryRun']);
  // Whoever says what they have edited does not write over what somebody else made of it meanwhile.
  const blind = await decide(approval, 'edit', { changes: { body: 'Hello Ben' }, digest: approval.digest });
  expect([blind.status, blind.body.error?.details.digest]).toEqual([409, edited.digest]);
  const same = await decide(approval, 'edit', { changes: { body: 'Hello Cy' }, digest: edited.digest });
  expect([same.status, same.body.digest]).toEqual([200, edited.digest]);
  expect([(await approve(approval)).status, mails('Draft one').length]).toEqual([409, 0]);
  expect((await approve(edited)).status).toBe(200);
  // Whoever asked learns that it was not what they wrote; both are written down.
  const run = await ended(runId);
  expect(run).toMatchObject({
    status: 'succeeded',
    input: { subject: 'Draft one' },
    warnings: ['A person changed “to”, “subject”, “body” before approving this.'],
  });
  const journal: { kind: string; data: unknown }[] = run.journal;
  expect(journal.filter(({ kind }) => kind === 'edited')).toMatchObject([{ data: { input: changes } }]);
  expect(mails('Edited')).toMatchObject([{ to: ['cy@sandbox.test'] }]);
  expect(mails('Draft one')).toEqual([]);
});

test('the journal of a tool tells what was asked for and what a person made of it', async () => {
  const send = { to: ['ben@sandbox.test'], subject: '{{inputs.subject}}', body: 'Hello' };
  const { body: tool } = await bench.owned('POST', '/v1/tools', {
    name: 'Write to Ben',
    inputs: [{ name: 'subject', type: 'string', required: true }],
    steps: [{ key: 'send', step: 'mail.send_email', account: { id: accountId }, input: send }],
  });
  const { body } = await bench.owned('POST', `/v1/tools/${tool.id}/run`, { input: { subject: 'As asked' } });
  const { body: edited } = await decide(body.approval, 'edit', { changes: { subject: 'As edited' } });
  await approve(edited);

  const journal: { kind: string; data: unknown }[] = (await ended(body.runId)).journal;
  expect(journal.filter(({ kind }) => kind === 'step')).toMatchObject([
    { data: { input: { subject: 'As asked' }, edited: { subject: 'As edited' } } },
  ]);
});

describe('an edit that takes its time', () => {
  /** An answer that waits, and an edit of it that has begun and cannot end before the service has told what is answered. */
  const editing = async (subject: string) => {
    const original = await fetch(`${bench.mail.url}/_control/deliver`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ to: 'ada@sandbox.test', from: 'zoe@example.com', subject, html: '<p>When?</p>' }),
    });
    const { id } = (await original.json()) as { id: string };
    const { body: asked } = await run('mail.reply', { messageId: id, body: 'On Monday' });
    const { faults } = bench.mail.control;
    faults.add({ match: { method: 'GET', path: '/v1.0/me/messages/' }, kind: 'latency', ms: 1_000, times: 1 });
    const edit = decide(asked.approval, 'edit', { changes: { body: 'Never' } });
    await expect.poll(() => faults.list(), { interval: 10 }).toEqual([]);
    return { ...(asked as { runId: string; approval: Answer['body'] }), edit };
  };

  test('changes nothing that was approved meanwhile', async () => {
    const { approval, runId, edit } = await editing('Approved first');
    expect((await approve(approval)).status).toBe(200);
    expect((await edit).body.error).toMatchObject({ code: 'conflict', details: { status: 'approved' } });
    expect(await ended(runId)).toMatchObject({ status: 'succeeded', warnings: [] });
    expect((await bench.owned('GET', `/v1/approvals/${approval.id}`)).body.digest).toBe(approval.digest);
    const left = mails('RE: Approved first');
    expect([left.length, JSON.stringify(left).includes('On Monday')]).toEqual([1, true]);
  });

  test('does not write over what somebody else made of it meanwhile', async () => {
    const { approval, runId, edit } = await editing('Edited first');
    const { body: first } = await decide(approval, 'edit', { changes: { body: 'On Tuesday' } });
    expect((await edit).body.error).toMatchObject({
      code: 'conflict',
      details: { status: 'pending', digest: first.digest },
    });
    await approve(first);
    await ended(runId);
    const left = mails('RE: Edited first');
    expect([left.length, JSON.stringify(left).includes('On Tuesday')]).toEqual([1, true]);
  });
});

test('a draft that is changed after it was shown is not sent, and the approval is void', async () => {
  const made = await run('mail.create_draft', { to: ['ben@sandbox.test'], subject: 'Harmless', body: 'Hi' });
  const id = made.body.output.messageId ?? made.body.output.id;
  const { body } = await run('mail.send_draft', { draftId: id });
  expect(body.approval.view).toMatchObject({ subject: 'Harmless', to: [{ address: 'ben@sandbox.test' }] });
  const endpoint = `/me/messages/${encodeURIComponent(id)}`;
  const change = { toRecipients: [{ emailAddress: { address: 'eve@sandbox.test' } }] };
  await run('mail.api_call', { method: 'PATCH', endpoint, body: change });
  await approve(body.approval);
  expect((await ended(body.runId)).error.code).toBe('approval_denied');
  expect((await bench.owned('GET', `/v1/approvals/${body.approval.id}`)).body.status).toBe('void');
  expect(mails('Harmless')).toEqual([]);
});

test('another digest, an expired one and a key without the right decide nothing', async () => {
  const { approval, runId } = await ask('Late');
  expect((await decide(approval, 'approve', { digest: '0'.repeat(64) })).status).toBe(409);
  const { body: key } = await bench.owned('POST', '/v1/api-keys', { name: 'all but that', scopes: ['admin', 'run'] });
  const tried = await bench.call('POST', `/v1/approvals/${approval.id}/approve`, {
    key: key.key,
    body: { digest: approval.digest },
  });
  expect(tried.status).toBe(403);
  const past = new Date(Date.now() - 1_000);
  await store.system.updateTable('approvals').set({ expires_at: past }).where('id', '=', approval.id).execute();
  for (const late of [
    decide(approval, 'edit', { changes: { subject: 'Later' } }),
    approve(approval),
    decide(approval, 'reject'),
  ]) {
    const { status: refused, body } = await late;
    expect([refused, body.error?.message]).toEqual([409, 'This is expired; there is nothing left to decide.']);
  }
  const { status, error } = await ended(runId);
  expect([status, error.code, mails('Late').length]).toEqual(['failed', 'approval_denied', 0]);
  expect((await bench.owned('GET', `/v1/approvals/${approval.id}`)).body.status).toBe('expired');
});

test('what could not leave now is not approved, and leaves once it can', async () => {
  const { approval, runId } = await ask('By a paused account');
  for (const [state, code] of [
    ['paused', 'conflict'],
    ['needs_reconnect', 'reconnect_needed'],
  ]) {
    await sql`update accounts set state = ${state} where id = ${accountId}`.execute(store.system);
    const { status, body } = await approve(approval);
    expect([status, body.error.code, body.error.message]).toEqual([409, code, expect.stringContaining('then approve')]);
    expect((await bench.owned('GET', `/v1/approvals/${approval.id}`)).body.status).toBe('pending');
  }
  await sql`update accounts set state = 'connected' where id = ${accountId}`.execute(store.system);
  expect((await approve(approval)).status).toBe(200);
  expect([(await ended(runId)).status, mails('By a paused account').length]).toEqual(['succeeded', 1]);
});

test('approved during an emergency stop, it stays approved and leaves once when the workspace goes on', async () => {
  const { approval, runId } = await ask('Stopped');
  await bench.owned('POST', '/v1/stop');
  expect((await approve(approval)).body.status).toBe('approved');
  await expect.poll(async () => (await read(runId)).status, { interval: 20 }).toBe('queued');
  expect(mails('Stopped')).toEqual([]);
  await bench.owned('POST', '/v1/resume');
  expect((await ended(runId)).status).toBe('succeeded');
  expect(mails('Stopped')).toHaveLength(1);
});

describe('one decision, one effect', () => {
  test('twenty approvals at once, in two processes', async () => {
    const { approval, runId } = await ask('Twenty');
    const body = { digest: approval.digest };
    const place = `/v1/approvals/${approval.id}/approve`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? bench.call : second)('POST', place, { key: bootstrapKey, body })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await ended(runId)).status).toBe('succeeded');
    expect(mails('Twenty')).toHaveLength(1);
  });

  test('thirty races of approval against rejection: as many mails as approvals that won', async () => {
    const races = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const { approval, runId } = await ask('Raced');
        const key = bootstrapKey;
        const [yes, no] = await Promise.all([
          bench.call('POST', `/v1/approvals/${approval.id}/approve`, { key, body: { digest: approval.digest } }),
          second('POST', `/v1/approvals/${approval.id}/reject`, { key, body: {} }),
        ]);
        expect([yes.status, no.status].sort()).toEqual([200, 409]);
        return { won: yes.status === 200, status: (await ended(runId)).status };
      }),
    );
    const won = races.filter(({ won }) => won);
    expect(won.every(({ status }) => status === 'succeeded')).toBe(true);
    expect(mails('Raced')).toHaveLength(won.length);
  });
});

test('a tool waits at its step and goes on with what came before', async () => {
  const steps = [
    { key: 'look', step: 'mail.find_email', account: { id: accountId }, input: { limit: 1 } },
    {
      key: 'send',
      step: 'mail.send_email',
      account: { id: accountId },
      input: { to: ['ben@sandbox.test'], subject: 'By a tool', body: 'Hi' },
    },
  ];
  const { body: tool } = await bench.owned('POST', '/v1/tools', { name: 'Writer', steps });
  const { status, body } = await bench.owned('POST', `/v1/tools/${tool.id}/run`, { input: {} });
  expect([status, body.status, body.approval.cause.toolId]).toEqual([202, 'waiting_approval', tool.id]);
  await approve(body.approval);
  const { journal, output } = await ended(body.runId);
  expect(output.to).toEqual(['ben@sandbox.test']);
  expect(journal.filter(({ kind }: Answer['body']) => kind === 'step')).toHaveLength(2);
  expect(mails('By a tool')).toHaveLength(1);
});

describe('no side door', () => {
  const to = [{ emailAddress: { address: 'ben@sandbox.test' } }];
  const message = { subject: 'Side door', body: { contentType: 'text', content: 'x' }, toRecipients: to };
  const part = (url: string, body: object = {}) => ({
    requests: [{ id: '1', method: 'POST', url, headers: { 'Content-Type': 'application/json' }, body }],
  });
  const when = (hour: string) => ({ dateTime: `2026-12-01T${hour}:00:00`, timeZone: 'UTC' });
  const event = { subject: 'Side door', start: when('09'), end: when('10'), attendees: to };
  const call = (method: string, endpoint: string, body?: unknown) =>
    ['mail.api_call', { method, endpoint, body }] as const;
  const board = (method: string, endpoint: string, query: object) =>
    ['board.api_call', { method, endpoint, query }] as const;

  const invited = async (subject: string, attendees: string[], recurrence?: string) => {
    const input = { subject, start: '2026-12-03T09:00:00Z', end: '2026-12-03T10:00:00Z', attendees, recurrence };
    const given = { accountId, input, permission: 'autopilot' };
    return (await bench.owned('POST', '/v1/steps/mail.create_event/run', given)).body.output as { id: string };
  };

  /** Over MCP, with a key that may let things leave elsewhere. */
  const overMcp = async (key: string, step: string, given: object): Promise<Answer['body']> => {
    const params = { name: step.replace('.', '_'), arguments: given };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const headers = { accept: 'application/json, text/event-stream' };
    const { body: said } = await bench.call('POST', '/mcp', { key, headers, body });
    return JSON.parse(/^data: (.+)$/m.exec(said)?.[1] ?? '{}').result;
  };

  test('of more than thirty ways to make something leave none opens without a person, over HTTP or MCP', async () => {
    const draft = (await run('mail.create_draft', { to: ['ben@sandbox.test'], subject: 'Side door', body: 'x' })).body
      .output;
    const own = (
      await run('mail.create_event', { subject: 'Own', start: '2026-12-02T09:00:00Z', end: '2026-12-02T10:00:00Z' })
    ).body.output;
    const shared = await invited('Shared', ['ben@sandbox.test']);
    const series = await invited('Series', [], 'FREQ=DAILY;COUNT=2');
    const { items } = (await run('mail.find_email', { limit: 1 })).body.output;
    const [m, d, e] = [items[0].id, draft.messageId ?? draft.id, own.id].map((id) => encodeURIComponent(id));
    const ways = [
      ['mail.send_email', { to: ['ben@sandbox.test'], subject: 'Side door', body: 'x' }],
      ['mail.send_email', { to: ['ben@sandbox.test'], subject: 'Side door', body: 'x', saveToSent: false }],
      ['mail.reply', { messageId: items[0].id, body: 'x' }],
      ['mail.reply', { messageId: items[0].id, body: 'x', replyAll: true }],
      ['mail.forward', { messageId: items[0].id, to: ['ben@sandbox.test'] }],
      ['mail.send_draft', { draftId: draft.messageId ?? draft.id }],
      [
        'mail.create_event',
        {
          subject: 'Side door',
          start: '2026-12-02T09:00:00Z',
          end: '2026-12-02T10:00:00Z',
          attendees: ['ben@sandbox.test'],
        },
      ],
      ['mail.update_event', { eventId: shared.id, subject: 'Side door' }],
      ['mail.update_event', { eventId: own.id, attendees: ['ben@sandbox.test'] }],
      ['mail.update_event', { eventId: series.id, subject: 'Side door' }],
      ['mail.delete_event', { eventId: shared.id }],
      ['mail.delete_event', { eventId: series.id }],
      call('POST', '/me/sendMail', { message }),
      call('POST', "/users('ada@sandbox.test')/microsoft.graph.sendMail", { message }),
      call('POST', `/me/messages/${m}/reply`, { comment: 'x' }),
      call('POST', `/me/messages/${m}/replyAll`, { comment: 'x' }),
      call('POST', `/me/messages/${m}/forward`, { comment: 'x', toRecipients: to }),
      call('POST', `/me/messages/${d}/send`),
      call('POST', `/me/mailFolders/drafts/messages/${d}/send`),
      call('POST', `/me/messages/${d}/move`, { destinationId: 'outbox' }),
      call('POST', '/$batch', part('/me/sendMail', { message })),
      call('POST', '/$batch', part(`/me/messages/${d}/send`)),
      call('POST', '/me/events', event),
      call('PATCH', `/me/events/${e}`, { attendees: to }),
      call('PATCH', `/me/events/${e}`, { subject: 'Side door' }),
      call('DELETE', `/me/events/${e}`),
      call('POST', `/me/events/${e}/cancel`, {}),
      call('POST', `/me/events/${e}/accept`, {}),
      call('POST', `/me/events/${e}/forward`, { toRecipients: to }),
      call('POST', '/me/mailFolders/inbox/messageRules', { displayName: 'x', actions: { forwardTo: to } }),
      call('PATCH', '/me/mailboxSettings', { automaticRepliesSetting: { status: 'alwaysEnabled' } }),
      call('POST', '/subscriptions', { changeType: 'created', resource: '/me/messages' }),
      call('POST', '/me/calendar/calendarPermissions', { emailAddress: to[0]?.emailAddress, role: 'read' }),
      call('POST', '/me/somethingNew', {}),
      board('PUT', '/1/boards/x/members', { email: 'eve@sandbox.test' }),
      board('POST', '/1/webhooks', { callbackURL: 'http://127.0.0.1:1/', idModel: 'x' }),
      board('PUT', '/1/boards/x/prefs/permissionLevel', { value: 'public' }),
    ] as const;
    const sent = bench.mail.world.outbox.length;
    const before = writes();
    const plain = (await bench.owned('POST', '/v1/api-keys', { name: 'plain', scopes: ['run'] })).body.key;
    for (const [step, input] of ways) {
      const account = step.startsWith('board') ? boardId : accountId;
      const { status, body } = await bench.call('POST', `/v1/steps/${step}/run`, {
        key: plain,
        // Which does not count for a key without that right.
        body: { accountId: account, input, permission: 'autopilot' },
      });
      expect([step, JSON.stringify(input), status, body.error?.message]).toEqual([
        step,
        JSON.stringify(input),
        202,
        undefined,
      ]);
    }
    expect(ways.length).toBeGreaterThan(30);
    expect([bench.mail.world.outbox.length, writes()]).toEqual([sent, before]);
    const scopes = ['run', 'sends:autopilot'];
    const { key } = (await bench.owned('POST', '/v1/api-keys', { name: 'over MCP', scopes })).body;
    for (const [step, input] of ways) {
      const account = step.startsWith('board') ? boardId : accountId;
      const result = await overMcp(key, step, { ...input, accountId: account });
      expect([step, JSON.stringify(input), result?.structuredContent?.status]).toEqual([
        step,
        JSON.stringify(input),
        'waiting_approval',
      ]);
    }
    expect([bench.mail.world.outbox.length, writes()]).toEqual([sent, before]);
  });
});

test('an event to which nobody is invited is changed and deleted without asking, because nobody is told', async () => {
  const at = { start: '2026-12-04T09:00:00Z', end: '2026-12-04T10:00:00Z' };
  const { id: eventId } = (await run('mail.create_event', { subject: 'Dentist', ...at })).body.output;
  const sent = bench.mail.world.outbox.length;

  const tried = await bench.owned('POST', '/v1/steps/mail.delete_event/run', {
    accountId,
    input: { eventId },
    dryRun: true,
  });
  expect([tried.body.effect, tried.body.view]).toEqual(['destroy', undefined]);
  const changed = await run('mail.update_event', { eventId, subject: 'Dentist, later', location: null, attendees: [] });
  expect([changed.status, changed.body.output?.subject]).toEqual([200, 'Dentist, later']);
  expect((await run('mail.delete_event', { eventId })).body.output).toMatchObject({ deleted: true });

  expect(bench.mail.world.outbox).toHaveLength(sent);
  const effects = await store.system.selectFrom('effects').select(['effect', 'method']).execute();
  expect(effects).toEqual(expect.arrayContaining([{ effect: 'destroy', method: 'DELETE' }]));
});

test.each([
  ['changed', 'mail.update_event', 'PATCH', { subject: 'For all to see' }],
  ['deleted', 'mail.delete_event', 'DELETE', {}],
])(
  'an event to which somebody is invited in the moment before it is %s stays as it is',
  async (_, step, method, change) => {
    const at = { start: '2026-12-06T09:00:00Z', end: '2026-12-06T10:00:00Z' };
    const { id: eventId } = (await run('mail.create_event', { subject: `Alone ${method}`, ...at })).body.output;
    const { world, control } = bench.mail;
    const events = [...(world.mailboxOf('ada@sandbox.test')?.calendar.events.values() ?? [])];
    const event = events.find(({ subject }) => subject === `Alone ${method}`);
    const sent = world.outbox.length;
    const strike = vi.spyOn(control.faults, 'strike').mockImplementation((asked) => {
      if (asked !== method || event === undefined) return undefined;
      const status = { response: 'none', time: at.start } as const;
      event.attendees = [{ type: 'required', emailAddress: { name: 'Ben', address: 'ben@sandbox.test' }, status }];
      event.version += 1;
      return undefined;
    });
    try {
      expect((await run(step, { eventId, ...change })).body.error).toMatchObject({ code: 'conflict' });
    } finally {
      strike.mockRestore();
    }

    expect(world.outbox).toHaveLength(sent);
    expect((await run('mail.update_event', { eventId, categories: ['Red'] })).body.output.subject).toBe(
      `Alone ${method}`,
    );
  },
);

test('as whom something would be done on a board is told by the user name, however the account is called here', async () => {
  await bench.owned('PATCH', `/v1/accounts/${boardId}`, { name: 'Desk' });
  const endpoint = `/1/boards/${'f'.repeat(24)}/members?email=cy@sandbox.test`;
  const given = { accountId: boardId, input: { method: 'PUT', endpoint } };
  const { approval } = (await bench.owned('POST', '/v1/steps/board.api_call/run', given)).body;
  expect(approval.account).toEqual({ id: boardId, name: 'Desk', integration: 'board', username: 'ada' });
  await decide(approval, 'reject', {});
});

test('of a request that is shown as it is, and of a place, signs that mislead are warned of', async () => {
  const invite = { method: 'PUT', endpoint: `/1/boards/${'f'.repeat(24)}/members?email=cy@s\u0430ndbox.test` };
  const board = { accountId: boardId, input: { ...invite, body: { fullName: 'Cy \u202eyC' } } };
  const at = { start: '2026-12-02T09:00:00Z', end: '2026-12-02T10:00:00Z' };
  const meeting = { ...at, subject: 'Odd', attendees: ['ben@sandbox.test'], location: 'Room \u202e21' };
  const hides = 'The text has characters that are not seen.';
  const asked = [
    (await bench.owned('POST', '/v1/steps/board.api_call/run', board)).body.approval,
    (await run('mail.create_event', meeting)).body.approval,
  ];
  expect(asked.map(({ view }) => view.warnings)).toEqual([
    [expect.stringContaining('s\\u{430}ndbox.test'), hides],
    [hides],
  ]);
  await Promise.all(asked.map((each) => decide(each, 'reject', {})));
});

test('a change that a person refused does not happen, although nobody is invited any more', async () => {
  const input = { subject: 'Talk', start: '2026-12-05T09:00:00Z', end: '2026-12-05T10:00:00Z' };
  const given = { accountId, input: { ...input, attendees: ['ben@sandbox.test'] }, permission: 'autopilot' };
  const { id: eventId } = (await bench.owned('POST', '/v1/steps/mail.create_event/run', given)).body.output;
  const { body: waiting } = await run('mail.update_event', { eventId, subject: 'Refused' });
  const alone = { accountId, input: { eventId, attendees: [] }, permission: 'autopilot' };
  await bench.owned('POST', '/v1/steps/mail.update_event/run', alone);

  await decide(waiting.approval, 'reject', { reason: 'No' });

  expect(await ended(waiting.runId)).toMatchObject({ status: 'failed', error: { code: 'approval_denied' } });
  expect((await run('mail.update_event', { eventId, categories: [] })).body.output.subject).toBe('Talk');
});

test('what waits is listed by agent and account, what expires soonest first', async () => {
  const asked = [await ask('Soon'), await ask('Later'), await ask('At last'), await ask('Of another')];
  const [soon, later, last, other] = asked.map(({ approval }) => approval.id);
  const agent = 'agt_0000000000000000000000wait';
  await sql`update approvals set cause = (cause::jsonb || jsonb_build_object('agentId', ${agent}::text))::json,
    expires_at = date_trunc('second', now()) + case id when ${soon} then interval '1 hour' else interval '2 hours' end
    where id in (${soon}, ${later}, ${last})`.execute(store.system);
  const list = (query: string) => bench.owned('GET', `/v1/approvals?${query}`);
  const ids = ({ body }: Answer) => body.items.map(({ id }: Answer['body']) => id);

  expect(ids(await list(`agentId=${agent}`))).toEqual([last, later, soon]);
  expect(ids(await list(`agentId=${agent}&accountId=${boardId}`))).toEqual([]);
  expect(ids(await list(`accountId=${accountId}&limit=2`))).toEqual([other, last]);
  const expiring = `status=pending&order=expiring&accountId=${accountId}&limit=1`;
  const seen: string[] = [];
  let cursor = '';
  for (let page = 0; page < 3; page += 1) {
    const found = await list(expiring + cursor);
    seen.push(...ids(found));
    cursor = `&cursor=${found.body.nextCursor}`;
  }
  expect(seen).toEqual([soon, later, last]);
  const refused = [`agentId=${agent}${cursor}`, `${expiring}&cursor=${Buffer.from(soon).toString('base64url')}`];
  for (const query of [...refused, 'order=expiring']) expect((await list(query)).status).toBe(400);
  await Promise.all(asked.map(({ approval }) => decide(approval, 'reject')));
});

test('what waits is found by words of its subject and by whom it would reach, in either order and page by page', async () => {
  // An emoji in the very place where the subject is cut for lists.
  const cut = `${'Long '.repeat(60).slice(0, 299)}😀 quarterly figures`;
  const many = Array.from({ length: 30 }, (_, at) => `guest-${at}@example.com`);
  const asked = [
    await ask('Invoice 1, first reminder', { to: ['luis@example.com'] }),
    await ask('Invoice 2, first reminder', { to: ['mia@example.com'], cc: ['Luis Ortega <luis.o@example.org>'] }),
    await ask('Party', { to: many }),
    await ask(cut),
  ];
  const [first, second, party, long] = asked.map(({ approval }) => approval.id);
  const found = async (query: string, others = '') => {
    const words = encodeURIComponent(query);
    const { body } = await bench.owned('GET', `/v1/approvals?status=pending&query=${words}${others}`);
    return [body.items.map(({ id }: Answer['body']) => id), body.nextCursor];
  };

  expect(await found('REMINDER  invoice')).toEqual([[second, first], undefined]);
  expect(await found('luis reminder', '&order=expiring')).toEqual([[first, second], undefined]);
  expect(await found('ortega')).toEqual([[second], undefined]);
  expect(await found('guest-27@example')).toEqual([[party], undefined]);
  expect(await found('quarterly figures')).toEqual([[long], undefined]);
  expect(await found('invoice party')).toEqual([[], undefined]);
  // Nor by what only the stored form says.
  for (const word of ['address', '%', 'recipients']) expect(await found(word)).toEqual([[], undefined]);
  for (const [order, ids] of [
    ['', [second, first]],
    ['&order=expiring', [first, second]],
  ] as const) {
    const [shown, cursor] = await found('invoice', `${order}&limit=1`);
    const rest = await found('invoice', `${order}&limit=1&cursor=${cursor}`);
    expect([shown, rest]).toEqual([[ids[0]], [[ids[1]], undefined]]);
  }
  // Among so many that each page is a part of the way.
  const { list } = showApprovals(store, { stretch: 1, patienceMs: 0 });
  const workspaceId = (await bench.owned('GET', '/v1/workspace')).body.id;
  for (const order of ['newest', 'expiring'] as const) {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(workspaceId, { status: 'pending', order, query: 'invoice' }, { limit: 5, cursor });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(order === 'newest' ? [second, first] : [first, second]);
  }
  await Promise.all(asked.map(({ approval }) => decide(approval, 'reject')));
});

test('an account that is disconnected takes its pending approvals along', async () => {
  const { approval: first, runId } = await ask('Went');
  const edit = () =>
    bench.call('POST', `/v1/approvals/${first.id}/edit`, {
      key: bootstrapKey,
      body: { changes: { subject: 'Gone' } },
      headers: { 'idempotency-key': 'edited once' },
    });
  const { body: approval } = await edit();
  const again = await edit();
  expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([approval, 'true']);
  const message = { subject: 'Gone', toRecipients: [{ emailAddress: { address: 'ben@sandbox.test' } }] };
  const { body: raw } = await run('mail.api_call', { method: 'POST', endpoint: '/me/sendMail', body: { message } });
  expect((await bench.owned('DELETE', `/v1/accounts/${accountId}`)).status).toBe(204);
  expect((await bench.owned('GET', `/v1/approvals/${approval.id}`)).body).toMatchObject({
    status: 'void',
    reason: 'The account was disconnected.',
  });
  expect((await approve(approval)).status).toBe(409);
  // Nor is it in the answer that is kept for its key.
  const late = await edit();
  expect([late.status, late.body.id, late.body.status]).toEqual([200, approval.id, 'void']);
  expect(JSON.stringify(late.body)).not.toMatch(/ben@|Hello|Gone/);
  for (const id of [runId, raw.runId]) {
    const { code, message: told } = (await ended(id)).error;
    expect([code, told]).toEqual(['approval_denied', expect.stringContaining('The account was disconnected')]);
  }
  expect(mails('Gone')).toEqual([]);
  // What was asked for, also long ago, is not kept.
  const rows = await store.system.selectFrom('approvals').selectAll().where('account_id', '=', accountId).execute();
  const left = rows.map(({ input, requests, view, headline }) => JSON.stringify([input, requests, view, headline]));
  expect(left.length).toBeGreaterThan(5);
  for (const each of left) expect(each).not.toMatch(/sandbox\.test|Hello|Gone/);
  expect((await bench.owned('GET', '/v1/approvals?limit=100')).status).toBe(200);
});
