import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { silentLog } from '#log';
import { newId, openStore } from '#store';
import { eventScene } from '../../test/event-scene.ts';
import { createRetention } from './retention.ts';

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

test('a pause is forgotten with the history, but not before what happened in it has been looked for', async () => {
  await using scene = await eventScene({ intervals: { lookMs: 3_600_000 } });
  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const paused = async (caughtUpAt: Date | null): Promise<string> => {
    const boards = [scene.board.newBoard().id];
    const trigger = await scene.newTrigger(agentId, 'board.new_card', accountId, { boards });
    await scene.settled(trigger);
    await sql`update watches set caught_up_at = ${caughtUpAt} where resource = ${`board/${boards[0]}`}`.execute(
      store.system,
    );
    for (const days of [33, 29]) {
      await sql`insert into passed_pauses (id, workspace_id, trigger_id, whose, from_at, until_at)
        select ${newId('pau', daysAgo(days))}, workspace_id, id, 'trigger', ${daysAgo(days + 1)}, ${daysAgo(days)}
        from triggers where id = ${trigger.id}`.execute(store.system);
    }
    return trigger.id;
  };
  const triggers = [await paused(new Date()), await paused(daysAgo(32)), await paused(daysAgo(35)), await paused(null)];

  await createRetention({ store }).sweep();

  const { rows } = await sql<{ id: string; count: number }>`
    select trigger_id as id, count(*)::integer as count from passed_pauses group by 1`.execute(store.system);
  const left = new Map(rows.map(({ id, count }) => [id, count]));
  expect(triggers.map((id) => left.get(id))).toEqual([1, 1, 2, 2]);
  await store.close();
});
