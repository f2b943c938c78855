import type { Intervals } from '#clock';
import type { Log } from '#log';

/** Keeps rows that this process works on from others, a few seconds at a time: whoever dies lets go by that. */
export type Grip = {
  /** Gives signs of life for a row that was taken. */
  hold(id: string): void;
  letGo(id: string): void;
  close(): void;
};

export const createGrip = (options: {
  intervals: Pick<Intervals, 'leaseRenewMs'>;
  log: Log;
  renew: (ids: string[]) => Promise<unknown>;
}): Grip => {
  const { intervals, log, renew } = options;
  // Two of our own workers may hold the same one.
  const held = new Map<string, number>();
  const timer = setInterval(() => {
    if (held.size === 0) return;
    renew([...held.keys()]).catch((error: unknown) => log.warn({ err: error }, 'a sign of life could not be given'));
  }, intervals.leaseRenewMs);
  timer.unref();
  return {
    hold: (id) => void held.set(id, (held.get(id) ?? 0) + 1),
    letGo: (id) => {
      const others = (held.get(id) ?? 1) - 1;
      if (others > 0) held.set(id, others);
      else held.delete(id);
    },
    close: () => clearInterval(timer),
  };
};
