import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Clock } from '#clock';
import type { SendView } from '#kit';
import type { Actor, Store } from '#store';
import { freshStore } from '../../../test/fresh-store.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import { createApprovalRecords } from './records.ts';

let opened: Awaited<ReturnType<typeof freshStore>>;
let store: Store;
let approvals: Approvals;
let now: Date;
/** What happens while an edit is composed. */
let meanwhile: () => Promise<unknown>;
const queued: string[] = [];
const clock = { now: () => now } as unknown as Clock;
const actor: Actor = { kind: 'member', id: 'mem_1', name: 'Ada' };
const digestOf = (id: string) => Buffer.from(id.padEnd(32)).toString('hex');
const which = (id: string) => ({ workspaceId: 'wsp_1', id, actor });
const view = {
  kind: 'mail',
  to: [],
  cc: [],
  bcc: [],
  attachments: [],
  warnings: [],
  fields: {},
} as unknown as SendView;

beforeAll(async () => {
  opened = await freshStore();
  store = opened.store;
  await sql`insert into workspaces values ('wsp_1', 'Home', now())`.execute(store.system);
  approvals = createApprovals({
    store,
    clock,
    intervals: { leaseMs: 1_000 },
    queue: async (_, { runId }) => void queued.push(runId),
    recompose: async ({ account_id: accountId }) => {
      await meanwhile();
      return { input: {}, requests: [], view, digest: Buffer.from('edited'.padEnd(32)), composedBy: 'test', accountId };
    },
    openEnclosed: async () => ({ name: 'file', read: async () => {} }),
  });
});
afterAll(() => opened[Symbol.asyncDispose]());

/** Each waits with a run of its own; the first two for one account. */
beforeEach(async () => {
  now = new Date();
  meanwhile = async () => {};
  queued.length = 0;
  for (const table of ['approvals', 'effects', 'runs', 'accounts', 'audit']) {
    await sql`delete from ${sql.table(table)}`.execute(store.system);
  }
  await sql`insert into accounts (id, workspace_id, kind, integration, name, identity, identity_id, state, auth_method,
      permission_types, scopes, credential, created_at)
    select id, 'wsp_1', 'account', 'mail', id, '{}', id, 'connected', 'oauth2', '{}', '{}', '', now()
    from unnest(array['acc_1', 'acc_2']) id`.execute(store.system);
  await sql`insert into runs (id, workspace_id, status, started_by, input, may_send, created_at)
    select 'run_' || n, 'wsp_1', 'waiting_approval', '{}', '{}', false, now() from generate_series(1, 3) n`.execute(
    store.system,
  );
  await sql`insert into approvals (id, workspace_id, run_id, ordinal, account_id, step_id, effect, input, requests, view,
      headline, digest, composed_by, cause, expires_at, status, composed_at, created_at)
    select 'apr_' || n, 'wsp_1', 'run_' || n, 1, case n when 3 then 'acc_2' else 'acc_1' end, 'mail.send_email', 'send',
      '{}', '[{"method":"POST","path":"/me/sendMail"}]', ${JSON.stringify(view)}, '{}',
      convert_to(rpad('apr_' || n, 32), 'utf8'), 'test', '{}', ${new Date(now.getTime() + 60_000)}, 'pending', now(), now()
    from generate_series(1, 3) n`.execute(store.system);
});

const states = async () => {
  const { rows } = await sql<{ status: string }>`select status from approvals order by id`.execute(store.system);
  return rows.map(({ status }) => status);
};
const runs = async () => {
  const { rows } = await sql<{ status: string }>`select status from runs order by id`.execute(store.system);
  return rows.map(({ status }) => status);
};
const audited = async () => {
  const { rows } = await sql<{ told: string }>`select action || ' ' || target as told from audit order by 1`.execute(
    store.system,
  );
  return rows.map(({ told }) => told);
};
const waits = 'waiting_approval';

test('exactly what was shown is approved, once, and its run alone goes on', async () => {
  await expect(approvals.approve(which('apr_1'), digestOf('apr_2'))).rejects.toMatchObject({ code: 'conflict' });
  expect([await states(), queued]).toEqual([['pending', 'pending', 'pending'], []]);
  for (const _ of ['once', 'and again']) {
    expect(await approvals.approve(which('apr_1'), digestOf('apr_1'))).toMatchObject({ status: 'approved' });
  }
  await expect(approvals.approve(which('apr_1'), digestOf('apr_2'))).rejects.toMatchObject({ code: 'conflict' });
  await expect(approvals.reject(which('apr_1'), undefined)).rejects.toMatchObject({ code: 'conflict' });
  expect([await states(), await runs(), queued]).toEqual([
    ['approved', 'pending', 'pending'],
    ['queued', waits, waits],
    ['run_1'],
  ]);
  expect(await audited()).toEqual(['approval.approved apr_1']);
});

test('a rejection is final, and repeating it changes nothing', async () => {
  for (const reason of ['No.', 'Never.']) {
    expect(await approvals.reject(which('apr_1'), reason)).toMatchObject({ status: 'rejected', reason: 'No.' });
  }
  await expect(approvals.approve(which('apr_1'), digestOf('apr_1'))).rejects.toMatchObject({ code: 'conflict' });
  expect([await states(), await audited()]).toEqual([['rejected', 'pending', 'pending'], ['approval.rejected apr_1']]);
  await sql`update runs set status = 'cancelled', finished_at = now() where id = 'run_2'`.execute(store.system);
  await approvals.reject(which('apr_2'), undefined);
  expect([await runs(), queued]).toEqual([['queued', 'cancelled', waits], ['run_1']]);
});

