import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/database.ts';
import { keepsConnections, staysTogether } from './pooler.ts';

/** As poolers lend: whoever asks gets the server process that was given back last, for a session or for a transaction. */
const pooler = (mode: 'session' | 'transaction') => {
  const free = [12, 11];
  return () => {
    let lent: number | undefined;
    let busy = false;
    return {
      query: async (text: string) => {
        const pid = lent ?? free.pop();
        if (text === 'begin') busy = true;
        if (text === 'rollback') busy = false;
        lent = mode === 'session' || busy ? pid : undefined;
        if (lent === undefined && pid !== undefined) free.push(pid);
        return { rows: pid === undefined ? [] : [{ pid }] };
      },
    };
  };
};

test('a pooler that lends a connection for one transaction is told from one that keeps sessions', async () => {
  const [lends, keeps] = [pooler('transaction'), pooler('session')];
  expect(await staysTogether(lends(), lends())).toBe(false);
  expect(await staysTogether(keeps(), keeps())).toBe(true);
});

test('the database itself keeps its connections', async () => {
  await using database = await freshDatabase();
  expect(await keepsConnections(database.connectionString)).toBe(true);
});
