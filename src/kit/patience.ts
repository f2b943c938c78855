import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from './fault.ts';
import type { UpstreamAnswer } from './upstream.ts';

const longestWaitMs = 10_000;
const usualWaitMs = 500;

/** How long to wait before asking again; undefined: there is no point in asking again. */
const waitAfter = (
  outcome: UpstreamAnswer | Fault,
  pauseOf: (answer: UpstreamAnswer) => number,
): number | undefined => {
  if (outcome instanceof Fault) {
    if (outcome.code === 'rate_limited') return outcome.retryAfterMs ?? usualWaitMs;
    return outcome.code === 'upstream_unavailable' ? usualWaitMs : undefined;
  }
  if (outcome.status === 429) return pauseOf(outcome);
  return outcome.status >= 500 ? usualWaitMs : undefined;
};

type Ask = () => Promise<UpstreamAnswer>;
type PauseOf = (answer: UpstreamAnswer) => number;

const askAgain = async (ask: Ask, repeats: number, pauseOf: PauseOf): Promise<UpstreamAnswer> => {
  const outcome = await ask().catch((error: unknown) => {
    if (error instanceof Fault) return error;
    throw error;
  });
  const wait = waitAfter(outcome, pauseOf);
  if (wait !== undefined && wait <= longestWaitMs) {
    await sleep(wait);
    return patiently(ask, repeats - 1, pauseOf);
  }
  if (outcome instanceof Fault) throw outcome;
  return outcome;
};

/** Asks again while the service, or our own budget for it, is busy. For reads only; long waits are left to the caller. */
export const patiently = (ask: Ask, repeats: number, pauseOf: PauseOf): Promise<UpstreamAnswer> =>
  repeats === 0 ? ask() : askAgain(ask, repeats, pauseOf);
