import { expect, test } from 'vitest';
import { systemClock } from '#clock';
import { freshDatabase } from '../../test/database.ts';
import { createCallOff } from './call-off.ts';
import { recording, runTrack } from './run-track.fixture.ts';
import type { EndedRun } from './telling.ts';

test('what waits for its turn is called off together with its agent, and whoever wants to know is told of each', async () => {
  await using track = await runTrack(freshDatabase());
  const { store, workspaceId, agentId } = track;
  const told: EndedRun[] = [];
  const telling = {
    wanted: async () => true,
    tell: async (_: unknown, runs: readonly EndedRun[]) => void told.push(...runs),
  };
  const callOff = createCallOff({ store, clock: systemClock(), telling });
  const { program, order } = recording();
  const one = track.newProcess(program);
  await track.stop(true);
  const given = [track.startOf('1', 'l'), track.startOf('2', 'l'), track.startOf('3', null)];
  await one.begin(given);

  await callOff.apart({ workspaceId, triggerIds: ['trg_another'] }, 'Gone.');
  expect(told).toEqual([]);
  const rolledBack = store
    .of(workspaceId)
    .transaction()
    .execute(async (tx) => {
      await callOff.within(tx, { workspaceId, agentId }, 'Gone.');
      throw new Error('rolled back');
    });
  await expect(rolledBack).rejects.toThrow('rolled back');
  told.length = 0;
  await callOff.apart({ workspaceId, agentId }, 'Gone.');
  await track.stop(false);

  const cancelled = given.map(({ runId }) => ({
    workspaceId,
    runId,
    agentId,
    status: 'cancelled',
  }));
  expect(told).toHaveLength(3);
  expect(told).toEqual(expect.arrayContaining(cancelled.map((each) => expect.objectContaining(each))));
  const rows = await track.rows();
  expect(rows.map(({ status, error }) => [status, error?.message])).toEqual(given.map(() => ['cancelled', 'Gone.']));
  for (const { runId } of given) await one.advance({ runId, workspaceId });
  expect(order).toEqual([]);
});
