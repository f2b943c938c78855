import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '#clock';
import { Fault } from '#kit';
import type { Store } from '#store';

export type Slots = {
  /** Waits for one of `limit` places and answers the way to leave it. */
  take(
    where: { bucket: string; limit: number },
    turn: { maxWaitMs: number; signal?: AbortSignal | undefined },
  ): Promise<() => void>;
};

// Longer than any call: the places of a process that died come free by themselves.
const heldSeconds = 45;

/** How many calls are under way at once, over all processes: numbered places, held for the length of a call. */
export const createSlots = ({ store, clock }: { store: Store; clock: Clock }): Slots => {
  const holder = randomBytes(8).toString('hex');
  const known = new Set<string>();

  const prepare = async (bucket: string, limit: number): Promise<void> => {
    if (known.has(bucket)) return;
    await sql`insert into call_slots (bucket, slot, holder, until)
      select ${bucket}, n, '', clock_timestamp() from generate_series(1, ${limit}::int) n on conflict do nothing`.execute(
      store.system,
    );
    if (known.size > 10_000) known.clear();
    known.add(bucket);
  };

  const claim = async (bucket: string): Promise<number | undefined> => {
    const { rows } = await sql<{ slot: number }>`
      update call_slots set holder = ${holder}, until = clock_timestamp() + make_interval(secs => ${heldSeconds})
      where (bucket, slot) = (
        select bucket, slot from call_slots where bucket = ${bucket} and until <= clock_timestamp()
        order by slot limit 1 for update skip locked
      ) returning slot`.execute(store.system);
    return rows[0]?.slot;
  };

  const leave = (bucket: string, slot: number) => () => {
    sql`update call_slots set until = clock_timestamp() where bucket = ${bucket} and slot = ${slot} and holder = ${holder}`
      .execute(store.system)
      // It then comes free by itself.
      .catch(() => {});
  };

  return {
    take: async ({ bucket, limit }, { maxWaitMs, signal }) => {
      await prepare(bucket, limit);
      const until = performance.now() + maxWaitMs;
      for (let pause = 10; ; pause = Math.min(pause * 1.5, 200)) {
        const slot = await claim(bucket);
        if (slot !== undefined) return leave(bucket, slot);
        if (performance.now() + pause > until || signal?.aborted) {
          throw new Fault('rate_limited', 'Too many calls to this mailbox are under way; try again in a moment.', {
            retryAfterMs: 1_000,
            details: { own: true },
          });
        }
        await clock.sleep(pause * (0.5 + Math.random() / 2), signal);
      }
    },
  };
};
