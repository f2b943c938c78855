import pg from 'pg';

type Asks = { query(text: string): Promise<{ rows: { pid?: number }[] }> };

const serverOf = async (connection: Asks): Promise<number | undefined> =>
  (await connection.query('select pg_backend_pid() as pid')).rows[0]?.pid;

/** Whether a connection stays with one server process while another is busy: a pooler in transaction mode lends it on. */
export const staysTogether = async (one: Asks, other: Asks): Promise<boolean> => {
  const before = await serverOf(one);
  await other.query('begin');
  try {
    await serverOf(other);
    return (await serverOf(one)) === before;
  } finally {
    await other.query('rollback');
  }
};

/** What a connection may see is set on it once: lent to others in between, one workspace would see through another's. */
export const keepsConnections = async (connectionString: string): Promise<boolean> => {
  const clients = [1, 2].map(() => new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 }));
  for (const client of clients) client.on('error', () => {});
  try {
    await Promise.all(clients.map((client) => client.connect()));
    const [one, other] = clients as [pg.Client, pg.Client];
    return await staysTogether(one, other);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
};

export const pooledTooFar =
  'DATABASE_URL leads to a pooler that lends connections for single transactions; let it keep sessions (pool_mode = session), or name the database itself.';
