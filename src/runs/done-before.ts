import type { DoneWrite } from '#effects';
import { Fault } from '#kit';

const mostTold = 5;

const inWords = ({ method, path, id }: DoneWrite): string =>
  `${method} ${path}${id === undefined ? '' : ` (made ${id})`}`;

/**
 * A failure of a step that had done something before: it says so, and what. Under its key it is not carried out anew, because
 * that would be done twice.
 */
export const afterWrites = (error: unknown, done: readonly DoneWrite[]): unknown => {
  // A run that met `unavailable` goes on by itself from where it is.
  if (!(error instanceof Fault) || error.code === 'unavailable' || done.length === 0) return error;
  const [first] = done;
  const what = first === undefined ? '' : inWords(first);
  const more = done.length > 1 ? ` and ${done.length - 1} more (details.done)` : '';
  return new Fault(
    error.code,
    `${error.message} Done before that: ${what}${more}. The whole again does it once more.`,
    {
      details: { ...error.details, done: done.slice(0, mostTold) },
      retryAfterMs: error.retryAfterMs,
      cause: error,
    },
  );
};
