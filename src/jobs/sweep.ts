import type { Clock, Intervals } from '#clock';
import type { Log } from '#log';

/** Removes what has expired, again and again. Removing twice does no harm, so every worker does it. */
export const startSweeping = (options: {
  sweeps: readonly { sweep(): Promise<void> }[];
  clock: Clock;
  intervals: Intervals;
  log: Log;
}): { stop(): Promise<void> } => {
  const { sweeps, clock, intervals, log } = options;
  const ending = new AbortController();
  const sweep = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await clock.sleep(intervals.sweepMs, ending.signal);
      if (ending.signal.aborted) return;
      for (const each of sweeps) {
        await each
          .sweep()
          .catch((error: unknown) => log.warn({ err: error }, 'a sweep failed; the next one tries again'));
      }
    }
  };
  const sweeping = sweep();
  return {
    stop: async () => {
      ending.abort();
      await sweeping;
    },
  };
};
