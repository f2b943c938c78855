import { describe, expect, test } from 'vitest';
import { freshDatabase } from '../../test/database.ts';
import type { Orphan } from './leases.ts';
import { recording, runTrack } from './run-track.fixture.ts';

test('runs are stored in one go and carried out at once, with the present version of the tool', async () => {
  await using track = await runTrack(freshDatabase());
  const { program, order } = recording();
  const one = track.newProcess(program);
  await one.begin([track.startOf('a', null), track.startOf('b', 'card 1'), track.startOf('c', null)]);
  await track.allEnded();
  expect(order.toSorted()).toEqual(['a', 'b', 'c']);
  expect(one.queue).toEqual([]);
  const [first] = await track.rows();
  expect(first).toMatchObject({ status: 'succeeded', agent_id: track.agentId, agent_version: 1, tool_version: 3 });
  expect(first?.started_by).toMatchObject({ kind: 'system', id: 'trg_x' });
  // Dates became text, as whoever takes the run over would read them.
  expect(first?.input).toMatchObject({ event: { at: expect.any(String) } });
});

test('what was rolled back never starts, and takes up no room', async () => {
  await using track = await runTrack(freshDatabase());
  const { program, order } = recording();
  const one = track.newProcess(program, 1);
  const rolledBack = track.store.system.transaction().execute(async (tx) => {
    await one.starts.insert(tx, [track.startOf('never', 'l')]);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await track.rows()).toEqual([]);
  await one.begin([track.startOf('a', 'l')]);
  await track.allEnded();
  expect(order).toEqual(['a']);
});

describe('a process', () => {
  test('carries as many as it has room for; the others are left to the queue and run there once', async () => {
    await using track = await runTrack(freshDatabase());
    const { program, order } = recording();
    const one = track.newProcess(program, 2);
    await one.begin(['a', 'b', 'c', 'd', 'e'].map((name) => track.startOf(name, null)));
    expect(one.queue).toHaveLength(3);
    for (const orphan of [...one.queue, ...one.queue]) await one.advance(orphan);
    await track.allEnded();
    expect(order.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('without room leaves the first of each lane to the queue, and the next when it ends', async () => {
    await using track = await runTrack(freshDatabase());
    const { program, order } = recording();
    const api = track.newProcess(program, 0);
    await api.begin([track.startOf('1', 'l'), track.startOf('2', 'l'), track.startOf('x', 'm')]);
    expect([api.queue.length, order]).toEqual([2, []]);
    while (api.queue.length > 0) for (const orphan of api.queue.splice(0)) await api.advance(orphan);
    await track.allEnded();
    expect(order.filter((name) => name !== 'x')).toEqual(['1', '2']);
  });
});

test('while the workspace is stopped nothing starts and nothing is lost; what waited begins with the agent as it was mended', async () => {
  await using track = await runTrack(freshDatabase());
  const { program, order } = recording();
  const one = track.newProcess(program);
  await track.stop(true);
  const given = [track.startOf('1', 'l'), track.startOf('2', 'l'), track.startOf('x', null)];
  await one.begin(given);
  const collect = async (): Promise<Orphan[]> => {
    const found: Orphan[] = [];
    await one.leases.collectOrphans(async (_, orphans) => void found.push(...orphans));
    return found;
  };
  for (const { runId } of given) await one.advance({ runId, workspaceId: track.workspaceId });
  expect([one.queue, await collect(), order]).toEqual([[], [], []]);
  const { store, workspaceId: workspace_id, agentId: id } = track;
  const [name, created_at, version] = ['a', new Date(), 2];
  const agent = { id, workspace_id, name, version, created_at, updated_at: created_at, tool_ids: [] };
  await store.system
    .insertInto('agents')
    .values({ ...agent, state: 'enabled' })
    .execute();
  const definition = JSON.stringify({ name, instructions: '', tools: [], runner: { type: 'model', input: {} } });
  await store.system
    .insertInto('agent_versions')
    .values({ workspace_id, agent_id: id, version, definition, made_by: '{}', created_at })
    .execute();
  await track.stop(false);
  const found = await collect();
  expect(found).toHaveLength(2);
  for (const orphan of found) await one.advance(orphan);
  await track.allEnded();
  expect(order.toSorted()).toEqual(['1', '2', 'x']);
  const begunWith = (await track.rows()).map(({ agent_version, tool_id, tool_version }) => [
    agent_version,
    tool_id,
    tool_version,
  ]);
  expect(begunWith).toEqual(given.map(() => [2, null, null]));
});
