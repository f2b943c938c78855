import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Clock, systemClock } from '#clock';
import type { Upstream, UpstreamRequest } from '#kit';
import { silentLog } from '#log';
import { openStore, type Store } from '#store';
import { freshDatabase } from '../../test/database.ts';
import type { Guarded } from './guarded.ts';
import { lookFor } from './look.ts';
import { createEffectRecords, type EffectRecords, type Owner } from './record.ts';

let database: Awaited<ReturnType<typeof freshDatabase>>;
let store: Store;
let records: EffectRecords;
beforeAll(async () => {
  database = await freshDatabase();
  store = openStore({ connectionString: database.connectionString, max: 5, log: silentLog });
  records = createEffectRecords({ store, clock: systemClock() });
  await sql`insert into workspaces values ('wsp_1', 'Home', now())`.execute(store.system);
});
afterAll(async () => {
  await store.close();
  await database[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await sql`delete from effects`.execute(store.system);
  await sql`delete from runs`.execute(store.system);
  for (const id of ['run_1', 'run_2']) {
    await sql`insert into runs (id, workspace_id, status, started_by, input, may_send, created_at)
      values (${id}, 'wsp_1', 'running', '{}', '{}', true, now())`.execute(store.system);
  }
});

const request = { method: 'POST', path: '/1/cards', body: { name: 'Pay the rent' } } as unknown as UpstreamRequest;
const other = { ...request, body: { name: 'Call the bank' } } as unknown as UpstreamRequest;
const actor = { kind: 'system', id: 'trg_1', name: 'Trigger' } as const;
const ownerOf = (runId: string): Owner => ({ workspaceId: 'wsp_1', runId, accountId: 'acc_1', actor, eventId: null });
const intend = (runId: string, what = request) =>
  records.intend(ownerOf(runId), records.plan(ownerOf(runId), 1, 'write', what));

/** The service has one card of that name, which it made by its own clock a minute before the first run asked for it. */
const work = {
  ...ownerOf('run_1'),
  input: {},
  context: {},
  step: {
    find: async (_: unknown, { since }: { since: Date }) => ({
      made: since.getTime() < Date.now() - 60_000 ? [{ id: 'card_1' }] : [],
    }),
    integration: { upstream: { idOf: ({ id }: { id: string }) => id } },
  },
} as unknown as Guarded;

/** Looks for what the first run wrote; `meanwhile` happens when it waits. */
const look = (
  intent: Awaited<ReturnType<typeof intend>>,
  meanwhile: () => Promise<void>,
  withinMs = 60_000,
  signal?: AbortSignal,
) => {
  const clock = { ...systemClock(), sleep: meanwhile } as Clock;
  return lookFor({ records, clock, withinMs, signal }, work, {} as Upstream, request, intent);
};
const nobodyWaits = async () => {
  throw new Error('it waited');
};
const sent = async (runId: string, id: string) => {
  const answer = { status: 200, headers: {}, body: { id: 'card_1' } };
  await records.settle(ownerOf(runId), id, { state: 'sent', answer, upstreamId: 'card_1', found: false });
};

test('what is found is not claimed while another run has the same request under way: it may be made by that', async () => {
  const [mine, twin] = [await intend('run_1'), await intend('run_2')];
  let waits = 0;
  const found = await look(mine, async () => {
    waits += 1;
    if (waits === 2) await sent('run_2', twin.id);
  });
  expect([found, waits]).toEqual([undefined, 2]);
  expect((await records.open(ownerOf('run_1'), 0, 9)).map(({ id }) => id)).toEqual([mine.id]);
});

test('a process that is told to end while it waits for that claims nothing, and leaves the look to whoever goes on', async () => {
  const mine = await intend('run_1');
  await intend('run_2');
  const ending = new AbortController();
  const found = look(mine, async () => ending.abort(), 60_000, ending.signal);
  await expect(found).rejects.toMatchObject({ code: 'unavailable' });
  expect((await records.open(ownerOf('run_1'), 0, 9)).map(({ id }) => id)).toEqual([mine.id]);
});

test('what is found is claimed once the same request of another run has ended without it', async () => {
  const [mine, twin] = [await intend('run_1'), await intend('run_2')];
  const ended = () => records.settle(ownerOf('run_2'), twin.id, { state: 'not_sent', reason: 'status 429' });
  expect(await look(mine, ended)).toMatchObject({ body: { id: 'card_1' } });
});

test.each<[string, () => Promise<unknown>, number]>([
  ['another request', () => intend('run_2', other), 60_000],
  ['the same request, whose time is long over', () => intend('run_2'), 0],
])('nobody waits for %s', async (_, beside, withinMs) => {
  await beside();
  expect(await look(await intend('run_1'), nobodyWaits, withinMs)).toMatchObject({ body: { id: 'card_1' } });
});
