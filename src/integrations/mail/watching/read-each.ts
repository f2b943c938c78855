import { Fault, type Occurrence } from '#kit';
import { type Mailbox, readMessage, SentCopy } from './read-message.ts';

const atOnce = 3;

/** Failures that would meet every other message too. */
const concernsAll = (error: unknown): boolean =>
  !(error instanceof Fault) || ['rate_limited', 'reconnect_needed', 'unavailable', 'forbidden'].includes(error.code);

/** Reads messages, a few at a time. One that cannot be read holds up no other. */
export const readEach = async (
  at: Mailbox,
  ids: readonly string[],
): Promise<{ occurrences: Occurrence[]; sentCopies: Map<string, Date>; unread: string[] }> => {
  const occurrences: Occurrence[] = [];
  const sentCopies = new Map<string, Date>();
  const unread: string[] = [];
  const waiting = [...ids];
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        const read = await readMessage(at, id);
        if (read instanceof SentCopy) sentCopies.set(id, read.at);
        else if (read !== undefined) occurrences.push(read);
      } catch (error) {
        if (concernsAll(error)) throw error;
        unread.push(id);
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: atOnce }, work));
  const stopped = workers.find((each) => each.status === 'rejected');
  if (stopped !== undefined) throw stopped.reason;
  return { occurrences, sentCopies, unread };
};
