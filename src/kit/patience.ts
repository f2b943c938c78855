import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from './fault.ts';
import type { UpstreamAnswer } from './upstream.ts';

type Ask = () => Promise<UpstreamAnswer>;
/** How long the service asks us to stay away, if it does. */
type PauseOf = (answer: UpstreamAnswer) => number | undefined;

const longestWaitMs = 10_000;
const usualWaitMs = 500;

/** How long to wait before asking again; undefined: there is no point in asking again. */
const waitAfter = (outcome: UpstreamAnswer | Fault, pauseOf: PauseOf): number | undefined => {
  if (outcome instanceof Fault) {
    const { code, retryAfterMs = usualWaitMs } = outcome;
    return code === 'rate_limited' || code === 'upstream_unavailable' ? retryAfterMs : undefined;
  }
  return outcome.status === 429 || outcome.status >= 500 ? (pauseOf(outcome) ?? usualWaitMs) : undefined;
};

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
