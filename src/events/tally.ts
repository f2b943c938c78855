import { sql } from 'kysely';
import type { Catalogue, Occurrence } from '#kit';
import type { Log } from '#log';
import type { Store } from '#store';
import { kindsOf } from './other-kinds.ts';

type Count = { others: number; integration: string; last: Occurrence | undefined };

/** Counts that need not survive a crash: written now and then, so that busy watches do not queue for their own row. */
export type Tally = {
  /** With what nobody here asked for. */
  notified(watch: { id: string; integration: string }, others?: readonly Occurrence[]): void;
  flush(): Promise<void>;
  close(): Promise<void>;
};

export const createTally = (options: { store: Store; catalogue: Catalogue; log: Log; everyMs: number }): Tally => {
  const { store, catalogue, log, everyMs } = options;
  let counts = new Map<string, Count>();

  const flush = async (): Promise<void> => {
    if (counts.size === 0) return;
    const now = [...counts];
    counts = new Map();
    // Of what came between two writes, the last tells enough of its kind.
    const kinds = now.map(([, { integration, last }]) =>
      JSON.stringify(last === undefined ? {} : kindsOf(catalogue, integration, last)),
    );
    // Watches of all workspaces that were notified lately.
    await sql`update watches w set others = w.others + g.n, last_notified_at = clock_timestamp(),
        other_kinds = w.other_kinds || g.kinds::jsonb
      from unnest(${now.map(([id]) => id)}::text[], ${now.map(([, { others }]) => others)}::integer[], ${kinds}::text[])
        as g (id, n, kinds)
      where w.id = g.id`.execute(store.system);
  };
  const timer = setInterval(() => {
    flush().catch((error: unknown) => log.warn({ err: error }, 'counts of notifications could not be written'));
  }, everyMs);
  timer.unref();

  return {
    notified: ({ id, integration }, others = []) => {
      const before = counts.get(id);
      const count = (before?.others ?? 0) + others.length;
      counts.set(id, { others: count, integration, last: others.at(-1) ?? before?.last });
    },
    flush,
    close: async () => {
      clearInterval(timer);
      await flush().catch(() => {});
    },
  };
};
