import pg from 'pg';
import { expect, test } from 'vitest';
import { silentLog } from '#log';
import { freshDatabase } from '../../test/database.ts';
import { migrate } from './migrate.ts';
import { openStore } from './store.ts';

/*
 * Processes are replaced one after the other: for a while one works on a database that a newer version has changed.
 */

test('what each connection has planned is planned anew when a newer version has added a column to the rows that it answers', async () => {
  await using database = await freshDatabase();
  const store = openStore({ connectionString: database.connectionString, max: 8, log: silentLog });
  const runs = { name: 'whole_rows', text: 'select r.* from runs r, pg_sleep($1)' };
  const onEach = () => Promise.all([0.05, 0.05].map((seconds) => store.planned(runs, [seconds])));
  expect(await onEach()).toEqual([[], []]);
  const newer = new pg.Client({ connectionString: database.connectionString });
  await newer.connect();
  await newer.query('alter table runs add column of_a_newer_version text');
  await newer.end();
  expect(await onEach()).toEqual([[], []]);
  await store.close();
});

test('a database that got a later migration before an earlier one gets the earlier one, too', async () => {
  await using database = await freshDatabase();
  const before = new pg.Client({ connectionString: database.connectionString });
  await before.connect();
  const missing = '0083-waited-for-services';
  await before.query('alter table runs drop column tries, drop column waited_ms');
  await before.query('delete from kysely_migration where name = $1', [missing]);
  expect(await migrate(database.connectionString)).toEqual({ done: [missing], newer: [] });
  const { rows } = await before.query('select tries, waited_ms from runs');
  expect(rows).toEqual([]);
  await before.end();
});
