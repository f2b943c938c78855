import { sql } from 'kysely';
import { maxAttempts } from './settle.ts';

/** A try that did not end is none that failed; but what takes one process after the other with it must not go on for ever. */
export const mostLapses = 3 * maxAttempts;

/** Why nobody tries it any more. */
export const diedWords = 'Each process that dealt with this ended before it was done; it is tried no more.';

// What died together again and again is taken up apart: so whatever was only beside the cause comes to its end.
export const lapsesApart = 3;

const lapsed = sql`lapses + (lease_owner is not null)::integer`;

/**
 * Whoever claims a watch that its process has not let go of counts one more lapse. From a few on, what is met there is judged
 * apart, which whoever remembers the watch learns by its number.
 */
export const countLapse = sql`lapses = ${lapsed},
  apart_until = case when ${lapsed} < ${lapsesApart}::integer then apart_until
    else clock_timestamp() + interval '1 day' end,
  roster = roster + (${lapsed} >= ${lapsesApart}::integer)::integer`;

/** Until when what is taken now is left to whoever took it, unless there is a sign of life. */
export const leftUntil = (leaseMs: number, afterMostMs = leaseMs) => sql`clock_timestamp() + interval '1 ms'
  * case when lapses < ${lapsesApart}::integer then ${leaseMs}::float
    when lapses < ${mostLapses}::integer then ${leaseMs}::float * (1 + 2 * random())
    else greatest(${leaseMs}::float * (1 + 2 * random()), ${afterMostMs}::float) end`;

/** Why nothing is found where looking itself ends processes. */
export const lookDiedWords = 'Each process that looked here ended before it was done; it is looked again now and then.';
