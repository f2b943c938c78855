import { z } from 'zod';
import type { Occurrence } from '#kit';
import { madeAt } from '../shapes.ts';

// Who did it may be told as null or as nobody, such as of people who left: it happened all the same.
export const word = z.string().optional().catch(undefined);
export const Person = z.object({ id: z.string(), username: word, fullName: word }).nullish().catch(undefined);
const Thing = z.looseObject({ id: z.string() });

/** What is kept of an action: new fields keep appearing, and pictures and addresses of people start no agent. */
export const Action = z.object({
  id: z.string().regex(/^[0-9a-f]{24}$/),
  type: z.string().max(200),
  date: z.iso.datetime(),
  idMemberCreator: word,
  memberCreator: Person,
  member: Person,
  data: z.looseObject({ board: Thing.optional(), card: Thing.optional(), list: Thing.optional() }),
});
export type Action = z.output<typeof Action>;

/** How our own calls name themselves; the service tells it again with the notifications of what they did. */
export const clientIdentifier = 'switchboard';

const creations = new Set(['createBoard', 'copyBoard']);
const late = 60_000;

/** Copied comments keep the date of their originals; the id always tells when it happened. */
const timeOf = ({ id, date }: Action): Date => {
  const made = madeAt(id);
  const told = new Date(date);
  return Math.abs(told.getTime() - made.getTime()) < late ? told : made;
};

/**
 * An action is known by its id, by whatever webhook or list it comes. Only the making of a board is known by the board:
 * boards of others are found among those of their workspace, where no action tells of them, and must not start anybody
 * twice when one does. Each trigger meets a key once, so New Board fires once, and New Board Activity, which watches
 * the board itself, meets the same action under the same key and fires on its own account.
 */
export const occurrenceOf = (action: Action, marks: { viaSwitchboard?: true } = {}): Occurrence => {
  const { id, type, data } = action;
  const { board } = data;
  const made = creations.has(type) ? board?.id : undefined;
  return {
    key: made === undefined ? id : `board ${made}`,
    ...(made === undefined ? {} : { upstreamId: id }),
    order: id,
    subject: data.card?.id ?? data.list?.id ?? made ?? null,
    at: timeOf(action),
    body: { ...action, ...marks },
  };
};
