import { sql } from 'kysely';
import type { Log } from '#log';
import type { Store } from './store.ts';

const everyMs = 10_000;
/** By how much two processes may differ. */
export const clocksApartMs = 100;
// A machine that is no further off is as right as any, and tells the time more evenly than answers arrive.
const tolerableMs = clocksApartMs / 2;

/**
 * The database's time, which all processes share, carried on by this machine's steady timer: a clock that is wrong here, or
 * jumps, moves nothing.
 */
export const followDatabaseTime = async ({
  store,
  log,
  lookMs = everyMs,
}: {
  store: Pick<Store, 'system'>;
  log: Log;
  lookMs?: number;
}) => {
  /** The moment at which the steady timer stood at zero. */
  let start = 0;
  const look = async (): Promise<void> => {
    const asked = performance.now();
    const { rows } = await sql<{ ms: number }>`
      select extract(epoch from clock_timestamp())::float8 * 1000 as ms`.execute(store.system);
    const halfMs = (performance.now() - asked) / 2;
    const machine = Date.now() - performance.now();
    // It was told at some moment between the asking and the answer.
    const database = (rows[0]?.ms ?? 0) - asked - halfMs;
    start = Math.abs(machine - database) < tolerableMs + halfMs ? machine : database;
  };
  await look();
  const timer = setInterval(() => {
    look().catch((error: unknown) => log.debug({ err: error }, 'the time could not be asked for'));
  }, lookMs).unref();
  return {
    now: (): number => start + performance.now(),
    close: (): void => clearInterval(timer),
  };
};
