import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Fault } from '#kit';
import { freshDatabase } from '../../../test/database.ts';
import type { Program } from '../execution.ts';
import { done, nameOf, runTrack } from '../run-track.fixture.ts';

/** Counts how many are under way at the same moment. The first wait until so many are that may be. */
const counting = (together: number) => {
  const order: string[] = [];
  const met = Promise.withResolvers<void>();
  let now = 0;
  let most = 0;
  const program: Program = async ({ run }) => {
    order.push(nameOf(run));
    now += 1;
    most = Math.max(most, now);
    if (now === together) met.resolve();
    await Promise.race([met.promise, sleep(5_000)]);
    await sleep(10);
    now -= 1;
    if (nameOf(run) === '2' && run.attempts === 1) throw new Fault('upstream_rejected', 'no');
    return done;
  };
  return { program, order, most: () => most };
};

test('an agent carries out no more runs at once than it may, over two processes, and each once', async () => {
  await using track = await runTrack(freshDatabase(), 2);
  const { program, order, most } = counting(2);
  const both = [track.newProcess(program), track.newProcess(program)] as const;
  const names = Array.from({ length: 12 }, (_, at) => String(at));
  await Promise.all([
    both[0].begin(names.slice(0, 6).map((name) => track.startOf(name, null))),
    both[1].begin(names.slice(6).map((name) => track.startOf(name, null))),
  ]);
  await expect
    .poll(
      async () => {
        for (const [at, orphan] of both.flatMap(({ queue }) => queue.splice(0)).entries()) {
          void both[at % 2]?.advance(orphan);
        }
        return (await track.rows()).filter(({ finished_at }) => finished_at === null).length;
      },
      { interval: 5 },
    )
    .toBe(0);
  expect([most(), order.toSorted()]).toEqual([2, names.toSorted()]);
  const failed = (await track.rows()).filter(({ status }) => status === 'failed');
  expect(failed.map(nameOf)).toEqual(['2']);
});

test('nobody waits where no bound is set', async () => {
  await using track = await runTrack(freshDatabase());
  const { program, most } = counting(4);
  await track.newProcess(program).begin(['a', 'b', 'c', 'd'].map((name) => track.startOf(name, null)));
  await track.allEnded();
  expect(most()).toBe(4);
});

test('a run that waits for a service is called by nobody who leaves a place, itself least of all, and keeps nobody from it', async () => {
  await using track = await runTrack(freshDatabase(), 1, 60_000);
  const order: string[] = [];
  const one = track.newProcess(async ({ run }) => {
    order.push(nameOf(run));
    if (nameOf(run) === 'away') throw new Fault('unavailable', 'It is looked for again.', { retryAfterMs: 600_000 });
    return done;
  });
  const queued = () => one.queue.splice(0);
  await one.begin([track.startOf('away', null)]);
  await expect.poll(async () => (await track.rows()).map(({ lease_owner }) => lease_owner)).toEqual([null]);
  await one.begin([track.startOf('next', null)]);
  await expect.poll(async () => (await track.rows()).map(({ status }) => status)).toEqual(['queued', 'succeeded']);
  await expect.poll(() => one.leases.held()).toBe(0);
  expect([order, queued()]).toEqual([['away', 'next'], []]);
});
