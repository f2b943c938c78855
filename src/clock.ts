/** The only source of time. Tests and proofs replace it; leases use the database's time instead, which all processes share. */
export type Clock = {
  now(): Date;
  /** Resolves after `ms`, or at once when the signal is raised. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Acts after `ms`, unless it is called off by what it answers. Costs less than a sleep that is broken off. */
  after(ms: number, act: () => void): () => void;
};

// Written out: the promised timer of Node builds an error for every wait that is called off.
const sleep: Clock['sleep'] = (ms, signal) =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });

const after: Clock['after'] = (ms, act) => {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
};

/** What `work` comes to, or `late` once `ms` are over. Afterwards no timer is left that would keep a process from ending. */
export const orLate = <T, L>(clock: Clock, work: Promise<T>, ms: number, late: L): Promise<T | L> => {
  const { promise, resolve } = Promise.withResolvers<L>();
  const callOff = clock.after(ms, () => resolve(late));
  return Promise.race([work, promise]).finally(callOff);
};

/** Real time, moved by `offsetMs`. `now` tells it in milliseconds; left out, this machine does, as well as it knows. */
export const systemClock = (offsetMs = 0, now = (): number => Date.now()): Clock => ({
  now: () => new Date(now() + offsetMs),
  sleep,
  after,
});

/** How long everything that waits waits. Proofs and tests shorten these. */
export type Intervals = {
  /** How long a process may hold a run without a sign of life. */
  leaseMs: number;
  /** How often it gives that sign. */
  leaseRenewMs: number;
  /** How often each worker looks for runs of dead processes. */
  takeoverMs: number;
  /** How often expired rows (sessions, links, idempotency keys) are removed. */
  sweepMs: number;
  /** The queue's heartbeat. */
  jobHeartbeatMs: number;
  /** How long a process that stops still answers, for what was sent to it before anybody knew. */
  lullMs: number;
  /** How long a stop waits for work under way. */
  drainMs: number;
  /** How long an outside write may take. Only after that is one that cannot be found known not to have happened. */
  writeDeadlineMs: number;
  /** How often what happened is looked through although notifications come in. */
  lookMs: number;
  /** How often where none come in. */
  pollMs: number;
  /** How often because the service says that it could not tell of something. */
  missedMs: number;
  /** How often registrations are verified. */
  checkMs: number;
  /** How often each account is searched for registrations that no watch knows. */
  orphanSweepMs: number;
  /** How often triggers on "all boards" and the like ask which there are. */
  resyncMs: number;
  /** How long an event that could not be judged waits; twice as long each time. */
  retryMs: number;
  /** How often workers look for watches, arrivals and events whose time has come. */
  tickMs: number;
  /** How long a notice that was not taken waits at first; what comes after are multiples of it. */
  noticeRetryMs: number;
  /** How often changes are looked for while somebody looks at a workspace or a run. */
  liveMs: number;
  /** How often such a stream shows that it is alive, and whether its reader may stay is asked. */
  liveBeatMs: number;
};

export const defaultIntervals: Intervals = {
  leaseMs: 8_000,
  leaseRenewMs: 2_500,
  takeoverMs: 1_500,
  sweepMs: 60_000,
  jobHeartbeatMs: 10_000,
  lullMs: 250,
  drainMs: 20_000,
  writeDeadlineMs: 12_000,
  lookMs: 240_000,
  pollMs: 60_000,
  missedMs: 10_000,
  checkMs: 600_000,
  orphanSweepMs: 3_600_000,
  resyncMs: 300_000,
  retryMs: 5_000,
  tickMs: 1_000,
  noticeRetryMs: 5_000,
  liveMs: 500,
  liveBeatMs: 15_000,
};