test('whoever comes too late decides and edits nothing, and what was decided in time stays so', async () => {
  await approvals.approve(which('apr_3'), digestOf('apr_3'));
  await sql`update approvals set expires_at = ${now}`.execute(store.system);
  expect(await approvals.approve(which('apr_3'), digestOf('apr_3'))).toMatchObject({ status: 'approved' });
  await expect(approvals.approve(which('apr_1'), digestOf('apr_1'))).rejects.toMatchObject({
    details: { status: 'expired' },
  });
  await expect(approvals.edit(which('apr_2'), { subject: 'x' })).rejects.toMatchObject({
    details: { status: 'expired' },
  });
  expect([await states(), await runs()]).toEqual([
    ['expired', 'expired', 'approved'],
    ['queued', 'queued', 'queued'],
  ]);
});

test('the sweep ends what is over, and lets its run go on', async () => {
  await sql`update approvals set expires_at = ${now} where id <> 'apr_3'`.execute(store.system);
  await approvals.reject(which('apr_3'), undefined);
  await sql`update approvals set expires_at = ${now} where id = 'apr_3'`.execute(store.system);
  await sql`update approvals set expires_at = ${new Date(now.getTime() + 1_000)} where id = 'apr_2'`.execute(
    store.system,
  );
  await approvals.sweep();
  expect([await states(), await runs()]).toEqual([
    ['expired', 'pending', 'rejected'],
    ['queued', waits, 'queued'],
  ]);
});

test('what could not leave now is not approved, and can be rejected', async () => {
  for (const [state, code] of [
    ['paused', 'conflict'],
    ['needs_reconnect', 'reconnect_needed'],
  ]) {
    await sql`update accounts set state = ${state} where id = 'acc_1'`.execute(store.system);
    await expect(approvals.approve(which('apr_1'), digestOf('apr_1'))).rejects.toMatchObject({ code });
  }
  expect([await states(), queued]).toEqual([['pending', 'pending', 'pending'], []]);
  expect(await approvals.reject(which('apr_1'), undefined)).toMatchObject({ status: 'rejected' });
  expect(await approvals.approve(which('apr_3'), digestOf('apr_3'))).toMatchObject({ status: 'approved' });
});

test('an edit holds only for what waits as it was read, and only where it was made', async () => {
  await expect(approvals.edit(which('apr_1'), {}, digestOf('apr_2'))).rejects.toMatchObject({ code: 'conflict' });
  meanwhile = () => approvals.approve(which('apr_1'), digestOf('apr_1'));
  await expect(approvals.edit(which('apr_1'), {})).rejects.toMatchObject({ details: { status: 'approved' } });
  const other = Buffer.from('of another edit'.padEnd(32));
  meanwhile = () => sql`update approvals set digest = ${other} where id = 'apr_2'`.execute(store.system);
  await expect(approvals.edit(which('apr_2'), {}, digestOf('apr_2'))).rejects.toMatchObject({
    details: { status: 'pending', digest: other.toString('hex') },
  });
  meanwhile = async () => {};
  expect(await approvals.edit(which('apr_2'), {})).toMatchObject({ digest: digestOf('edited') });
  const { rows } = await sql`select id from approvals where digest = ${Buffer.from('edited'.padEnd(32))}`.execute(
    store.system,
  );
  expect([rows, await audited()]).toEqual([[{ id: 'apr_2' }], ['approval.approved apr_1', 'approval.edited apr_2']]);
  await sql`update approvals set effect = 'destroy' where id = 'apr_3'`.execute(store.system);
  await expect(approvals.edit(which('apr_3'), {})).rejects.toMatchObject({ code: 'conflict' });
});

test('an account that goes takes along what waits for it, and nothing else', async () => {
  await approvals.approve(which('apr_1'), digestOf('apr_1'));
  await approvals.leave('wsp_1', 'acc_1');
  expect([await states(), await runs()]).toEqual([
    ['approved', 'void', 'pending'],
    ['queued', 'queued', waits],
  ]);
});

test('a cancelled run takes along what it asked for and was allowed, unless it came to it', async () => {
  const records = createApprovalRecords({ store, clock, tell: async () => {} });
  const cancel = (runId: string) => records.cancel(store.of('wsp_1'), { workspaceId: 'wsp_1', runId }, actor);
  const done = (runId: string, ordinal: number) =>
    sql`insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest, state, intended_at)
      values (${`eff_${runId}`}, 'wsp_1', ${runId}, ${ordinal}, 'acc_1', 'send', 'POST', '/', '{}', '', 'sent', now())`.execute(
      store.system,
    );
  await approvals.approve(which('apr_1'), digestOf('apr_1'));
  await approvals.approve(which('apr_2'), digestOf('apr_2'));
  await done('run_1', 1);
  await done('run_2', 0);
  await cancel('run_1');
  await cancel('run_2');
  expect(await states()).toEqual(['approved', 'void', 'pending']);
  await cancel('run_3');
  expect(await states()).toEqual(['approved', 'void', 'void']);
});
