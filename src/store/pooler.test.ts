import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/database.ts';
import { migrate } from './migrate.ts';
import { keepsConnections, pooledTooFar, staysTogether } from './pooler.ts';

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
  const pool = new pg.Pool({ connectionString: database.connectionString, max: 2 });
  // The database may go first.
  pool.on('error', () => {});
  expect(await keepsConnections(pool)).toBe(true);
  await pool.end();
});

const message = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const head = Buffer.from(`${type}....`);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number): Buffer => Buffer.concat([int16(value >> 16), int16(value & 0xffff)]);
const zeroEnded = (text: string): Buffer => Buffer.from(`${text}\0`);

/** A pooler that answers each query by another server process, and notes what it was asked; `null` once it was more than that. */
const lendingServer = async () => {
  const asked: (string | null)[] = [];
  let lastPid = 0;
  const ready = message('Z', Buffer.from('I'));
  const answer = (text: string): Buffer[] => {
    const done = message('C', zeroEnded('SELECT 1'));
    if (!text.startsWith('select')) return [done, ready];
    lastPid += 1;
    const pid = Buffer.from(String(lastPid));
    const column = [zeroEnded('pid'), int32(0), int16(0), int32(23), int16(4), int32(-1), int16(0)];
    return [message('T', int16(1), ...column), message('D', int16(1), int32(pid.length), pid), done, ready];
  };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', int32(0)), ready]));
      socket.on('data', (bytes: Buffer) => {
        const type = String.fromCharCode(bytes[0] ?? 0);
        const text = type === 'Q' ? bytes.subarray(5, -1).toString() : null;
        if (type !== 'X') asked.push(text);
        if (text === null) socket.destroy();
        else socket.write(Buffer.concat(answer(text)));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { asked, connectionString: `postgres://x@127.0.0.1:${port}/x`, close: () => void server.close() };
};

test('nothing is migrated behind a pooler that lends a connection for one transaction', async () => {
  const lending = await lendingServer();
  await expect(migrate(lending.connectionString)).rejects.toThrow(pooledTooFar);
  expect(lending.asked).not.toContain(null);
  expect(new Set(lending.asked)).toEqual(new Set(['select pg_backend_pid() as pid', 'begin', 'rollback']));
  lending.close();
});
