import { z } from 'zod';
import { wrong } from '#kit';

/** How every step that lists is asked for a page. */
export const pageInput = {
  limit: z.int().min(1).max(100).default(25).describe('How many items at most.'),
  cursor: z.string().max(2_000).optional().describe('nextCursor of an earlier answer, to go on from there.'),
};

export type PageInput = { limit: number; cursor?: string | undefined };

/** What such a step answers. */
export const pageOutput = <Item extends z.ZodType>(item: Item) => ({
  items: z.array(item),
  nextCursor: z.string().optional(),
  truncated: z.boolean(),
});

const Key = z.array(z.union([z.string(), z.number()])).max(4);
type Key = z.output<typeof Key>;

export const toCursor = (key: Key): string => Buffer.from(JSON.stringify(key)).toString('base64url');

export const fromCursor = (cursor: string): Key => {
  try {
    return Key.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw wrong('cursor', 'This cursor is not one of ours; use the nextCursor of an answer.');
  }
};

const compare = (a: Key, b: Key): number => {
  for (const [at, left] of a.entries()) {
    const right = b[at];
    if (right === undefined || typeof left !== typeof right) return 1;
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
};

/** One page of what the service answers whole. The key orders it, so that pages fit together although things change. */
export const pageOf = <T>(all: readonly T[], keyOf: (item: T) => Key, { limit, cursor }: PageInput) => {
  const after = cursor === undefined ? undefined : fromCursor(cursor);
  const rest = all
    .map((item) => ({ item, key: keyOf(item) }))
    .filter(({ key }) => after === undefined || compare(key, after) > 0)
    .sort((a, b) => compare(a.key, b.key));
  const shown = rest.slice(0, limit);
  const last = rest.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(({ item }) => item),
    ...(last === undefined ? {} : { nextCursor: toCursor(last.key) }),
    truncated: last !== undefined,
  };
};
