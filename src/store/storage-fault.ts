import pg from 'pg';
import { Fault } from '#kit';

// Classes 08 (connection), 28 (our password was changed there), 53 (resources: disk full, too many connections),
// 57P (shut down, starting up), 58 (I/O); 25006 is a server that only reads, such as a replica after a fail-over.
const awayCodes = /^(08...|25006|28...|53...|57P0[1-5]|58...)$/;
const awaySystem = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  // The line before a server that accepts nobody is full.
  'EAGAIN',
  'EAI_AGAIN',
  'ENOTFOUND',
]);
// Of a pool with nothing to lend, of its new connection, and of one without a pool: nobody was let in within the time.
const notLetIn = /timeout exceeded when trying to connect|due to connection timeout|^timeout expired$/i;
const awayMessages =
  /connection terminated|client has encountered a connection error|client was closed and is not queryable/i;

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

/** Whether a query failed because the database is not there, hangs or cannot write, rather than for what was asked. */
export const isAway = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  // Each address of a name was tried.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isAway);
  const code = codeOf(error);
  return error instanceof pg.DatabaseError
    ? awayCodes.test(code)
    : (awaySystem.has(code) && 'syscall' in error) || notLetIn.test(error.message) || awayMessages.test(error.message);
};

/** Whether the disk of the database is full: it is there, and what can be read is still read. */
export const isFullDisk = (error: unknown): boolean => error instanceof pg.DatabaseError && codeOf(error) === '53100';

/** Whether something was to be written where everything is only read, as on a replica. */
export const isOnlyReading = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && codeOf(error) === '25006';

/**
 * Whether a statement that the connection has planned before answers with other columns now: a newer version has added one
 * to the table whose rows it answers. Nothing was done then, and the connection refuses that statement for as long as it lives.
 */
export const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && codeOf(error) === '0A000' && /cached plan/.test(error.message);

/**
 * Whether two waited for each other's locks and this one gave way, as to a migration, which needs whole tables: all of it was
 * undone, and the next try finds them free.
 */
const isUndone = (error: Error): boolean => error instanceof pg.DatabaseError && codeOf(error) === '40P01';

/** Whether it may have been stored all the same: the line was cut after something was asked, and nobody answered. */
const isInDoubt = (error: Error): boolean =>
  // Nothing was asked where no address let us in.
  !(error instanceof AggregateError) &&
  !(error instanceof pg.DatabaseError) &&
  !('syscall' in error && error.syscall === 'connect') &&
  !notLetIn.test(error.message);

/** Whether the database showed a certificate that nobody vouches for, or that is another's. */
export const isUntrusted = (error: unknown): error is Error =>
  error instanceof Error && /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/.test(codeOf(error));

/** Whether TLS was asked of a server that has none, which the driver tells without a code. */
export const isPlain = (error: Error): boolean => error.message === 'The server does not support SSL connections';

/** Why, in words: a failure to reach several addresses has none of its own. */
export const saidBy = (error: unknown): string => {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(saidBy).join('; ');
  if (isUntrusted(error))
    return `the certificate of the database is not trusted (${codeOf(error)}); name its authority by sslrootcert=/path/to/ca.pem in DATABASE_URL`;
  if (error instanceof Error && isPlain(error))
    return 'the database offers no TLS; switch it on there, or take sslmode out of DATABASE_URL';
  // The queue's engine tells its troubles by copies, which are no errors.
  const told = typeof error === 'object' && error !== null && 'message' in error;
  return told ? String(error.message) : String(error);
};

/** What a failed query means for the caller, where it is not a defect of ours. `reads`: nothing was to be stored. */
export const storageFault = (error: unknown, { reads = false } = {}): Fault | undefined => {
  if (!(error instanceof Error)) return undefined;
  if (isAway(error)) {
    const inDoubt = !reads && isInDoubt(error);
    const message = inDoubt
      ? 'Storage was lost in the middle: what was asked may have been stored. Try again later with the same key, or look first.'
      : 'Storage cannot be reached now; try again later.';
    return new Fault('unavailable', message, {
      retryAfterMs: 1_000,
      cause: error,
      ...(inDoubt ? { details: { inDoubt } } : {}),
    });
  }
  if (isUndone(error))
    return new Fault(
      'unavailable',
      'Storage was changed or locked by another just then, and nothing was stored; try again.',
      {
        retryAfterMs: 1_000,
        cause: error,
      },
    );
  // PostgreSQL keeps no zero character in text.
  if (codeOf(error) === '22021')
    return new Fault('invalid_input', 'A text holds a zero character, which cannot be stored.');
  return undefined;
};
