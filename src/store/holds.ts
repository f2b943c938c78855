import { type RawBuilder, sql } from 'kysely';

/** Whether a text holds this part of it, in capitals or not. */
export const holds = (text: RawBuilder<unknown>, part: string): RawBuilder<boolean> =>
  sql<boolean>`strpos(lower(${text}), lower(${part})) > 0`;

/** Whether it holds each word of what somebody remembers, in whichever order. The text is put together once for all. */
export const holdsWords = (text: RawBuilder<unknown>, words: string): RawBuilder<boolean> => {
  const patterns = words.split(/\s+/).map((word) => sql`lower(${`%${word.replaceAll(/[\\%_]/g, '\\$&')}%`})`);
  return sql<boolean>`lower(${text}) like all (array[${sql.join(patterns)}])`;
};
