import { z } from 'zod';
import { Fault, type UpstreamAnswer } from '#kit';
import type { Guarded } from './guarded.ts';
import { RunCancelled } from './run-cancelled.ts';

// "Ask again over there": such an answer comes instead of the work. Others may also come after it.
const sentElsewhere = new Set([307, 308]);

/** Whether a write was done, by its answer. */
export const happened = ({ status }: UpstreamAnswer): 'yes' | 'no' | 'perhaps' => {
  if (status >= 200 && status < 300) return 'yes';
  if (status >= 500) return 'perhaps';
  return status < 300 || status >= 400 || sentElsewhere.has(status) ? 'no' : 'perhaps';
};

/** Of several in one: what may have happened leaves all of it open, and what was done in part was done. */
export const happenedOf = (answers: readonly UpstreamAnswer[]): ReturnType<typeof happened> => {
  const outcomes = new Set(answers.map(happened));
  if (outcomes.has('perhaps')) return 'perhaps';
  return outcomes.has('yes') ? 'yes' : 'no';
};

/** An answer that leaves open whether the write happened, such as a gateway's timeout. */
export class Uncertain extends Error {
  readonly answer: UpstreamAnswer;

  constructor(answer: UpstreamAnswer) {
    super(`status ${answer.status}`);
    this.answer = answer;
  }
}

export const unconfirmed = () =>
  new Fault('outcome_unknown', 'The service did not confirm this. It may have happened: look before repeating.');

export const changedMeanwhile = (effectId: string) =>
  new Fault(
    'conflict',
    'A part of this was done before the run was interrupted, and what it was about has changed since. It was not done again: look, then decide.',
    { details: { effectId } },
  );

/**
 * Whether a look that failed is made again: a run waits for storage and, while it has patience left, for the service, but
 * not with a write that has been in doubt for long.
 */
export const staysOpen = (
  error: unknown,
  { lastTry, longestDoubtMs }: Pick<Guarded, 'lastTry' | 'longestDoubtMs'>,
  doubtMs = 0,
): boolean => {
  // Of a run that ends here nobody else will look.
  if (error instanceof z.ZodError || error instanceof RunCancelled) return false;
  if (!(error instanceof Fault)) return true;
  if (error.code === 'unavailable') return true;
  const isLast = lastTry || doubtMs > longestDoubtMs;
  return !isLast && (error.code === 'upstream_unavailable' || error.code === 'rate_limited');
};
