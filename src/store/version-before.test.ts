import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/database.ts';

/*
 * Processes of the version before go on beside those of the next one, on the database that the next one has migrated. What they
 * ask for is kept here, as it was in the version before; with a new version it is recorded anew:
 * RECORD=1 npm test -- src/store/version-before.test.ts
 */

const file = new URL('version-before.json', import.meta.url);
const migrations = new URL('migrations/', import.meta.url);

type Recorded = {
  migrations: Record<string, string>;
  columns: Record<string, Record<string, string>>;
  functions: string[];
};

const sumsNow = (): Recorded['migrations'] =>
  Object.fromEntries(
    readdirSync(migrations)
      .toSorted()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(new URL(name, migrations)))
          .digest('hex')
          .slice(0, 16),
      ]),
  );

const optional = ' (may be left out)';

const schemaNow = async (client: pg.Client): Promise<Pick<Recorded, 'columns' | 'functions'>> => {
  const { rows: columns } = await client.query<{ relation: string; columns: Record<string, string> }>(`
    select c.relname as relation, json_object_agg(a.attname, format_type(a.atttypid, a.atttypmod)
      || case when a.attnotnull and not a.atthasdef and a.attidentity = '' then '' else '${optional}' end order by a.attname) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'c') and c.relname not like 'kysely%'
    group by 1 order by 1`);
  const { rows: functions } = await client.query<{ told: string }>(`
    select p.oid::regprocedure || ' -> ' || pg_get_function_result(p.oid) as told from pg_proc p
    where p.pronamespace = 'public'::regnamespace order by 1`);
  return {
    columns: Object.fromEntries(columns.map((each) => [each.relation, each.columns])),
    functions: functions.map(({ told }) => told),
  };
};

/** What one of the version before would miss, or not know how to fill. */
const missedIn = (before: Recorded, now: Recorded): string[] => [
  ...Object.entries(before.migrations).flatMap(([name, sum]) =>
    now.migrations[name] === sum ? [] : [`${name} has been run as it was: leave it and add another`],
  ),
  ...before.functions.filter((told) => !now.functions.includes(told)).map((told) => `${told} is not there any more`),
  ...Object.entries(before.columns).flatMap(([relation, columns]) => [
    ...Object.entries(columns).flatMap(([name, type]) => {
      const there = now.columns[relation]?.[name];
      return there === type || there === `${type}${optional}`
        ? []
        : [`${relation}.${name} was ${type} and is ${there}`];
    }),
    ...Object.entries(now.columns[relation] ?? {}).flatMap(([name, type]) =>
      name in columns || type.endsWith(optional) ? [] : [`${relation}.${name} is new and must be given`],
    ),
  ]),
];

test('the version before finds on the newest database all that it asks for, and leaves nothing out that must be given', async () => {
  await using database = await freshDatabase();
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  const now = { migrations: sumsNow(), ...(await schemaNow(client)) };
  await client.end();
  if (process.env['RECORD'] === '1') writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`);
  const before = JSON.parse(readFileSync(file, 'utf8')) as Recorded;
  expect(missedIn(before, now)).toEqual([]);

  // And it would be told.
  const columns = { ...now.columns, runs: { ...now.columns['runs'], made_later: 'text', status: 'integer' } };
  const migrated = { ...now.migrations, '0001-house.sql': 'changed' };
  expect(missedIn(before, { migrations: migrated, columns, functions: now.functions.slice(1) })).toHaveLength(4);
});
