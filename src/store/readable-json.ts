import { type RawBuilder, sql } from 'kysely';

/**
 * JSON whose fields can be asked for. A text that was cut in the midst of a character ends with half of it, which a json
 * column takes and no operator reads: one such row would fail the statement for all.
 */
export const readableJson = (json: RawBuilder<unknown>): RawBuilder<unknown> => sql`case
  when strpos(${json}::text, '\\ud') = 0 then ${json}
  else regexp_replace(${json}::text, '(^|[^\\\\])((?:\\\\\\\\)*)\\\\ud[89a-f][0-9a-f]{2}', '\\1\\2', 'gi')::json end`;
