import type { z } from 'zod';

export type JobContext = {
  /** Raised when the job must end now: its time is over, its claim was lost, or the process stops. */
  signal: AbortSignal;
  /** 1 for the first try. */
  attempt: number;
  jobId: string;
};

/** A kind of work that any process may take up. A try that fails is repeated, so handlers expect to run more than once. */
export type JobDefinition<Data> = {
  name: string;
  /** What was sent is parsed again before it is handled: older processes may have sent it. */
  data: z.ZodType<Data>;
  /** How many of these one process handles at a time. */
  concurrency?: number;
  /** How often a failed try is repeated before the job rests among the dead letters. */
  retries?: number;
  /** How long one try may take. */
  expireSeconds?: number;
  handle(data: Data, context: JobContext): Promise<void>;
};

export const defineJob = <Data>(definition: JobDefinition<Data>): JobDefinition<Data> => definition;

/** Runs statements inside the caller's own transaction. */
export type Executor = { executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }> };

export type JobIntervals = {
  /** A process that holds a job and gives no sign for this long is taken for dead; 10 s at least. */
  heartbeatMs: number;
  /** How often it gives that sign. */
  touchMs: number;
  /** How often workers look for jobs of dead processes. */
  superviseMs: number;
  /** How often workers look for jobs whose time has come; new ones wake them at once. */
  pollMs: number;
};

export const defaultJobIntervals: JobIntervals = {
  heartbeatMs: 10_000,
  touchMs: 3_000,
  superviseMs: 4_000,
  pollMs: 1_000,
};
