import { z } from 'zod';
import { path, type StepContext } from '#kit';
import { aside } from './aside.ts';
import { Card, Member } from './shapes.ts';
import { Time } from './times.ts';

/** What is asked for, so that nothing else crosses the wire. */
export const cardFields = Object.keys(Card.shape).join(',');

/** Asked along with cards, so that the people on them have names. */
export const withMembers = { members: true, member_fields: 'username,fullName' };

const longestDesc = { summary: 200, full: 5_000 };
type View = keyof typeof longestDesc;

export const CardView = z
  .enum(['summary', 'full'])
  .default('summary')
  .describe('How much of a description is given: at most 200 characters, or with full 5,000.');

const Peopled = Card.extend({ members: z.array(Member).optional() });

/** A card as answers show it: its description is cut; Get Card tells the rest. */
export const CardSummary = Peopled.extend({ descTruncated: z.boolean().optional() });
export type CardSummary = z.output<typeof CardSummary>;

/** The same as steps answer it. */
export const CardTold = CardSummary.extend({
  due: Time.nullable(),
  start: Time.nullish(),
  dateLastActivity: Time.nullable(),
});

/** A card of which only some fields were asked for. */
export const CardPart = CardTold.partial().required({ id: true });

export const cut = (text: string, most: number): string =>
  // Half a character is no character.
  text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`;

export const summarizeAs =
  (view: View) =>
  (body: unknown): CardSummary => {
    const card = Peopled.parse(body);
    const long = card.desc.length > longestDesc[view];
    return { ...card, desc: cut(card.desc, longestDesc[view]), ...(long ? { descTruncated: true } : {}) };
  };
export const summarize = summarizeAs('summary');

/** With the people on it by name, whom the service does not tell of a card just written. Some may have been seen before. */
export const withPeople = async (
  card: CardSummary,
  { upstream }: Pick<StepContext, 'upstream'>,
  seen: readonly z.output<typeof Member>[] = [],
): Promise<CardSummary> => {
  if (card.members !== undefined) return card;
  const known = card.idMembers.flatMap((idMember) => seen.find(({ id }) => id === idMember) ?? []);
  if (known.length === card.idMembers.length) return { ...card, members: known };
  // It is written; without their names, its people still have ids.
  const read = await aside({ warn: () => {} }, '', () =>
    upstream.get(path`/1/cards/${card.id}/members`, { query: { fields: withMembers.member_fields } }),
  );
  const { data: members } = z.array(Member).safeParse(read);
  return members === undefined ? card : { ...card, members };
};

const names = Object.keys(Peopled.shape) as (keyof typeof Peopled.shape)[];

export const CardFields = z
  .array(z.enum(names as [keyof typeof Peopled.shape, ...(keyof typeof Peopled.shape)[]]))
  .min(1)
  .optional()
  .describe('Only these fields of each card; its id is always there.');

export const pick = (card: CardSummary, fields: readonly string[] | undefined): Partial<CardSummary> => {
  if (fields === undefined) return card;
  const wanted = new Set(['id', ...fields, ...(fields.includes('desc') ? ['descTruncated'] : [])]);
  const kept = Object.entries(card).filter(([name]) => wanted.has(name));
  return { ...Object.fromEntries(kept), id: card.id };
};
