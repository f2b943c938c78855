import pg from 'pg';
import { expect } from 'vitest';

/** Every row of every table, as text. */
export const dump = async (connectionString: string): Promise<string> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("select set_config('app.workspace', '*', false)");
  const { rows: tables } = await client.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'jobs')",
  );
  let text = '';
  for (const { name } of tables) {
    const { rows } = await client.query(`select t::text as row from ${name} t`);
    text += rows.map(({ row }: { row: string }) => row).join('\n');
  }
  await client.end();
  return text;
};

/** A secret as it is, and as it would stand in a header, a dump or a JSON of bytes. */
const formsOf = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
  encodeURIComponent(secret),
];

/** Fails with the names, never the values, of what is found where nothing may be. */
export const expectNowhere = (secrets: Record<string, string>, places: Record<string, string>): void => {
  const found = Object.entries(places).flatMap(([place, text]) =>
    Object.entries(secrets)
      .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
      .map(([name]) => `${name} in ${place}`),
  );
  expect(found).toEqual([]);
  const short = Object.entries(secrets).filter(([, secret]) => secret.length < 8);
  expect(short.map(([name]) => name)).toEqual([]);
  const empty = Object.entries(places).filter(([, text]) => text.length < 10);
  expect(empty.map(([place]) => place)).toEqual([]);
};
