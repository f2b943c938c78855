import { Fault } from '#kit';

/**
 * What is told of something that has been stored by now. Where that cannot be told any more, whoever repeated the request as
 * one that did nothing would have it done twice.
 */
export const sinceStored = <T>(telling: () => Promise<T>): Promise<T> =>
  telling().catch((error: unknown) => {
    if (error instanceof Fault) throw error;
    throw new Fault('unavailable', 'This was stored, and then storage was lost: look before you ask for it again.', {
      details: { inDoubt: true },
      cause: error,
    });
  });
