import pg from 'pg';
import { firstIdAt, type IdPrefix } from '#store';

type Columns = Record<string, string>;

/** What names the run in each. */
const runColumns = { runs: 'id', events: 'run_id', effects: 'run_id', audit: "details ->> 'runId'" };

/** Copies of what belongs to one run, made by the database, with columns computed from `n`. */
const multiply = (
  client: pg.Client,
  table: keyof typeof runColumns,
  run: string,
  columns: Columns,
  span: [number, number],
) => {
  const fields = Object.entries(columns).map(([name, expression]) => `'${name}', ${expression}`);
  return client.query(
    `insert into ${table} select (json_populate_record(original, json_build_object(${fields.join(', ')}))).*
     from ${table} original, generate_series($1::int, $2::int) n where ${runColumns[table]} = $3`,
    [...span, run],
  );
};

const atOnce = 50_000;

/** Grows a database's history to so many events, each with its run, effect and audit record, as copies of one that really happened. */
export const growHistory = async (database: string, { from, to }: { from: number; to: number }): Promise<void> => {
  const client = new pg.Client({ connectionString: database });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query("select set_config('app.workspace', '*', false)");
    const { rows } = await client.query<{ run_id: string }>(
      "select e.run_id from events e join runs r on r.id = e.run_id where r.status = 'succeeded' order by e.id limit 1",
    );
    const run = rows[0]?.run_id;
    if (run === undefined) throw new Error('nothing has happened yet');
    // Older than everything else, as history is, and not so old that it would be removed.
    const yesterday = new Date(Date.now() - 86_400_000);
    const numbered = (prefix: IdPrefix) => {
      const first = firstIdAt(prefix, yesterday);
      return `'${first.slice(0, -16)}' || lpad(n::text, 16, '0')`;
    };
    for (let at = from; at < to; at += atOnce) {
      const span: [number, number] = [at, Math.min(to, at + atOnce) - 1];
      await multiply(client, 'runs', run, { id: numbered('run'), request_key: 'null' }, span);
      await multiply(
        client,
        'events',
        run,
        { id: numbered('evt'), key: "'past ' || n", run_id: numbered('run') },
        span,
      );
      await multiply(client, 'effects', run, { id: numbered('eff'), run_id: numbered('run') }, span);
      await multiply(client, 'audit', run, { id: numbered('aud') }, span);
    }
    // As the database does by itself after a while.
    await client.query('vacuum (analyze) events, runs, effects, audit');
  } finally {
    await client.end();
  }
};
