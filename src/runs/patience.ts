import { Fault } from '#kit';
import type { WaitsFor } from '#store';
import type { RunRow } from './run-records.ts';

/** How often in a row and for how long in all a run was put off because a service was away. */
export type Waited = Pick<RunRow, 'tries' | 'waited_ms'>;

// Both: a service that asks for long pauses is asked often enough, and one that refuses at once is given time to come back.
const leastTries = 8;
const leastWaitMs = 10 * 60_000;

// Whatever comes back finds the run soon; what the service asks for itself is respected as far as this.
const longestOwnDelayMs = 30_000;
const longestDelayMs = 10 * 60_000;

/** A resumed run, or one of an agent, has nobody who would try again for it. */
export const waitsForService = ({
  attempts,
  tries,
  waited_ms: waitedMs,
  agent_id: agentId,
}: Pick<RunRow, 'attempts' | 'agent_id'> & Waited): boolean =>
  (attempts > 1 || agentId !== null) && (tries + 1 < leastTries || waitedMs < leastWaitMs);

// A person hears within five minutes of what stays in doubt, be the service away for longer.
const longestDoubtMs = 4 * 60_000;

/** How long what a run wrote may stay in doubt: however long nobody could look, it is looked for often enough, or as often as the service lets us. */
export const longestDoubtOf = ({ tries, waited_ms: waitedMs }: Waited): number =>
  tries + 1 < leastTries && waitedMs < longestDoubtMs ? Number.POSITIVE_INFINITY : longestDoubtMs;

const isOfService = (code: Fault['code']): code is WaitsFor['code'] =>
  code === 'upstream_unavailable' || code === 'rate_limited';

/** A look that failed is told as `unavailable`, since the run goes on whoever waits for it; what failed is its cause. */
const codeOfService = ({ code, cause }: Fault): WaitsFor['code'] | undefined =>
  [code, ...(cause instanceof Fault ? [cause.code] : [])].find(isOfService);

/** Storage that is away and the emergency stop say nothing about the run itself, so it waits. */
export const waits = (fault: Fault, run: RunRow): boolean =>
  fault.code === 'unavailable' || (isOfService(fault.code) && waitsForService(run));

/** How long a run waits now, and what it has waited for a service by then. What it did meanwhile makes it begin anew. */
export const putOffBy = (
  fault: Fault,
  { attempts, ...run }: Pick<RunRow, 'attempts'> & Waited,
  hasProgressed: boolean,
  service?: string,
): { delayMs: number; waited: Waited; waitsFor: WaitsFor | null } => {
  const before = hasProgressed ? { tries: 0, waited_ms: 0 } : { tries: run.tries, waited_ms: run.waited_ms };
  const code = codeOfService(fault);
  const isAway = code !== undefined;
  const ownMs = Math.min(1_000 * (isAway ? before.tries + 1 : attempts), longestOwnDelayMs);
  const delayMs = Math.min(Math.max(fault.retryAfterMs ?? 0, ownMs), longestDelayMs);
  if (!isAway) return { delayMs, waited: before, waitsFor: null };
  const waited = { tries: before.tries + 1, waited_ms: before.waited_ms + delayMs };
  return { delayMs, waited, waitsFor: { ...(service === undefined ? {} : { service }), code } };
};
