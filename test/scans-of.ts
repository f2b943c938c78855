import pg from 'pg';
import { plannedOnce } from '#store';

type Row = { name: string; scans: number };

/** A connection on which plans are made once, by what is stored when a statement is first met. */
export const plannedConnection = async (connectionString: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(`select set_config('app.workspace', '*', false)`);
  await client.query(plannedOnce);
  return client;
};

/** How often `act` looks into each index of a table. */
export const scansOf = async (client: pg.Client, table: string, act: () => Promise<unknown>): Promise<Row[]> => {
  const now = async () => {
    const { rows } = await client.query<Row>(
      `select i.indexrelid::regclass::text as name, pg_stat_get_xact_numscans(i.indexrelid)::integer as scans
       from pg_index i where i.indrelid = $1::regclass order by 1`,
      [table],
    );
    return new Map(rows.map(({ name, scans }) => [name, scans]));
  };
  const before = await now();
  await act();
  return [...(await now())].flatMap(([name, scans]) => {
    const more = scans - (before.get(name) ?? 0);
    return more === 0 ? [] : [{ name, scans: more }];
  });
};
