import type { Done, DoneWrite } from '#effects';
import { Fault } from '#kit';

const mostTold = 5;

const inWords = ({ method, path, id }: DoneWrite): string =>
  `${method} ${path}${id === undefined ? '' : ` (made ${id})`}`;

/**
 * A failure of a step that had done something before: it says so, and what. What would be done twice is not carried out anew
 * under its key.
 */
export const afterWrites = (error: unknown, { twice, harmless }: Done): unknown => {
  const all = [...twice, ...harmless];
  const [first] = all;
  // A run that met `unavailable` goes on by itself from where it is.
  if (!(error instanceof Fault) || error.code === 'unavailable' || first === undefined) return error;
  const isTwice = twice.length > 0;
  const more = all.length > 1 ? ` and ${all.length - 1} more${isTwice ? ' (details.done)' : ''}` : '';
  const unclear = error.code === 'outcome_unknown' ? '' : ' The whole again does no harm.';
  const again = isTwice ? ' The whole again does it once more.' : unclear;
  return new Fault(error.code, `${error.message} Done before that: ${inWords(first)}${more}.${again}`, {
    details: { ...error.details, ...(isTwice ? { done: all.slice(0, mostTold) } : {}) },
    retryAfterMs: error.retryAfterMs,
    cause: error,
  });
};
