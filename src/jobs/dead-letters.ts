import type { PgBoss } from 'pg-boss';
import { z } from 'zod';
import { Fault } from '#kit';
import { deadLetterQueue } from './engine.ts';

export type DeadLetter = { id: string; name: string; data: unknown; reason: string; failedAt: Date };

const Row = z.object({
  id: z.string(),
  name: z.string(),
  data: z.unknown(),
  output: z
    .object({ message: z.string() })
    .or(z.object({ value: z.object({ message: z.string() }) }))
    .catch({ message: 'unknown' }),
  at: z.date(),
  place: z.string(),
});

const Place = z.tuple([z.iso.datetime({ offset: true, local: true }).or(z.string().regex(/^[\d :.+-]+$/)), z.uuid()]);

const readCursor = (cursor: string): z.output<typeof Place> => {
  try {
    return Place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new Fault('invalid_input', 'The cursor is not one of ours; start again without it.');
  }
};

/** The jobs that failed for good, newest first. */
export const listDeadLetters = async (
  engine: PgBoss,
  schema: string,
  { limit, before }: { limit: number; before?: string },
): Promise<{ items: DeadLetter[]; nextCursor?: string }> => {
  const [at, id] = before === undefined ? [null, null] : readCursor(before);
  const { rows } = await engine.getDb().executeSql(
    `SELECT id, source_name AS name, data, source_output AS output, created_on AS at, created_on::text AS place
     FROM ${schema}.job
     WHERE name = $1 AND ($2::timestamptz IS NULL OR (created_on, id) < ($2::timestamptz, $3::uuid))
     ORDER BY created_on DESC, id DESC LIMIT $4`,
    [deadLetterQueue, at, id, limit + 1],
  );
  const found = z.array(Row).parse(rows);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(({ id, name, data, output, at }) => ({
      id,
      name,
      data,
      reason: 'value' in output ? output.value.message : output.message,
      failedAt: at,
    })),
    ...(found.length > limit && last !== undefined
      ? { nextCursor: Buffer.from(JSON.stringify([last.place, last.id])).toString('base64url') }
      : {}),
  };
};
