import pg from 'pg';
import { expect, test } from 'vitest';
import { freshDatabase } from './database.ts';

const connect = async (connectionString: string) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
};

test('what one test writes, another does not see', async () => {
  await using one = await freshDatabase();
  await using other = await freshDatabase();
  const [first, second] = [await connect(one.connectionString), await connect(other.connectionString)];

  await first.query('CREATE TABLE mine (id integer)');

  const { rows } = await second.query("SELECT to_regclass('mine') AS found");
  expect(rows).toEqual([{ found: null }]);
  await Promise.all([first.end(), second.end()]);
});

test('a disposed database is gone, though a connection was left open', async () => {
  const database = await freshDatabase();
  const forgotten = await connect(database.connectionString);
  forgotten.on('error', () => {});

  await database[Symbol.asyncDispose]();

  await expect(connect(database.connectionString)).rejects.toThrow(/does not exist/);
});
