import type { SelectQueryBuilder } from 'kysely';

/** The last of so many rows; nothing where there are fewer. */
export const lastOfStretch = <DB, TB extends keyof DB, Row>(rows: SelectQueryBuilder<DB, TB, Row>, stretch: number) =>
  rows
    .offset(stretch - 1)
    .limit(1)
    .executeTakeFirst();
