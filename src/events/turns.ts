import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '#clock';

/**
 * Keeps the order in which notifications of one watch came, although there is a quick way and a usual one: nobody begins
 * the quick way before those who came earlier have ended theirs, and nobody takes it while one goes the usual way.
 */
export type Turns = <Answer>(
  watch: string,
  ways: { quick: () => Promise<Answer | undefined>; usual: () => Promise<Answer> },
) => Promise<Answer>;

type Line = {
  metAt: number;
  /** Those on the quick way. */
  quick: Set<Promise<unknown>>;
  /** How many go the usual way. */
  usual: number;
  gathering: Promise<void> | undefined;
};

const busyMs = 1_000;
const gatherMs = 15;
// What has arrived by then is read first, however long this process was kept from it.
const moreTurns = 4;
const remembered = 10_000;

export const createTurns = (clock: Clock): Turns => {
  const lines = new Map<string, Line>();

  const lineOf = (watch: string): Line => {
    const known = lines.get(watch);
    if (known !== undefined) return known;
    if (lines.size >= remembered) {
      for (const [name, { quick, usual, gathering }] of lines) {
        if (quick.size + usual === 0 && gathering === undefined) lines.delete(name);
      }
    }
    const line: Line = { metAt: Number.NEGATIVE_INFINITY, quick: new Set(), usual: 0, gathering: undefined };
    lines.set(watch, line);
    return line;
  };

  const pause = async (): Promise<void> => {
    await clock.sleep(gatherMs);
    for (let turn = 0; turn < moreTurns; turn += 1) await nextTurn();
  };

  /** Where several come at the same moment, each by a connection of its own, they are put in order before they start. */
  const gather = (line: Line): Promise<void> | undefined => {
    const now = performance.now();
    const busy = now - line.metAt < busyMs;
    line.metAt = now;
    if (line.gathering !== undefined || (line.quick.size === 0 && !busy)) return line.gathering;
    line.gathering = Promise.allSettled([...line.quick, ...(busy ? [pause()] : [])]).then(() => {
      line.gathering = undefined;
    });
    return line.gathering;
  };

  return async (watch, { quick, usual }) => {
    const line = lineOf(watch);
    await gather(line);
    const attempt = async () => {
      const answer = line.usual > 0 ? undefined : await quick().catch(() => undefined);
      if (answer === undefined) line.usual += 1;
      return answer;
    };
    const attempting = attempt();
    line.quick.add(attempting);
    const answer = await attempting;
    line.quick.delete(attempting);
    if (answer !== undefined) return answer;
    try {
      return await usual();
    } finally {
      line.usual -= 1;
    }
  };
};
