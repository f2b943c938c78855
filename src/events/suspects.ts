import { type RawBuilder, sql } from 'kysely';
import { lapsesApart } from './lapses.ts';

type Lapsed = { lapses: number };

/** What died together again and again: a process has one of it in hand at a time, so that only what ends it lapses once more. */
export type Suspects = {
  /** Claims what is due, with at most so many of them. */
  claim<Row extends Lapsed>(claim: (most: number) => Promise<Row[]>): Promise<Row[]>;
  letGo(row: Lapsed): void;
};

export const createSuspects = (): Suspects => {
  let inHand: Lapsed | undefined;
  return {
    claim: async (claim) => {
      if (inHand !== undefined) return claim(0);
      inHand = { lapses: 0 };
      let worst: Lapsed | undefined;
      try {
        const rows = await claim(1);
        worst = rows.toSorted((a, b) => b.lapses - a.lapses)[0];
        return rows;
      } finally {
        inHand = worst === undefined || worst.lapses < lapsesApart ? undefined : worst;
      }
    },
    letGo: (row) => {
      if (inHand === row) inHand = undefined;
    },
  };
};

/** How many were taken at once: where one is taken alone, the next may be due, too. */
export const takenOf = (rows: readonly Lapsed[], limit: number): number =>
  rows.some(({ lapses }) => lapses >= lapsesApart) ? limit : rows.length;

/** What is due, with at most `suspects` of those. `rows`: what follows `from`, where `of` names those that may have lapsed. */
export const dueAmong = (
  rows: RawBuilder<unknown>,
  options: {
    columns: RawBuilder<unknown>;
    of: RawBuilder<unknown>;
    order: RawBuilder<unknown>;
    limit: number;
    suspects: number;
  },
) => {
  const { columns, of, order, limit, suspects } = options;
  const some = (which: RawBuilder<unknown>, most: number) =>
    sql`select ${columns} from ${rows} and ${of}.lapses ${which} order by ${order} limit ${most} for update of ${of} skip locked`;
  return sql`with usual as (${some(sql`< ${lapsesApart}::integer`, limit)}),
    suspected as (${some(sql`>= ${lapsesApart}::integer`, suspects)})
    select * from usual union all select * from suspected`;
};
