import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Fault } from '#kit';
import { freshDatabase } from '../../test/database.ts';
import type { Orphan } from './leases.ts';
import { done, holding, nameOf, recording, runTrack } from './run-track.fixture.ts';

describe('a lane', () => {
  test('goes one after the other in its own order, whatever order they came in', async () => {
    await using track = await runTrack(freshDatabase());
    const { program, order, clashes } = recording();
    const one = track.newProcess(program);
    await one.begin(['3', '1', '2'].map((name) => track.startOf(name, 'card 1')));
    await one.begin([track.startOf('5', 'card 1'), track.startOf('4', 'card 1')]);
    await track.allEnded();
    expect([order, clashes()]).toEqual([['1', '2', '3', '4', '5'], 0]);
  });

  test('compares its order as plain text', async () => {
    await using track = await runTrack(freshDatabase());
    const { program, order } = recording();
    await track.newProcess(program).begin(['b', 'B', 'a', '_', '10', '9'].map((name) => track.startOf(name, 'l')));
    await track.allEnded();
    expect(order).toEqual(['10', '9', 'B', '_', 'a', 'b']);
  });

  test('does not hold up other lanes', async () => {
    await using track = await runTrack(freshDatabase());
    const { program, order, release } = holding('slow');
    const one = track.newProcess(program);
    await one.begin([track.startOf('slow', 'x'), track.startOf('behind', 'x', 'z'), track.startOf('other', 'y')]);
    await expect.poll(() => order.toSorted()).toEqual(['other', 'slow']);
    await expect
      .poll(async () => (await track.rows()).filter(({ finished_at }) => finished_at !== null))
      .toHaveLength(1);
    release();
    await track.allEnded();
    expect(order.at(-1)).toBe('behind');
  });

  test('keeps its order over two processes that start, end and take from it at the same time', async () => {
    // Nobody looks for lost leases here, so none is lost however busy the machine is.
    await using track = await runTrack(freshDatabase(), undefined, 60_000);
    const { program, order, clashes } = recording();
    const both = [track.newProcess(program, 3), track.newProcess(program, 3)] as const;
    const lanes = ['l1', 'l2', 'l3'];
    let turn = true;
    const draining = (async () => {
      while (turn || both.some(({ queue }) => queue.length > 0)) {
        // The queue gives work to anybody.
        const work = both.flatMap(({ queue }) => queue.splice(0));
        await Promise.all(work.map(async (orphan, at) => both[at % 2]?.advance(orphan)));
        await sleep(2);
      }
    })();
    for (let group = 0; group < 12; group++) {
      const name = (at: number) => `${String(group).padStart(2, '0')}${at}`;
      const batch = (lane: string) => [1, 0].map((at) => track.startOf(`${lane} ${name(at)}`, lane, name(at)));
      await Promise.all([both[0].begin(lanes.flatMap(batch)), sleep(4)]);
      await both[1].begin([track.startOf(`free ${group}`, null)]);
    }
    await track.allEnded();
    turn = false;
    await draining;
    for (const lane of lanes) {
      const ran = order.filter((name) => name.startsWith(lane));
      expect(ran).toHaveLength(24);
      // A later one may only come first when an earlier one was not there yet; groups came one by one.
      expect(ran).toEqual(ran.toSorted());
    }
    expect(clashes()).toBe(0);
  });

  test('a run that comes before one that has begun waits for it, and goes before the others', async () => {
    await using track = await runTrack(freshDatabase());
    const { program, order, release } = holding('5');
    const one = track.newProcess(program);
    await one.begin([track.startOf('5', 'l')]);
    await one.begin([track.startOf('7', 'l'), track.startOf('3', 'l')]);
    release();
    await track.allEnded();
    expect(order).toEqual(['5', '3', '7']);
  });

  test('goes on after a run that failed', async () => {
    await using track = await runTrack(freshDatabase());
    const one = track.newProcess(async ({ run }) => {
      if (nameOf(run) === '1') throw new Fault('upstream_rejected', 'no');
      return done;
    });
    await one.begin([track.startOf('1', 'l'), track.startOf('2', 'l')]);
    await track.allEnded();
    expect((await track.rows()).map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  });

  test('waits behind a run that waits for the service, also with one that should have come before', async () => {
    await using track = await runTrack(freshDatabase());
    const order: string[] = [];
    const one = track.newProcess(async ({ run }) => {
      order.push(`${nameOf(run)} ${run.attempts}`);
      if (run.attempts === 1 && nameOf(run) === '2') throw new Fault('upstream_unavailable', 'away');
      return done;
    });
    await one.begin([track.startOf('2', 'l')]);
    await expect.poll(async () => (await track.rows())[0]?.status).toBe('queued');
    const late = track.startOf('1', 'l');
    await one.begin([late]);
    // Asked for out of turn, the one that has begun is taken.
    await one.advance({ runId: late.runId, workspaceId: track.workspaceId });
    await track.allEnded();
    expect(order).toEqual(['2 1', '2 2', '1 1']);
  });

  test('is not entered twice by two transactions that do not see each other', async () => {
    await using track = await runTrack(freshDatabase());
    const { program, order, clashes } = recording();
    const [one, other] = [track.newProcess(program), track.newProcess(program)];
    let entering = Promise.resolve();
    const go = await track.store.system.transaction().execute(async (tx) => {
      const launch = await one.starts.insert(tx, [track.startOf('1', 'l')]);
      entering = other.begin([track.startOf('2', 'l')]);
      await sleep(100);
      return launch;
    });
    expect(order).toEqual([]);
    go();
    await entering;
    await track.allEnded();
    expect([order, clashes()]).toEqual([['1', '2'], 0]);
  });

  test('forgets nobody who enters while the last one leaves', async () => {
    await using track = await runTrack(freshDatabase());
    const { program, order, release } = holding('1');
    const one = track.newProcess(program);
    await one.begin([track.startOf('1', 'l')]);
    await track.store.system.transaction().execute(async (tx) => {
      await one.starts.insert(tx, [track.startOf('2', 'l')]);
      release();
      await sleep(100);
    });
    await track.allEnded();
    expect(order).toEqual(['1', '2']);
  });

  test('goes on in its own process, once, when its lease runs out there', async () => {
    await using track = await runTrack(freshDatabase());
    const { program, order, clashes } = recording();
    let isSlow = true;
    let go = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const one = track.newProcess(async (live, logbook) => {
      if (isSlow) await gate;
      // What is stored on the way needs the lease.
      await logbook.begin();
      return program(live, logbook);
    });
    const first = track.startOf('1', 'l');
    await one.begin([first]);
    const lose = () => track.store.system.updateTable('runs').set({ lease_owner: null }).execute();
    const taken = () => one.advance({ runId: first.runId, workspaceId: track.workspaceId });
    await lose();
    await taken();
    await lose();
    await taken();
    isSlow = false;
    go();
    await track.allEnded();
    expect([order, clashes(), (await track.rows()).map(({ status }) => status)]).toEqual([['1'], 0, ['succeeded']]);
  });

  test.each([
    ['somebody else had it in between', 5, 'queued'],
    ['this process takes it again just then', 1, 'running'],
  ])('does not end as failed when its lease is lost and %s', async (_, attempts, between) => {
    await using track = await runTrack(freshDatabase());
    const first = track.startOf('1', 'l');
    const again = () => one.advance({ runId: first.runId, workspaceId: track.workspaceId });
    const lose = (rest: object = {}) =>
      track.store.system
        .updateTable('runs')
        .set({ lease_owner: null, ...rest })
        .execute();
    let times = 0;
    const one = track.newProcess(async (_live, logbook) => {
      times += 1;
      logbook.note('step', {});
      if (times === 1) await lose({ attempts });
      await logbook.begin().catch(async (error: unknown) => {
        await again();
        throw error;
      });
      return { output: times, warnings: [] };
    });
    await one.begin([first]);
    await expect.poll(() => [times, one.leases.held()]).toEqual([1, 0]);
    expect((await track.rows())[0]).toMatchObject({ status: between, error: null });
    await lose();
    await again();
    await track.allEnded();
    expect((await track.rows())[0]).toMatchObject({ status: 'succeeded', output: 2 });
  });

  test('is taken over with its order when its process dies', async () => {
    await using track = await runTrack(freshDatabase());
    const dying = track.newProcess(() => new Promise(() => {}));
    const [first, second] = [track.startOf('1', 'l'), track.startOf('2', 'l')];
    await dying.begin([second, first]);
    dying.leases.close();
    track.forget();
    const { program, order } = recording();
    const heir = track.newProcess(program);
    await heir.advance({ runId: second.runId, workspaceId: track.workspaceId });
    expect(order).toEqual([]);
    const found: Orphan[] = [];
    const collect = () => heir.leases.collectOrphans(async (_, orphans) => void found.push(...orphans));
    await expect.poll(async () => collect().then(() => found.length)).toBe(1);
    expect(found).toEqual([{ runId: first.runId, workspaceId: track.workspaceId }]);
    for (const orphan of found) await heir.advance(orphan);
    await track.allEnded();
    expect(order).toEqual(['1', '2']);
  });
});
