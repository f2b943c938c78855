import type { Log } from '#log';
import type { Statement } from './store.ts';

/** Hears of changes that other processes make, by asking for them several times a second while anybody cares. */
export type Pulse = {
  /** Nothing that was not told of has changed before this moment (of performance.now()). Infinitely long ago: not heard. */
  heardAt(): number;
  /** Called with the name of each thing that changed; without one when anything may have. */
  listen(hear: (name?: string) => void): void;
  /** This process hears at once of what it changed itself. */
  tell(name: string): void;
  /** Forgets what every process has heard of long ago. */
  sweep(): Promise<void>;
  close(): void;
};

const beatMs = 120;
/** Who has not asked for so long starts anew. */
const forgottenMs = 30_000;
/** Without anybody who asks, it rests. */
const restMs = 5_000;
const noneYet = '18446744073709551615';

const ask = {
  name: 'told_changes',
  text: `select pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
    array(select distinct what from changes where told_by between $1::xid8 and '${noneYet}') as told`,
};

const forget = {
  name: 'forget_changes',
  text: "delete from changes where told_at < clock_timestamp() - interval '1 hour'",
};

/** A statement in the house's own view. */
type Query = <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;

export const createPulse = ({ query, log }: { query: Query; log: Log }): Pulse => {
  const listeners: ((name?: string) => void)[] = [];
  let horizon: string | undefined;
  let heard = Number.NEGATIVE_INFINITY;
  let wanted = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const tell = (name?: string): void => {
    for (const hear of listeners) hear(name);
  };

  const beat = async (): Promise<void> => {
    const begun = performance.now();
    const since = begun - heard < forgottenMs ? horizon : undefined;
    const [row] = await query<{ horizon: string; told: string[] }>(ask, [since ?? noneYet]);
    if (row === undefined) return;
    // A database that was put back to an earlier state counts from there.
    if (since === undefined || BigInt(row.horizon) < BigInt(since)) tell();
    else for (const name of row.told) tell(name);
    horizon = row.horizon;
    heard = begun;
  };

  const goOn = (): void => {
    if (closed || performance.now() - wanted > restMs) {
      timer = undefined;
      return;
    }
    beat()
      .catch((error: unknown) => log.debug({ err: error }, 'changes could not be asked for'))
      .finally(() => {
        timer = setTimeout(goOn, beatMs).unref();
      });
  };

  return {
    heardAt: () => {
      wanted = performance.now();
      if (timer === undefined && !closed) {
        timer = setTimeout(goOn, 0).unref();
      }
      return heard;
    },
    listen: (hear) => void listeners.push(hear),
    tell,
    sweep: async () => {
      await query(forget, []);
    },
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
};
