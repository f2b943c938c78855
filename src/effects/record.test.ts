import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '#clock';
import type { UpstreamRequest } from '#kit';
import { silentLog } from '#log';
import { openStore, type Store } from '#store';
import { freshDatabase } from '../../test/database.ts';
import { createEffectRecords, type EffectRecords, Overtaken, type Owner } from './record.ts';
import { RunCancelled } from './run-cancelled.ts';

let database: Awaited<ReturnType<typeof freshDatabase>>;
let store: Store;
let records: EffectRecords;
beforeAll(async () => {
  database = await freshDatabase();
  store = openStore({ connectionString: database.connectionString, max: 8, log: silentLog });
  records = createEffectRecords({ store, clock: systemClock() });
  await sql`insert into workspaces values ('wsp_1', 'Home', now())`.execute(store.system);
});
afterAll(async () => {
  await store.close();
  await database[Symbol.asyncDispose]();
});
/** A write of somebody else, with which nothing here has to do. */
const bystander = () => records.find(ownerOf('run_4', 'acc_4'), 1);
beforeEach(async () => {
  await sql`delete from effects`.execute(store.system);
  await sql`delete from runs`.execute(store.system);
  await sql`update workspaces set stopped_at = null`.execute(store.system);
  await sql`insert into runs (id, workspace_id, status, started_by, input, may_send, created_at)
    select 'run_' || n, 'wsp_1', 'running', '{}', '{}', true, now() from generate_series(1, 4) n`.execute(store.system);
  await intend(ownerOf('run_4', 'acc_4'), requestTo('/me/bystander'));
});
afterEach(async () => {
  expect(await bystander()).toMatchObject({ state: 'intended', attempts: 1, path: '/me/bystander' });
});

const requestTo = (path: string, method = 'POST') =>
  ({ method, path, body: { name: 'Pay the rent' } }) as unknown as UpstreamRequest;
const request = requestTo('/1/cards');
const actor = { kind: 'system', id: 'trg_1', name: 'Trigger' } as const;
const ownerOf = (runId: string, accountId = 'acc_1'): Owner => ({
  workspaceId: 'wsp_1',
  runId,
  accountId,
  actor,
  eventId: null,
});
const owner = ownerOf('run_1');
const intend = (by = owner, what = request, ordinal = 1) =>
  records.intend(by, records.plan(by, ordinal, 'write', what));
const madeOf = (id: string) => ({
  upstreamId: id,
  about: undefined,
  answer: { status: 200, headers: {}, body: { id } },
});
const sent = (id: string) => records.settle(owner, id, { state: 'sent', found: false, ...madeOf('card_1') });
const stateOf = async (by = owner) => {
  const { state, attempts } = (await records.find(by, 1)) ?? {};
  return { state, attempts };
};
const aMinuteAgo = () => sql`update effects set intended_at = intended_at - interval '1 minute'`.execute(store.system);

test('of two processes that found that nothing happened, only one tries once more', async () => {
  const { id } = await intend();
  await aMinuteAgo();
  const seen = (await records.find(owner, 1))?.intended_at;
  expect(await records.intendAgain(owner, id, { request, seen })).toMatchObject({ id, attempt: 2 });
  await expect(records.intendAgain(owner, id, { request, seen })).rejects.toMatchObject({ code: 'unavailable' });
  expect(await stateOf()).toEqual({ state: 'intended', attempts: 2 });
});

test('what was sent is not tried once more', async () => {
  const { id } = await intend();
  await sent(id);
  await expect(records.intendAgain(owner, id, { request })).rejects.toMatchObject({ code: 'unavailable' });
  expect(await stateOf()).toEqual({ state: 'sent', attempts: 1 });
});

test('what was cancelled is neither tried nor tried once more, and other runs are', async () => {
  const { id } = await intend();
  await sql`update runs set cancel_asked = '{}' where id = 'run_1'`.execute(store.system);
  await expect(records.intendAgain(owner, id, { request })).rejects.toBeInstanceOf(RunCancelled);
  await expect(intend(owner, request, 2)).rejects.toBeInstanceOf(RunCancelled);
  const { id: another } = await intend(ownerOf('run_2'));
  expect(await records.intendAgain(ownerOf('run_2'), another, { request })).toMatchObject({ attempt: 2 });
});

