import type pg from 'pg';

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

const patienceMs = 10_000;

const tooFewLent = `two connections at once are not answered within ${patienceMs / 1_000} s; a pooler in between must lend as many as each process opens (DATABASE_POOL and its queue's).`;

const inTime = async <T>(asked: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(tooFewLent)), patienceMs);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
};

/** What a connection may see is set on it once: lent to others in between, one workspace would see through another's. */
export const keepsConnections = async (pool: pg.Pool): Promise<boolean> => {
  const lent = await Promise.allSettled([pool.connect(), pool.connect()]);
  const clients = lent.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  let kept = false;
  try {
    for (const each of lent) if (each.status === 'rejected') throw each.reason;
    const [one, other] = clients as [pg.PoolClient, pg.PoolClient];
    kept = await inTime(staysTogether(one, other));
    return kept;
  } finally {
    // One that is not answered would never be given back.
    for (const client of clients) client.release(!kept);
  }
};

export const pooledTooFar =
  'DATABASE_URL leads to a pooler that lends connections for single transactions; let it keep sessions (pool_mode = session), or name the database itself.';
