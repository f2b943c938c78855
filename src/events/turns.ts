import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '#clock';

/** What a notification is about: one subject of a watch, or `undefined` where that is not known yet, or several. */
export type Place = { watch: string; subject: string | undefined };

/**
 * Keeps the order in which notifications about one subject came, although there is a quick way and a usual one: nobody
 * begins the quick way before those who came earlier have ended theirs, and nobody takes it while one of its watch goes
 * the usual way. What may be about any subject waits for all of its watch, and they for it.
 */
export type Turns = <Answer>(
  place: Place,
  ways: { quick: () => Promise<Answer | undefined>; usual: () => Promise<Answer> },
) => Promise<Answer>;

type Line = {
  metAt: number;
  /** Those on the quick way. */
  quick: Set<Promise<unknown>>;
  gathering: Promise<void> | undefined;
};
type Watch = Line & {
  /** Those on the quick way, whatever they are about. */
  all: Set<Promise<unknown>>;
  /** How many go the usual way. */
  usual: number;
};

const busyMs = 1_000;
const gatherMs = 15;
// What has arrived by then is read first, however long this process was kept from it.
const moreTurns = 4;
const remembered = 10_000;

const newLine = (): Line => ({ metAt: Number.NEGATIVE_INFINITY, quick: new Set(), gathering: undefined });

/** Lines by name; those where nobody stands and nobody was met lately are forgotten. */
const createBook = <Kept extends Line>(make: () => Kept, isIdle: (line: Kept) => boolean) => {
  const lines = new Map<string, Kept>();
  return (name: string): Kept => {
    const known = lines.get(name);
    if (known !== undefined) return known;
    if (lines.size >= remembered) {
      const lately = performance.now() - busyMs;
      for (const [each, line] of lines) {
        if (isIdle(line) && line.gathering === undefined && line.metAt < lately) lines.delete(each);
      }
    }
    const line = make();
    lines.set(name, line);
    return line;
  };
};

export const createTurns = (clock: Clock): Turns => {
  const watchOf = createBook<Watch>(
    () => ({ ...newLine(), all: new Set(), usual: 0 }),
    ({ all, usual }) => all.size + usual === 0,
  );
  const lineOf = createBook<Line>(newLine, ({ quick }) => quick.size === 0);

  const pause = async (): Promise<void> => {
    await clock.sleep(gatherMs);
    for (let turn = 0; turn < moreTurns; turn += 1) await nextTurn();
  };

  /** Where several come at the same moment, each by a connection of its own, they are put in order before they start. */
  const gather = (line: Line, watch: Watch): Promise<void> | undefined => {
    const now = performance.now();
    const busy = now - line.metAt < busyMs;
    line.metAt = now;
    if (line.gathering !== undefined) return line.gathering;
    const earlier: Promise<unknown>[] = line === watch ? [...watch.all] : [...line.quick, ...watch.quick];
    if (watch.gathering !== undefined) earlier.push(watch.gathering);
    if (earlier.length === 0 && !busy) return undefined;
    line.gathering = Promise.allSettled(busy ? [...earlier, pause()] : earlier).then(() => {
      line.gathering = undefined;
    });
    return line.gathering;
  };

  return async (place, { quick, usual }) => {
    const watch = watchOf(place.watch);
    const line = place.subject === undefined ? watch : lineOf(`${place.watch} ${place.subject}`);
    const gathering = gather(line, watch);
    // Whom nobody keeps from it begins at once, so that the next one finds it.
    if (gathering !== undefined) await gathering;
    const attempt = async () => {
      const answer = watch.usual > 0 ? undefined : await quick().catch(() => undefined);
      if (answer === undefined) watch.usual += 1;
      return answer;
    };
    const attempting = attempt();
    line.quick.add(attempting);
    watch.all.add(attempting);
    const answer = await attempting;
    line.quick.delete(attempting);
    watch.all.delete(attempting);
    if (answer !== undefined) return answer;
    try {
      return await usual();
    } finally {
      watch.usual -= 1;
    }
  };
};
