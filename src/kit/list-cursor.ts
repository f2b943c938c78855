import { createHash } from 'node:crypto';
import { wrong } from './fault.ts';
import type { Page } from './page.ts';
import type { Step } from './step.ts';

const nameOf = (list: unknown): string =>
  createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 11);

/** A place in a list, that only this list takes back. */
export const toListCursor = (list: unknown, place: string): string => `${nameOf(list)}.${place}`;

const ofAnother = () =>
  wrong(
    'cursor',
    'This cursor is of another list: call again exactly as in the call that gave it, with cursor added; or leave cursor out to begin anew.',
  );

export const fromListCursor = (list: unknown, cursor: string): string => {
  const name = `${nameOf(list)}.`;
  if (cursor.startsWith(name)) return cursor.slice(name.length);
  throw ofAnother();
};

/** A page of a list that is at hand as a whole; without a limit, all of it. */
export const pageOf = <Item>(
  list: unknown,
  items: readonly Item[],
  keyOf: (item: Item) => string,
  { limit, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Page<Item> => {
  const last = cursor === undefined ? undefined : fromListCursor(list, cursor);
  const from = last === undefined ? 0 : items.findIndex((item) => keyOf(item) === last) + 1;
  if (last !== undefined && from === 0) throw ofAnother();
  const shown = items.slice(from, from + (limit ?? items.length));
  const end = from + shown.length < items.length ? shown.at(-1) : undefined;
  return end === undefined ? { items: shown } : { items: shown, nextCursor: toListCursor(list, keyOf(end)) };
};

// What says how much is shown, and not of what.
const manner = new Set(['limit', 'view', 'fields', 'maxTextChars']);

/** A step whose cursors go on with what was asked when they were given: the same step, account and input. */
export const bindCursors =
  (id: string, run: Step['run']): Step['run'] =>
  async (input, context) => {
    const { cursor, ...asked } = input as Record<string, unknown>;
    const what = Object.entries(asked).filter(([name, value]) => !manner.has(name) && value !== undefined);
    const list = [id, context.account.id, what.sort(([a], [b]) => (a < b ? -1 : 1))];
    const place = typeof cursor === 'string' ? { cursor: fromListCursor(list, cursor) } : {};
    const output = (await run({ ...asked, ...place }, context)) as Record<string, unknown>;
    const { nextCursor } = output;
    return typeof nextCursor === 'string' ? { ...output, nextCursor: toListCursor(list, nextCursor) } : output;
  };
