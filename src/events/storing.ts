import type { Starts } from '#runs';
import type { Store } from '#store';
import { type Candidate, settleEvents, type Written } from './settling.ts';
import {
  aloneValues,
  type Plain,
  plainOf,
  plainValues,
  settleAlone,
  settleFired,
  type WrittenAlone,
  type WrittenPlain,
  writtenPlain,
} from './settling-abreast.ts';

type Storing = (
  candidates: readonly Candidate[],
  /** Told after each commit: what one statement has stored goes on, whatever becomes of the next. */
  stored: (written: readonly Written[]) => void,
) => Promise<readonly Written[]>;

/** Stores events with their runs, each by the shortest statement that fits it. */
export const createStoring = (options: {
  store: Pick<Store, 'planned'>;
  starts: Pick<Starts, 'terms'>;
  /** What the statement for all cases is given. */
  valuesOf: (candidates: readonly Candidate[]) => unknown[];
}): Storing => {
  const { store, starts, valuesOf } = options;

  /** Those that are as most are, as far as they still are when they are stored. */
  const storePlain = async (plain: readonly Plain[]): Promise<readonly Written[]> => {
    const terms = starts.terms();
    const [first, second] = plain;
    if (first === undefined) return [];
    if (second === undefined) {
      const [answer] = await store.planned<WrittenAlone>(settleAlone, aloneValues(first, terms));
      return answer?.stored ? [writtenPlain(first, answer)] : [];
    }
    const answers = await store.planned<WrittenPlain>(settleFired, plainValues(plain, terms));
    const byId = new Map(plain.map((each) => [each.event.id, each]));
    return answers.flatMap((answer) => {
      const each = byId.get(answer.id);
      return each === undefined ? [] : [writtenPlain(each, answer)];
    });
  };

  /** Whatever is not stored by the short way is by the one that knows all cases. */
  return async (candidates, stored) => {
    const plain = await storePlain(plainOf(candidates, starts.terms().room));
    if (plain.length > 0) stored(plain);
    const known = new Set(plain.map(({ event_id }) => event_id));
    const left = candidates.flatMap((each, place) => (known.has(each.event.id) ? [] : [{ each, place }]));
    if (left.length === 0) return plain;
    const rows = await store.planned<Written>(settleEvents, valuesOf(left.map(({ each }) => each)));
    // It names places among those that it was given.
    const others = rows.map((row) => (row.place === null ? row : { ...row, place: left[row.place]?.place ?? null }));
    stored(others);
    return [...plain, ...others];
  };
};
