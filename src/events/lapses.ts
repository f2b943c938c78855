import { sql } from 'kysely';
import { maxAttempts } from './settle.ts';

/** A try that did not end is none that failed; but what takes one process after the other with it must not go on for ever. */
export const mostLapses = 3 * maxAttempts;

/** Why nobody tries it any more. */
export const diedWords = 'Each process that dealt with this ended before it was done; it is tried no more.';

// What died together again and again is taken up apart: so whatever was only beside the cause comes to its end.
const lapsesApart = 3;

/** Until when what is taken now is left to whoever took it, unless there is a sign of life. */
export const leftUntil = (leaseMs: number) => sql`clock_timestamp() + ${leaseMs}::float * interval '1 ms'
  * case when lapses < ${lapsesApart}::integer then 1 else 1 + 2 * random() end`;
