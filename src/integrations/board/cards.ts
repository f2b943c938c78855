import { z } from 'zod';
import { Card } from './shapes.ts';
import { Time } from './times.ts';

/** What is asked for, so that nothing else crosses the wire. */
export const cardFields = Object.keys(Card.shape).join(',');

const longestDesc = { summary: 200, full: 5_000 };
type View = keyof typeof longestDesc;

export const CardView = z
  .enum(['summary', 'full'])
  .default('summary')
  .describe('How much of a description is given: at most 200 characters, or with full 5,000.');

/** A card as answers show it: its description is cut; Get Card tells the rest. */
export const CardSummary = Card.extend({ descTruncated: z.boolean().optional() });
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
    const card = Card.parse(body);
    const long = card.desc.length > longestDesc[view];
    return { ...card, desc: cut(card.desc, longestDesc[view]), ...(long ? { descTruncated: true } : {}) };
  };
export const summarize = summarizeAs('summary');

const names = Object.keys(Card.shape) as (keyof typeof Card.shape)[];

export const CardFields = z
  .array(z.enum(names as [keyof typeof Card.shape, ...(keyof typeof Card.shape)[]]))
  .min(1)
  .optional()
  .describe('Only these fields of each card; its id is always there.');

export const pick = (card: CardSummary, fields: readonly string[] | undefined): Partial<CardSummary> => {
  if (fields === undefined) return card;
  const wanted = new Set(['id', ...fields, ...(fields.includes('desc') ? ['descTruncated'] : [])]);
  const kept = Object.entries(card).filter(([name]) => wanted.has(name));
  return { ...Object.fromEntries(kept), id: card.id };
};
