import { type RawBuilder, sql } from 'kysely';

/** Whether a text holds this part of it, in capitals or not. */
export const holds = (text: RawBuilder<unknown>, part: string): RawBuilder<boolean> =>
  sql<boolean>`strpos(lower(${text}), lower(${part})) > 0`;
