import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { silentLog } from '#log';
import { openStore } from '#store';
import { eventScene } from '../../test/event-scene.ts';

const hourMs = 3_600_000;

/** A trigger on all boards, made ten hours ago and told six hours ago which there are; `at` does something at the service hours ago. */
const longAgoScene = async () => {
  const scene = await eventScene();
  const { board, bench } = scene;
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const { id: triggerId } = await scene.newTrigger(agentId, 'board.new_card', accountId);
  const store = openStore({ connectionString: bench.connectionString, max: 1, log: silentLog });
  await sql`update triggers set since = since - interval '10 hours', told_at = told_at - interval '6 hours'`.execute(
    store.system,
  );
  const minutes = async () => {
    const { rows } = await sql<{ minutes: number }>`
      select round(extract(epoch from resync_at - clock_timestamp()) / 60)::integer as minutes
      from triggers where id = ${triggerId}`.execute(store.system);
    return rows[0]?.minutes;
  };
  return {
    scene,
    accountId,
    agentId,
    triggerId,
    at: <T>(hours: number, act: () => T): T => {
      board.world.seedTime = Date.now() - hours * hourMs;
      // Ids tell the time, too.
      board.world.ids.second = 0;
      try {
        return act();
      } finally {
        board.world.seedTime = null;
      }
    },
    /** Asks which boards there are, and waits until that came to be `next` minutes away. */
    ask: async (next: number) => {
      await sql`update triggers set resync_at = clock_timestamp() - interval '1 ms' where id = ${triggerId}`.execute(
        store.system,
      );
      await expect.poll(minutes).toBe(next);
    },
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await scene[Symbol.asyncDispose]();
    },
  };
};

type LongAgo = Awaited<ReturnType<typeof longAgoScene>>;

/** A board that the account came to lately, with a card from before it was told last which there are, and one from after that. */
const newBoard = ({ scene: { board }, at }: LongAgo) => {
  const fresh = at(7, () => board.newBoard());
  const [list] = board.lists(fresh);
  if (list === undefined) throw new Error('no list');
  at(7, () => board.newCard({ list, name: 'Before it was told' }));
  at(5, () => board.newCard({ list, name: 'After it was told' }));
  return fresh;
};

const told = async ({ scene }: LongAgo, triggerId: string): Promise<string[]> => {
  await scene.eventsUntil(1, { triggerId, outcome: 'fired' });
  return (await scene.events({ triggerId })).map((event) => event.summary);
};

test('what happened on a new board is told however long it could not be asked which boards there are, and nothing that is older', async () => {
  await using past = await longAgoScene();
  const { scene, triggerId, ask } = past;
  newBoard(past);
  scene.board.control.faults.add({ match: { method: 'GET' }, kind: 'status', status: 503 });
  await ask(1);
  scene.board.control.faults.clear();

  await ask(5);

  expect(await told(past, triggerId)).toEqual([expect.stringContaining('After it was told')]);
});

test('what happened on a new board is told also where another trigger has watched it since it was found', async () => {
  await using past = await longAgoScene();
  const { scene, accountId, agentId, triggerId, ask } = past;
  const fresh = newBoard(past);
  const named = await scene.newTrigger(agentId, 'board.new_card', accountId, { boards: [fresh.id] });
  await scene.settled(named);

  await ask(5);

  expect(await told(past, triggerId)).toEqual([expect.stringContaining('After it was told')]);
  expect(await scene.events({ triggerId: named.id })).toEqual([]);
});

test('where a trigger was told just now which boards there are, nothing starts of what happened on one before the account came to it', async () => {
  await using past = await longAgoScene();
  const { scene, triggerId, ask, at } = past;
  await ask(5);
  const theirs = at(5, () => scene.board.newBoard({ as: 'ben' }));
  const [list] = scene.board.lists(theirs);
  if (list === undefined) throw new Error('no list');
  at(0.5, () => scene.board.newCard({ list, as: 'ben', name: 'Before Ada came' }));
  await scene.service.make('PUT', `/1/boards/${theirs.id}/members`, { email: 'ada@sandbox.test' }, 'ben');
  await ask(5);
  scene.board.newCard({ list, as: 'ben', name: 'After' });

  expect(await told(past, triggerId)).toEqual([expect.stringContaining('After')]);
});

test('what happened on a new board is told also where the settings of the trigger are changed before it is found', async () => {
  await using past = await longAgoScene();
  const { scene, triggerId } = past;
  newBoard(past);

  await scene.made('PATCH', `/v1/triggers/${triggerId}`, { config: { ignoreSelf: false } });

  expect(await told(past, triggerId)).toEqual([expect.stringContaining('After it was told')]);
});
