import type { Pulse } from './pulse.ts';

/** Rows kept in memory as long as nothing is heard of their changing. */
export type Kept<Row> = {
  /** The row, and the moment at which it surely was so; `undefined` when it must be looked at anew. */
  find(key: string): { row: Row; at: number } | undefined;
  /** Keeps what a look that began at `at` saw, unless it changed meanwhile. */
  keep(key: string, row: Row, at: number, names: readonly string[]): void;
};

/** How long ago that moment may be: the rest of `freshMs` is for what is done by the row. */
const vouchedMs = 350;
const most = 20_000;
/** A look that takes longer than this is not kept. */
const longestLookMs = 10_000;

export const createKept = <Row>(pulse: Pulse): Kept<Row> => {
  const rows = new Map<string, { row: Row; at: number; names: readonly string[] }>();
  /** Which rows depend on a name. */
  const keys = new Map<string, Set<string>>();
  /** When a name was last heard of, for looks that are under way. */
  const changed = new Map<string, number>();
  let allChanged = performance.now();

  const drop = (key: string): void => {
    for (const name of rows.get(key)?.names ?? []) {
      const others = keys.get(name);
      others?.delete(key);
      if (others?.size === 0) keys.delete(name);
    }
    rows.delete(key);
  };
  const dropAll = (): void => {
    rows.clear();
    keys.clear();
    changed.clear();
    allChanged = performance.now();
  };

  pulse.listen((name) => {
    if (name === undefined || changed.size > most) return dropAll();
    changed.set(name, performance.now());
    for (const key of [...(keys.get(name) ?? [])]) drop(key);
  });

  return {
    find: (key) => {
      const heard = pulse.heardAt();
      const found = rows.get(key);
      if (found === undefined) return undefined;
      const at = Math.max(heard, found.at);
      return performance.now() - at < vouchedMs ? { row: found.row, at } : undefined;
    },
    keep: (key, row, at, names) => {
      const isOld = performance.now() - at > longestLookMs || at <= allChanged;
      if (isOld || names.some((name) => (changed.get(name) ?? 0) >= at)) return;
      if (rows.size >= most) dropAll();
      drop(key);
      rows.set(key, { row, at, names });
      for (const name of names) {
        const others = keys.get(name);
        if (others === undefined) keys.set(name, new Set([key]));
        else others.add(key);
      }
    },
  };
};
