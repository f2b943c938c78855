import { z } from 'zod';
import { Time } from './times.ts';

/** What people are to read. Blanks alone are a mistake of whoever made it up. */
export const Words = z.string().min(1, { abort: true }).max(16_384).regex(/\S/, 'must not be blank');

// What a person or a model has at hand: an id, a short link, a web address or a name.
const reference = (picker: string) => z.string().trim().min(1).max(1_000).meta({ picker });

export const BoardRef = reference('boards');
export const ListRef = reference('lists');
export const LabelRef = reference('labels');
export const MemberRef = reference('members');
export const CardRef = reference('cards');
export const ChecklistRef = reference('checklists');

// A web address is kept as the short link in it, so that it can be compared with what happens.
const cardLink = /^(?:[0-9a-fA-F]{24}|[A-Za-z0-9]{8}|https?:\/\/[^/\s]+\/c\/[A-Za-z0-9]{8}(?:[/?#.].*)?)$/;

/** A card as a trigger's configuration names it: by id or short link. */
export const CardLink = z
  .string()
  .trim()
  .max(1_000)
  .regex(cardLink, 'must be an id of 24 hexadecimal digits, a short link of 8 characters, or a web address')
  .meta({ picker: 'cards' })
  .transform((given) => {
    const [, link] = /^https?:\/\/[^/]+\/\w\/(\w{8})/.exec(given) ?? [];
    return link ?? (given.length === 24 ? given.toLowerCase() : given);
  });

/** How every step on a card is told which one. */
export const cardInput = {
  cardId: CardRef.describe('Card: its id, short link or web address, or its exact name together with board.'),
  board: BoardRef.optional().describe('Board of the card; needed only when the card is given by its name.'),
};

/** The service refuses the same id twice. */
export const several = <T extends z.ZodType<string>>(each: T) =>
  z
    .array(each)
    .max(100)
    .default([])
    .transform((given) => [...new Set(given)]);

export const Pos = z.enum(['top', 'bottom']).or(z.number().positive());

/** Minutes before the due date; -1 for none. */
export const DueReminder = z.union([-1, 0, 5, 10, 15, 60, 120, 1440, 2880].map((minutes) => z.literal(minutes)));

export const Label = z.object({ id: z.string(), name: z.string(), color: z.string().nullable() });

/** A card as steps and triggers show it: enough to act on, small enough for a model. */
export const Card = z.object({
  id: z.string(),
  shortLink: z.string(),
  name: z.string(),
  url: z.string(),
  desc: z.string(),
  idList: z.string(),
  idBoard: z.string(),
  closed: z.boolean(),
  due: z.string().nullable(),
  dueComplete: z.boolean(),
  start: z.string().nullish(),
  labels: z.array(Label),
  idMembers: z.array(z.string()),
  pos: z.number(),
  dateLastActivity: z.string().nullable(),
});

export const List = z.object({
  id: z.string(),
  name: z.string(),
  idBoard: z.string(),
  closed: z.boolean(),
  pos: z.number(),
});

export const Member = z.object({ id: z.string(), username: z.string(), fullName: z.string() });

export const Attachment = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  mimeType: z.string().nullish(),
  bytes: z.number().nullish(),
  isUpload: z.boolean(),
  date: z.string(),
});

export const CheckItem = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(['complete', 'incomplete']),
  due: z.string().nullish(),
  idMember: z.string().nullish(),
  pos: z.number(),
});

export const Checklist = z.object({
  id: z.string(),
  name: z.string(),
  idCard: z.string(),
  pos: z.number(),
  checkItems: z.array(CheckItem),
});

/* As steps answer them: times in both forms. */

export const AttachmentTold = Attachment.extend({ date: Time });
export const CheckItemTold = CheckItem.extend({ due: Time.nullish() });

/** When an object was made: the service's ids begin with it. */
export const madeAt = (objectId: string): Date => new Date(Number.parseInt(objectId.slice(0, 8), 16) * 1000);
