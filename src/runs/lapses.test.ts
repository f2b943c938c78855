import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Fault } from '#kit';
import { freshDatabase } from '../../test/database.ts';
import type { Orphan } from './leases.ts';
import { done, holding, nameOf, runTrack } from './run-track.fixture.ts';

let track: Awaited<ReturnType<typeof runTrack>>;
beforeAll(async () => {
  track = await runTrack(freshDatabase(), undefined, 60_000);
});
afterAll(() => track[Symbol.asyncDispose]());

const named = async (name: string) => (await track.rows()).find((run) => nameOf(run) === name);

/** A run that a process carries which died so many times before, and now once more. */
const died = async (name: string, lapses: number, lane: string | null = null, behind: readonly string[] = []) => {
  const { program } = holding(name);
  const start = track.startOf(name, lane);
  const one = track.newProcess(program);
  await one.begin([start, ...behind.map((each) => track.startOf(each, lane, `z ${each}`))]);
  await sql`update runs set lapses = ${lapses}, lease_owner = 'dead', lease_until = clock_timestamp() - interval '1 s'
    where id = ${start.runId}`.execute(track.store.system);
  track.forget();
  one.leases.close();
  return { workspaceId: track.workspaceId, runId: start.runId };
};

const collect = async (process: ReturnType<typeof track.newProcess>) => {
  const found: Orphan[] = [];
  await process.leases.collectOrphans(async (_, orphans) => void found.push(...orphans));
  return found.map(({ runId }) => runId);
};

test('a run whose processes died 24 times in a row fails with that reason, and its lane goes on', async () => {
  const order: string[] = [];
  const orphan = await died('poison', 23, 'card', ['behind']);
  const heir = track.newProcess(async ({ run }) => {
    order.push(nameOf(run));
    return done;
  });
  await heir.advance(orphan);

  await expect.poll(async () => (await named('behind'))?.status).toBe('succeeded');
  expect(order).toEqual(['behind']);
  expect(await named('poison')).toMatchObject({
    status: 'failed',
    error: { code: 'internal', message: expect.stringMatching(/ended 24 times in a row before it was done/) },
  });
});

test('one that died less often is carried out, taken at once or collected before: each death counts once', async () => {
  const heir = track.newProcess(async () => done);
  await heir.advance(await died('taken at once', 1));
  const collected = await died('collected', 1);
  expect(await collect(heir)).toContain(collected.runId);
  await heir.advance(collected);
  expect([await named('taken at once'), await named('collected')]).toMatchObject([
    { status: 'succeeded', lapses: 2 },
    { status: 'succeeded', lapses: 2 },
  ]);
});

test('what died together again and again is taken up apart', async () => {
  const one = await died('again', 3);
  const heir = track.newProcess(async () => done);
  expect(await collect(heir)).toEqual([]);
  expect(await named('again')).toMatchObject({ lapses: 4, lease_owner: null });
  await sql`update runs set lease_until = clock_timestamp() - interval '1 s' where id = ${one.runId}`.execute(
    track.store.system,
  );
  expect(await collect(heir)).toEqual([one.runId]);
  expect(await named('again')).toMatchObject({ lapses: 4 });
});

describe('what died before is over', () => {
  test('once a run has done something', async () => {
    const { program, release } = holding('progress');
    const heir = track.newProcess(async (live, logbook) => {
      logbook.note('tool', { call: 0, name: 'say', output: null });
      await logbook.begin();
      return program(live, logbook);
    });
    const advanced = heir.advance(await died('progress', 20));
    await expect.poll(async () => (await named('progress'))?.lapses).toBe(0);
    release();
    await advanced;
  });

  test('once an execution has come to an end, such as one that is put off', async () => {
    const heir = track.newProcess(async () => {
      throw new Fault('unavailable', 'Storage is away.');
    });
    await heir.advance(await died('put off', 20));
    expect(await named('put off')).toMatchObject({ status: 'queued', lapses: 0 });
  });

  test('where the process is told to end, also when it is killed before it has let go', async () => {
    const { program, release } = holding('deployed');
    const heir = track.newProcess(program);
    const advanced = heir.advance(await died('deployed', 22));
    await expect.poll(async () => (await named('deployed'))?.lapses).toBe(23);
    await heir.leases.forgive();
    expect(await named('deployed')).toMatchObject({ status: 'running', lapses: 0 });
    release();
    await advanced;
  });
});
