import { Fault, type Occurrence } from '#kit';
import { type Mailbox, readMessage } from './read-message.ts';

const atOnce = 3;
const mostTries = 8;

type Read = {
  occurrences: Occurrence[];
  /** Those that need not be read again. */
  told: { id: string; at: Date }[];
  /** Those that could not be read this time, with how often that was tried. */
  later: [string, number][];
  gaps: string[];
};

/** Failures that would meet every other message too. */
const concernsAll = (error: unknown): boolean =>
  !(error instanceof Fault) || ['rate_limited', 'reconnect_needed', 'unavailable', 'forbidden'].includes(error.code);

/** Reads messages, a few at a time. One that cannot be read holds up no other and is tried again at later looks. */
export const readEach = async (
  at: Mailbox,
  ids: readonly string[],
  triedBefore: ReadonlyMap<string, number>,
): Promise<Read> => {
  const read: Read = { occurrences: [], told: [], later: [], gaps: [] };
  const failures: unknown[] = [];
  let answered = 0;
  const waiting = [...ids];
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        const occurrence = await readMessage(at, id);
        answered += 1;
        if (occurrence === undefined) continue;
        read.occurrences.push(occurrence);
        read.told.push({ id, at: occurrence.at });
      } catch (error) {
        if (concernsAll(error)) throw error;
        failures.push(error);
        const tries = (triedBefore.get(id) ?? 0) + 1;
        if (tries < mostTries) {
          read.later.push([id, tries]);
          continue;
        }
        read.gaps.push('A message could not be read, however often it was tried.');
        read.told.push({ id, at: at.context.now });
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: atOnce }, work));
  const stopped = workers.find((each) => each.status === 'rejected');
  if (stopped !== undefined) throw stopped.reason;
  // Where nothing at all can be read it is the service that fails, not a message.
  if (answered === 0 && failures.length > 0) throw failures[0];
  return read;
};
