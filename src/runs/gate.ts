import type { Intended, NewIntent } from '#effects';

/**
 * Holds a run that is carried out as far as its first call before it is stored. Whatever it would do outside waits here
 * until it is: then the first write was intended in the same moment.
 */
export type Gate = {
  /** What the run would write first; `undefined` when it begins otherwise. Known once it waits here or has ended. */
  first: Promise<NewIntent | undefined>;
  /** Waits until the run is stored; answers when `write` was intended with it, if it was. */
  pass(write?: NewIntent): Promise<Intended | undefined>;
  /** The run is stored. */
  open(intended: Intended | undefined): void;
  /** It never will be, or it is carried out anew. */
  close(): void;
  /** The run has ended, perhaps without coming here. */
  ended(): void;
};

/** Ends an execution that was only prepared. */
class NotStored extends Error {}

export const createGate = (): Gate => {
  const waiting = Promise.withResolvers<NewIntent | undefined>();
  const stored = Promise.withResolvers<Intended | undefined>();
  stored.promise.catch(() => {});
  let isOpen = false;
  let isFirst = true;
  return {
    first: waiting.promise,
    pass: async (write) => {
      if (isOpen) return undefined;
      const mine = isFirst;
      isFirst = false;
      if (mine) waiting.resolve(write);
      const intended = await stored.promise;
      return mine ? intended : undefined;
    },
    open: (intended) => {
      isOpen = true;
      stored.resolve(intended);
    },
    close: () => {
      if (!isOpen) stored.reject(new NotStored());
    },
    ended: () => {
      if (isFirst) waiting.resolve(undefined);
    },
  };
};