test('an attempt that takes long goes on only while it is the last one, open, and nobody stopped it', async () => {
  const first = await intend();
  await records.renew(owner, first);
  const second = await records.intendAgain(owner, first.id, { request });
  await expect(records.renew(owner, first)).rejects.toBeInstanceOf(Overtaken);
  await sql`update workspaces set stopped_at = now()`.execute(store.system);
  await expect(records.renew(owner, second)).rejects.toBeInstanceOf(Overtaken);
  await sql`update workspaces set stopped_at = null`.execute(store.system);
  await records.renew(owner, second);
  await sent(first.id);
  await expect(records.renew(owner, second)).rejects.toBeInstanceOf(Overtaken);
});

test('the first ending counts, and stands in the audit once', async () => {
  const { id } = await intend();
  await sent(id);
  await records.settle(owner, id, { state: 'not_sent', reason: 'too late' });
  await records.claim(owner, id, madeOf('card_2'));
  expect(await records.find(owner, 1)).toMatchObject({ state: 'sent', upstream_id: 'card_1' });
  const { rows } = await sql`select action from audit where target = ${id}`.execute(store.system);
  expect(rows).toEqual([{ action: 'effect.sent' }]);
});

test('what was found is claimed by one write of its account, and by none that only changed it', async () => {
  const { id: change } = await intend(owner, requestTo('/1/cards', 'PUT'));
  expect(await records.claim(owner, change, madeOf('card_1'))).toBe(true);
  const rivals = [ownerOf('run_2'), ownerOf('run_3')] as const;
  const [first, second] = [await intend(rivals[0]), await intend(rivals[1])];
  const claims = await store.system.transaction().execute(async (tx) => {
    const waiting = async () => {
      await sql`select pg_stat_clear_snapshot()`.execute(tx);
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(tx);
      return rows.length;
    };
    // The first is stopped between its look at what is taken and its claim.
    await sql`select from effects where id = ${first.id} for update`.execute(tx);
    const claimed = records.claim(rivals[0], first.id, madeOf('card_1'));
    await expect.poll(waiting, { interval: 5 }).toBe(1);
    const rival = records.claim(rivals[1], second.id, madeOf('card_1'));
    await Promise.race([rival, expect.poll(waiting, { interval: 5 }).toBe(2)]);
    return [claimed, rival];
  });
  expect(await Promise.all(claims)).toEqual([true, false]);
  const elsewhere = ownerOf('run_1', 'acc_2');
  const { id } = await intend(elsewhere, request, 2);
  expect(await records.claim(elsewhere, id, madeOf('card_1'))).toBe(true);
  const { answer } = madeOf('card_1');
  expect(await records.find(elsewhere, 2)).toMatchObject({ state: 'sent', upstream_id: 'card_1', answer });
  const { rows } = await sql`select action, details from audit where target = ${id}`.execute(store.system);
  expect(rows).toEqual([{ action: 'effect.sent', details: expect.objectContaining({ found: true }) }]);
});

test('beside a write stand those of other runs, lately, to its account or a mailbox that others share', async () => {
  const paths = async (withinMs: number) => (await records.besides(owner, withinMs)).map(({ path }) => path).toSorted();
  const at = (by: Owner, path: string, ordinal: number) => intend(by, requestTo(path), ordinal);
  await at(owner, '/me/own', 1);
  await at(ownerOf('run_2'), '/me/same', 1);
  await at(ownerOf('run_3', 'acc_2'), '/Me/foreign', 1);
  await at(ownerOf('run_3', 'acc_2'), '/users/shared', 2);
  const { id } = await at(ownerOf('run_2'), '/me/ended', 2);
  await records.settle(ownerOf('run_2'), id, { state: 'sent', found: false, ...madeOf('draft_1') });
  expect(await paths(30_000)).toEqual(['/me/ended', '/me/same', '/users/shared']);
  const change = await intend(ownerOf('run_2'), requestTo('/me/ended', 'PATCH'), 3);
  await records.settle(ownerOf('run_2'), change.id, { state: 'sent', found: false, ...madeOf('draft_2') });
  const foreign = await at(ownerOf('run_3'), '/me/ended', 3);
  await records.settle(ownerOf('run_3'), foreign.id, { state: 'sent', found: false, ...madeOf('draft_3') });
  const besides = await records.besides(owner, 30_000);
  expect(besides.find(({ path }) => path === '/me/same')?.made).toEqual(['draft_1']);
  await aMinuteAgo();
  expect(await paths(30_000)).toEqual([]);
});
