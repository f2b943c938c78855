import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultIntervals } from '#clock';
import { silentLog } from '#log';
import { openStore, type Store } from '#store';
import { type Answer, type Workbench, workbench } from '#test';

let bench: Workbench;
let accountId: string;
let store: Store;
beforeAll(async () => {
  bench = await workbench({
    mail: true,
    config: { intervals: { ...defaultIntervals, writeDeadlineMs: 2_000, takeoverMs: 100 } },
  });
  accountId = await bench.connectMail();
  store = openStore({ connectionString: bench.connectionString, max: 1, log: silentLog });
});
afterAll(async () => {
  await store.close();
  await bench[Symbol.asyncDispose]();
});

const mails = (subject: string) => bench.mail.world.outbox.filter((each) => each.subject === subject);
const run = async (step: string, input: object) =>
  (await bench.owned('POST', `/v1/steps/${step}/run`, { accountId, input })).body as {
    runId: string;
    approval: Answer['body'];
  };
const approve = ({ id, digest }: { id: string; digest: string }) =>
  bench.owned('POST', `/v1/approvals/${id}/approve`, { digest });
const approvalOf = async (id: string) => (await bench.owned('GET', `/v1/approvals/${id}`)).body;
const read = async (runId: string) => (await bench.owned('GET', `/v1/runs/${runId}`)).body;
const ended = async (runId: string) => {
  await expect.poll(async () => (await read(runId)).finishedAt, { interval: 20 }).not.toBeNull();
  return read(runId);
};

const deliver = async (subject: string): Promise<string> => {
  const answer = await fetch(`${bench.mail.url}/_control/deliver`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject, body: 'Well?' }),
  });
  return ((await answer.json()) as { id: string }).id;
};

/** As if its process had ended between the send and the record of it. */
const interruptAfterSend = async (runId: string): Promise<void> => {
  await sql`update effects set state = 'intended', answer = null, finished_at = null, upstream_id = null
    where run_id = ${runId} and effect = 'send'`.execute(store.system);
  await sql`update runs set status = 'running', finished_at = null, output = null, error = null, attempts = 1,
    lease_owner = 'somebody who is gone', lease_until = clock_timestamp() - interval '1 second'
    where id = ${runId}`.execute(store.system);
};
const effects = async (runId: string) =>
  (
    await sql<{ state: string }>`select state from effects where run_id = ${runId} order by ordinal`.execute(
      store.system,
    )
  ).rows.map(({ state }) => state);

test('an answer that left before its run was interrupted is told as sent, although the mail it answers is gone', async () => {
  const id = await deliver('Still there?');
  const { runId, approval } = await run('mail.reply', { messageId: id, body: 'Yes.' });
  await approve(approval);
  expect((await ended(runId)).status).toBe('succeeded');
  const states = await effects(runId);
  const { messages } = bench.mail.world.mailboxOf('ada@sandbox.test') ?? { messages: new Map() };
  for (const [key, { subject }] of messages) if (subject === 'Still there?') messages.delete(key);
  await interruptAfterSend(runId);

  const { status, error } = await ended(runId);

  expect(mails('RE: Still there?')).toHaveLength(1);
  expect([status, error, await effects(runId)]).toEqual(['succeeded', null, states]);
  expect((await approvalOf(approval.id)).status).toBe('approved');
});

/** As if another edition had asked, which composed the same otherwise. */
const composedOtherwise = async ({ id }: { id: string }) => {
  const digest = 'ab'.repeat(32);
  await sql`update approvals set digest = decode(${digest}, 'hex'), composed_by = 'another' where id = ${id}`.execute(
    store.system,
  );
  return { id, digest };
};

test.each([
  ['a mail', 'mail.send_email', { to: ['ben@sandbox.test'], body: 'Hello' }],
  ['a raw call', 'mail.api_call', undefined],
])('%s that a newer edition composes otherwise is asked about again, and leaves once', async (_, step, given) => {
  const subject = `After the update: ${step}`;
  const message = { subject, toRecipients: [{ emailAddress: { address: 'ben@sandbox.test' } }] };
  const raw = { method: 'POST', endpoint: '/me/sendMail', body: { message } };
  const { runId, approval } = await run(step, given === undefined ? raw : { ...given, subject });
  const older = await composedOtherwise(approval);
  expect((await approve(older)).status).toBe(200);

  await expect.poll(async () => (await approvalOf(approval.id)).status).toBe('pending');
  const again = await approvalOf(approval.id);
  expect(again).toMatchObject({ digest: approval.digest, decidedAt: null, decidedBy: null, reason: null });
  expect(again.cause.why).toContain('was updated');
  expect([(await read(runId)).status, mails(subject).length]).toEqual(['waiting_approval', 0]);
  expect((await approve(older)).status).toBe(409);

  expect((await approve(again)).status).toBe(200);
  expect((await ended(runId)).status).toBe('succeeded');
  expect(mails(subject)).toHaveLength(1);
  const { body } = await bench.owned('GET', '/v1/audit');
  const about = body.items.filter(({ target }: Answer['body']) => target === approval.id);
  expect(about.map(({ action }: Answer['body']) => action).toReversed()).toEqual([
    'approval.approved',
    'approval.asked_again',
    'approval.approved',
  ]);
});
