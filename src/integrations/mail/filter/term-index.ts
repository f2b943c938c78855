import { termsInText } from './terms-in-text.ts';

/*
 * Finds, in one reading of a text, who waits for what stands in it: the automaton of Aho and Corasick. It knows at each
 * character the longest beginning of any term that ends there, so a reader pays for the text and not for the terms.
 */

/** A character counts by five bits: letters differ, and what else looks the same is told apart by comparing. */
const kinds = 32;
const kindBits = 5;
/** Of each character its low byte, which reads much faster than the text itself. */
const lowBytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

/** A term, who waits for it, and the last reading in which it was found. */
type Entry = { term: string; owners: number[]; foundIn: number };

const entriesOf = (terms: Iterable<{ text: string; owner: number }>): Entry[] => {
  const entries = new Map<string, Entry>();
  for (const { text: term, owner } of terms) {
    const known = entries.get(term);
    if (known === undefined) entries.set(term, { term, owners: [owner], foundIn: 0 });
    else known.owners.push(owner);
  }
  return [...entries.values()];
};

/** Small numbers where they do: the less memory the steps fill, the sooner they are read. */
type Steps = Uint16Array | Int32Array;
const stepsFor = (states: number): Steps =>
  states < 2 ** 16 ? new Uint16Array(states * kinds) : new Int32Array(states * kinds);

/**
 * `steps` leads from a state by a kind of character to the next state; `ends` are the entries that end in a state. Those where
 * one does are the last, from `firstEnd` on.
 */
type Automaton = { steps: Steps; ends: Entry[][]; firstEnd: number };

/** A state for each beginning of a term; 0 is the empty one, and a step that leads nowhere yet. */
const treeOf = (entries: readonly Entry[]): { steps: Int32Array; ends: Entry[][] } => {
  const steps = new Int32Array(entries.reduce((sum, { term }) => sum + term.length, 1) * kinds);
  const ends: Entry[][] = [[]];
  for (const entry of entries) {
    let state = 0;
    for (const byte of lowBytes(entry.term)) {
      const step = (state << kindBits) | (byte & (kinds - 1));
      state = steps[step] || ends.push([]) - 1;
      steps[step] = state;
    }
    ends[state]?.push(entry);
  }
  return { steps: steps.slice(0, ends.length * kinds), ends };
};

/** Completes the tree: where a term breaks off, the longest other beginning that ends there goes on. */
const complete = ({ steps, ends }: ReturnType<typeof treeOf>): void => {
  const fallback = new Int32Array(ends.length);
  const queue = [...new Set(steps.subarray(0, kinds))].filter((state) => state !== 0);
  for (const state of queue) {
    const other = fallback[state] ?? 0;
    ends[state]?.push(...(ends[other] ?? []));
    for (let kind = 0; kind < kinds; kind++) {
      const onward = steps[(other << kindBits) | kind] ?? 0;
      const step = (state << kindBits) | kind;
      const child = steps[step] ?? 0;
      if (child === 0) steps[step] = onward;
      else {
        fallback[child] = onward;
        queue.push(child);
      }
    }
  }
};

/** The same, with its states in another order. No term is empty, so the first stays the first. */
const endsLast = ({ steps, ends }: ReturnType<typeof treeOf>): Automaton => {
  const order = [...ends.keys()].toSorted((a, b) => Math.sign(ends[a]?.length ?? 0) - Math.sign(ends[b]?.length ?? 0));
  const places = new Int32Array(order.length);
  for (const [place, state] of order.entries()) places[state] = place;
  const moved = stepsFor(order.length);
  for (const [place, state] of order.entries()) {
    for (let kind = 0; kind < kinds; kind++)
      moved[(place << kindBits) | kind] = places[steps[(state << kindBits) | kind] ?? 0] ?? 0;
  }
  const firstEnd = order.findIndex((state) => (ends[state]?.length ?? 0) > 0);
  return {
    steps: moved,
    ends: order.map((state) => ends[state] ?? []),
    firstEnd: firstEnd < 0 ? order.length : firstEnd,
  };
};

const automatonOf = (entries: readonly Entry[]): Automaton => {
  const tree = treeOf(entries);
  complete(tree);
  return endsLast(tree);
};

/** startsWith at a position, which costs several times as much. */
const standsAt = (text: string, term: string, start: number): boolean => {
  for (let at = 0; at < term.length; at++) if (text.charCodeAt(start + at) !== term.charCodeAt(at)) return false;
  return true;
};

export type TermIndex = { visit(text: string, tell: (owner: number) => void): void };

/** So often a character may have to be compared; terms chosen to look alike would be compared at each, all of them. */
const mostCompared = 8;

/** Tells, of a text, everybody who waits for a term that stands in it. */
export const termIndex = (terms: Iterable<{ text: string; owner: number }>): TermIndex => {
  const entries = entriesOf(terms);
  const { steps, ends, firstEnd } = automatonOf(entries);
  const longest = entries.reduce((most, { term }) => Math.max(most, term.length), 0);
  let reading = 0;
  let mayCompare = 0;
  const found = (entry: Entry, tell: (owner: number) => void): void => {
    entry.foundIn = reading;
    for (const owner of entry.owners) tell(owner);
  };
  const compare = (list: readonly Entry[], text: string, end: number, tell: (owner: number) => void): void => {
    if (mayCompare < 0) return;
    mayCompare -= list.length;
    for (const entry of list)
      if (entry.foundIn !== reading && standsAt(text, entry.term, end - entry.term.length)) found(entry, tell);
  };
  let exactly: ((text: string) => ReadonlySet<string>) | undefined;
  const compareNoMore = (text: string, tell: (owner: number) => void): void => {
    exactly ??= termsInText(entries.map(({ term }) => term));
    const there = exactly(text);
    for (const entry of entries) if (entry.foundIn !== reading && there.has(entry.term)) found(entry, tell);
  };
  return {
    visit(text, tell) {
      reading++;
      mayCompare = text.length * mostCompared;
      const bytes = lowBytes(text);
      // Several parts at once, since each step has to wait for memory. They overlap, so that no term is cut in two.
      const part = Math.max(0, (bytes.length - longest) >> 2);
      const [b, c, d] = [part, 2 * part, 3 * part];
      for (let at = 0, first = 0, second = 0, third = 0, fourth = 0; at + d < bytes.length; at++) {
        first = steps[(first << kindBits) | ((bytes[at] ?? 0) & (kinds - 1))] ?? 0;
        second = steps[(second << kindBits) | ((bytes[at + b] ?? 0) & (kinds - 1))] ?? 0;
        third = steps[(third << kindBits) | ((bytes[at + c] ?? 0) & (kinds - 1))] ?? 0;
        fourth = steps[(fourth << kindBits) | ((bytes[at + d] ?? 0) & (kinds - 1))] ?? 0;
        if (first >= firstEnd) compare(ends[first] ?? [], text, at + 1, tell);
        if (second >= firstEnd) compare(ends[second] ?? [], text, at + b + 1, tell);
        if (third >= firstEnd) compare(ends[third] ?? [], text, at + c + 1, tell);
        if (fourth >= firstEnd) compare(ends[fourth] ?? [], text, at + d + 1, tell);
      }
      if (mayCompare < 0) compareNoMore(text, tell);
    },
  };
};
