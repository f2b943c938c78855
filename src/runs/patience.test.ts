import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Fault } from '#kit';
import { freshDatabase } from '../../test/database.ts';
import { longestDoubtOf, putOffBy } from './patience.ts';
import { done, runTrack } from './run-track.fixture.ts';

let track: Awaited<ReturnType<typeof runTrack>>;
beforeAll(async () => {
  track = await runTrack(freshDatabase(), undefined, 60_000);
});
afterAll(() => track[Symbol.asyncDispose]());

const away = () => new Fault('upstream_unavailable', 'The service is away.');
const storageAway = () => new Fault('unavailable', 'Storage is away.');

/** A run that meets these one after the other, each in an execution of its own. */
const meeting = async (
  name: string,
  met: readonly (() => Fault)[],
  before: object = { tries: 0 },
  progresses = false,
) => {
  let nth = 0;
  const one = track.newProcess(async (_, { earlier, note }) => {
    await earlier();
    if (progresses) note('tool', { call: nth, name: 'say', output: null });
    const fault = met[nth]?.();
    nth += 1;
    if (fault !== undefined) throw fault;
    return done;
  });
  const start = track.startOf(name, null);
  const row = async () => (await track.rows()).find(({ id }) => id === start.runId);
  await one.begin([start]);
  const at = { workspaceId: track.workspaceId, runId: start.runId };
  for (const n of met.keys()) {
    await expect.poll(async () => (await row())?.lease_owner).toBe(null);
    if ((await row())?.finished_at !== null) break;
    await sql`update runs set lease_until = clock_timestamp() where id = ${start.runId}`.execute(track.store.system);
    if (n === 0)
      await track.store.of(track.workspaceId).updateTable('runs').set(before).where('id', '=', start.runId).execute();
    if (n + 1 < met.length) await one.advance(at);
  }
  await expect.poll(async () => (await row())?.lease_owner).toBe(null);
  return row();
};

describe('a run that nobody waits for', () => {
  test('goes on waiting for a service after it was held back many times by storage or a stop', async () => {
    const held = Array.from({ length: 9 }, () => storageAway);
    expect(await meeting('held back', [...held, away])).toMatchObject({ status: 'queued', tries: 1 });
  });

  test('waits for a service that is away for as long as an outage of minutes lasts', async () => {
    const before = { tries: 30, waited_ms: 599_000 };
    expect(await meeting('outage', [away, away], before)).toMatchObject({ status: 'queued', tries: 31 });
  });

  test('fails when the service was away for long and has been tried often', async () => {
    const row = await meeting('long', [away, away], { tries: 7, waited_ms: 600_000 });
    expect(row).toMatchObject({ status: 'failed', error: { code: 'upstream_unavailable' } });
  });

  test('that was asked to wait long is tried often all the same', async () => {
    const row = await meeting('patient', [away, away], { tries: 6, waited_ms: 3_600_000 });
    expect(row).toMatchObject({ status: 'queued', tries: 7 });
  });

  test('begins to wait anew once it has done something', async () => {
    const row = await meeting('progress', [away, away], { tries: 6, waited_ms: 500_000 }, true);
    expect(row).toMatchObject({ status: 'queued', tries: 1 });
  });
});

test('a cancelled run that looks for what it wrote asks a service that is away in its time, and not again and again', async () => {
  const one = track.newProcess(async () => {
    throw new Fault('unavailable', 'It is looked for again.', { cause: away(), retryAfterMs: 300_000 });
  });
  const start = track.startOf('in doubt', null);
  await one.begin([start]);
  const { store, workspaceId } = track;
  const { runId } = start;
  const row = async () => (await track.rows()).find(({ id }) => id === runId);
  await expect.poll(async () => (await row())?.lease_owner).toBe(null);
  await sql`insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest, state, attempts, intended_at)
    values ('eff_doubt', ${workspaceId}, ${runId}, 0, 'acc_1', 'send', 'POST', '/send', '{}', '', 'intended', 1, now())`.execute(
    store.system,
  );
  await one.cancel(runId);
  expect((await row())?.lease_until?.getTime()).toBeLessThan(Date.now() + 5_000);

  await one.advance({ workspaceId, runId });

  expect(await row()).toMatchObject({ status: 'queued', cancel_asked: expect.anything(), tries: 2 });
  expect((await row())?.lease_until?.getTime()).toBeGreaterThan(Date.now() + 200_000);
});

test('whoever is cancelled behind a run that waits for a service does not wake it', async () => {
  const one = track.newProcess(async () => {
    throw new Fault('unavailable', 'It is looked for again.', { cause: away(), retryAfterMs: 300_000 });
  });
  const [first, behind] = [track.startOf('1 waits', 'card'), track.startOf('2 behind', 'card')];
  await one.begin([first, behind]);
  const row = async (id: string) => (await track.rows()).find((run) => run.id === id);
  await expect.poll(async () => (await row(first.runId))?.tries).toBe(1);
  const until = (await row(first.runId))?.lease_until;

  await one.cancel(behind.runId);
  expect([await row(behind.runId), one.queue]).toMatchObject([{ status: 'cancelled' }, []]);
  expect(await row(first.runId)).toMatchObject({ status: 'queued', lease_until: until });
});

const waited = (tries: number, waitedMs = 0) => ({ attempts: 40, tries, waited_ms: waitedMs });
const busy = new Fault('rate_limited', 'Wait.', { retryAfterMs: 3_600_000 });
const lookFailed = new Fault('unavailable', 'It is looked for again.', { cause: away() });

test.each([
  ['however long nobody could look, until it was looked for often', waited(6, 35_000), Number.POSITIVE_INFINITY],
  ['four minutes, once it was looked for often', waited(7, 35_000), 240_000],
  ['four minutes, once the service itself has asked for longer', waited(1, 300_000), 240_000],
])('what a run wrote stays in doubt %s', (_, run, expected) => {
  expect(longestDoubtOf(run)).toBe(expected);
});

test.each([
  ['soon at first', away(), waited(0), { delayMs: 1_000, waited: { tries: 1, waited_ms: 1_000 } }],
  ['never long after the service is back', away(), waited(99), { delayMs: 30_000 }],
  [
    'as long as the service asks, within reason',
    busy,
    waited(1, 5),
    { delayMs: 600_000, waited: { waited_ms: 600_005 } },
  ],
  ['for a service that could not tell what happened', lookFailed, waited(2), { waited: { tries: 3 } }],
  ['for storage, which counts as no try', storageAway(), waited(2, 7), { waited: { tries: 2, waited_ms: 7 } }],
])('a run comes back %s', (_, fault, run, expected) => {
  expect(putOffBy(fault, run, false)).toMatchObject(expected);
});
