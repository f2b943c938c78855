import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { silentLog } from '#log';
import { openStore } from '#store';
import { eventScene } from '../../test/event-scene.ts';

const control = (base: string, path: string, body: object) =>
  fetch(`${base}/_control/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** A watched board, of which looks have failed often; `look` looks once more and answers in how many minutes it does again. */
const failingScene = async () => {
  const scene = await eventScene({ intervals: { lookMs: 240_000, pollMs: 60_000 } });
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const boards = [scene.board.launch().id];
  await scene.settled(await scene.newTrigger(agentId, 'board.new_card', accountId, { boards }));
  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  const watch = async () => {
    const { rows } = await sql<{ failures: number; minutes: number }>`
      select failures, round(extract(epoch from next_look_at - clock_timestamp()) / 60)::integer as minutes
      from watches`.execute(store.system);
    return rows[0] ?? { failures: 0, minutes: 0 };
  };
  return {
    scene,
    look: async (failures: number): Promise<number> => {
      await sql`update watches set failures = ${failures}, next_look_at = clock_timestamp()`.execute(store.system);
      await expect.poll(async () => (await watch()).failures).toBe(failures + 1);
      return (await watch()).minutes;
    },
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await scene[Symbol.asyncDispose]();
    },
  };
};

test('however long a service was away, it is looked at again as soon as one that answers', async () => {
  await using failing = await failingScene();
  await control(failing.scene.board.url, 'faults', { match: { method: 'GET' }, kind: 'status', status: 503 });

  const waits = [await failing.look(0), await failing.look(9)];

  expect(waits).toEqual([1, 4]);
});

test('while calls are held back, a look comes when they may go on, however many looks met that', async () => {
  await using failing = await failingScene();
  const { board } = failing.scene;
  const fault = { match: { method: 'GET' }, kind: 'status', status: 429, retryAfter: 120, times: 1 };
  await control(board.url, 'faults', fault);
  await failing.look(0);

  expect(await failing.look(7)).toBe(2);
});

test('where it could not be asked which boards there are, that is asked again in a minute, not when its time comes', async () => {
  await using scene = await eventScene();
  const accountId = await scene.connectBoard();
  await scene.settled(await scene.newTrigger(await scene.reader(accountId), 'board.new_card', accountId));
  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  const minutes = async () => {
    const { rows } = await sql<{ minutes: number }>`
      select round(extract(epoch from resync_at - clock_timestamp()) / 60)::integer as minutes
      from triggers`.execute(store.system);
    return rows[0]?.minutes;
  };
  const ask = () => sql`update triggers set resync_at = clock_timestamp() - interval '1 ms'`.execute(store.system);
  scene.board.control.faults.add({ match: { method: 'GET' }, kind: 'status', status: 503 });
  await ask();
  await expect.poll(minutes).toBe(1);
  scene.board.control.faults.clear();

  await ask();

  await expect.poll(minutes).toBe(5);
  await store.close();
});

test('a service that answers a look with a conflict is asked less and less often, and the diagnosis tells of it', async () => {
  await using failing = await failingScene();
  const { scene } = failing;
  await control(scene.board.url, 'faults', { match: { method: 'GET' }, kind: 'status', status: 409 });
  expect(await failing.look(2)).toBe(4);
  const [{ id }] = (await scene.made('GET', '/v1/triggers')).items;
  const { cause } = await scene.made('GET', `/v1/triggers/${id}/diagnosis`);
  expect(cause).toMatchObject({
    check: 'watch',
    message: expect.stringMatching(/is degraded: .+ Something changed at the same time/),
  });
});
