import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshStore } from '../../test/fresh-store.ts';
import { removePast } from './remove-past.ts';

test('what is past goes some at a time until none is left, and what is held or has time stays', async () => {
  await using opened = await freshStore();
  const { system } = opened.store;
  await sql`insert into budgets (workspace_id, name, full_at)
    select 'ws', 'past ' || n, now() - interval '1 s' from generate_series(1, 6) n
    union all select 'ws', 'young', now() + interval '1 hour'`.execute(system);

  await system.transaction().execute(async (tx) => {
    await sql`select from budgets where name = 'past 3' for update`.execute(tx);
    await removePast(system, 'budgets', sql`full_at < now()`, { atOnce: 2 });
  });

  const left = await sql<{ name: string }>`select name from budgets order by name`.execute(system);
  expect(left.rows).toEqual([{ name: 'past 3' }, { name: 'young' }]);
});
