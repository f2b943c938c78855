import { z } from 'zod';
import { Fault } from '#kit';

/** An answer of another shape than the service's is the service's doing. */
export const understood = <T>(reading: Promise<T>): Promise<T> =>
  reading.catch((error: unknown) => {
    if (!(error instanceof z.ZodError)) throw error;
    const message = 'The service answered in a way we do not know; try again later.';
    throw new Fault('upstream_unavailable', message, { cause: error });
  });
