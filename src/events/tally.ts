import { sql } from 'kysely';
import type { Log } from '#log';
import type { Store } from '#store';

/** Counts that need not survive a crash: written now and then, so that busy watches do not queue for their own row. */
export type Tally = {
  notified(watchId: string, others: number): void;
  flush(): Promise<void>;
  close(): Promise<void>;
};

export const createTally = (options: { store: Store; log: Log; everyMs: number }): Tally => {
  const { store, log, everyMs } = options;
  let counts = new Map<string, number>();

  const flush = async (): Promise<void> => {
    if (counts.size === 0) return;
    const now = counts;
    counts = new Map();
    // Watches of all workspaces that were notified lately.
    await sql`update watches w set others = w.others + g.n, last_notified_at = clock_timestamp()
      from unnest(${[...now.keys()]}::text[], ${[...now.values()]}::integer[]) as g (id, n)
      where w.id = g.id`.execute(store.system);
  };
  const timer = setInterval(() => {
    flush().catch((error: unknown) => log.warn({ err: error }, 'counts of notifications could not be written'));
  }, everyMs);
  timer.unref();

  return {
    notified: (watchId, others) => void counts.set(watchId, (counts.get(watchId) ?? 0) + others),
    flush,
    close: async () => {
      clearInterval(timer);
      await flush().catch(() => {});
    },
  };
};
