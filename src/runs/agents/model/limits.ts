import { Fault } from '#kit';
import type { ModelRunner } from '../definition.ts';
import type { Story } from './story.ts';

/** How often a model may call tools wrongly before its run ends. */
const mostMistakes = 3;

/** How many tools it may call in one turn. */
export const callsPerTurn = 16;

/** How many steps one call can have, at most: each has numbers of its own for what it writes. */
export const stepsPerCall = 32;

const longestTurnMs = 120_000;

const spent = (what: string, most: number, details: Record<string, unknown>): Fault =>
  new Fault('too_large', `The agent used all of the ${most} ${what} it may use in one run, and was not done.`, {
    details,
  });

/** Refuses another turn when a limit is reached; otherwise how long the turn may take. */
export const timeForTurn = (story: Story, { maxTurns, maxTokens, maxSeconds }: ModelRunner): number => {
  if (story.turns.length >= maxTurns) throw spent('turns', maxTurns, { maxTurns });
  if (story.tokens >= maxTokens) throw spent('tokens', maxTokens, { maxTokens });
  const leftMs = maxSeconds * 1_000 - story.ms;
  if (leftMs <= 0) throw spent('seconds', maxSeconds, { maxSeconds });
  return Math.min(leftMs, longestTurnMs);
};

/** Ends a run whose model does not find its way. */
export const requireSense = ({ mistakes }: Story, last: { message: string }): void => {
  if (mistakes <= mostMistakes) return;
  throw new Fault(
    'upstream_rejected',
    `The model called its tools wrongly ${mistakes} times, so the run was ended. The last mistake: ${last.message}`,
    { details: { mistakes } },
  );
};
