import type { Message } from '../mailbox.ts';

/* Arrays of messages, oldest first by `received`, then `seq`: lists read them from the end and never sort. */

const before = (a: Message, received: number, seq: number): boolean =>
  a.received < received || (a.received === received && a.seq < seq);

/** Where the first message at or after this point is. */
export const lowerBound = (list: readonly Message[], received: number, seq: number): number => {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(list[middle] as Message, received, seq)) low = middle + 1;
    else high = middle;
  }
  return low;
};

export const insertSorted = (list: Message[], message: Message): void => {
  const last = list.at(-1);
  if (last === undefined || before(last, message.received, message.seq)) list.push(message);
  else list.splice(lowerBound(list, message.received, message.seq), 0, message);
};

export const removeSorted = (list: Message[], message: Message): void => {
  const at = lowerBound(list, message.received, message.seq);
  if (list[at] === message) list.splice(at, 1);
};
