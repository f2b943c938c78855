import { z } from 'zod';

/* Labels never appear in the service's lists of actions: what a watch remembers of them, and how it is compared. */

/** Points in time sort as text: a date in milliseconds, then the id of the action. `~` comes after every id. */
export const orderOf = (date: string, id = '~'): string => `${date} ${id}`;

const Label = z.object({ name: z.string(), color: z.string().nullable() });
export type Label = z.output<typeof Label>;

/** What notifications told since the last look: when, and what it is like since then. `null` stands for absent. */
const Mark = z.object({ order: z.string(), is: Label.nullable() });

/** A difference that was told: the action behind it, if it comes in late, has been told already. */
const Claim = z.object({
  type: z.string(),
  fact: z.string(),
  after: z.string(),
  until: z.string(),
  /** The key of the action that turned out to be behind it. */
  by: z.string().optional(),
});
export type Claim = z.output<typeof Claim>;

export const LabelState = z.object({
  kind: z.literal('labels'),
  /** The service's own time of the last look: what happened until then was seen. */
  asOf: z.string(),
  labels: z.record(z.string(), Label),
  cards: z.record(z.string(), z.array(z.string())),
  marks: z.record(z.string(), Mark),
  claims: z.array(Claim),
});
export type LabelState = z.output<typeof LabelState>;

export const labelFact = (label: string): string => `label ${label}`;
export const cardFact = (card: string, label: string): string => `card ${card} ${label}`;

const Told = z.object({
  id: z.string(),
  type: z.string(),
  date: z.string(),
  told: z.undefined().optional(),
  data: z.object({
    card: z.object({ id: z.string() }).optional(),
    label: z.object({ id: z.string(), name: z.string().optional(), color: z.string().nullish() }),
  }),
});
type Told = z.output<typeof Told>;

const onCard = new Set(['addLabelToCard', 'removeLabelFromCard']);
const onBoard = new Set(['createLabel', 'updateLabel', 'deleteLabel']);
const leaves = new Set(['removeLabelFromCard', 'deleteLabel']);

/** A notified change of a label, or of a card's labels. */
export const readChange = (body: unknown) => {
  const { data: action } = Told.safeParse(body);
  if (action === undefined || !(onCard.has(action.type) || onBoard.has(action.type))) return undefined;
  const fact = factOf(action);
  if (fact === undefined) return undefined;
  const { name = '', color = null } = action.data.label;
  const is = leaves.has(action.type) ? null : { name, color };
  return { type: action.type, fact, order: orderOf(action.date, action.id), is };
};
type Change = NonNullable<ReturnType<typeof readChange>>;

const factOf = ({ type, data: { card, label } }: Told): string | undefined => {
  if (onBoard.has(type)) return labelFact(label.id);
  return card === undefined ? undefined : cardFact(card.id, label.id);
};

const answers = (claim: Claim, { type, fact, order }: Change, key: string): boolean =>
  claim.type === type &&
  claim.fact === fact &&
  claim.after < order &&
  order <= claim.until &&
  (claim.by === undefined || claim.by === key);

/** One notified change. What was told already is claimed; what is older than what is known changes nothing. */
export const absorbChange = (
  state: LabelState,
  change: Change,
  key: string,
): { state: LabelState; covered: boolean } => {
  const { fact, order, is } = change;
  const claims = state.claims.filter((each) => answers(each, change, key));
  const claim = claims.find(({ by }) => by === key) ?? claims[0];
  if (claim !== undefined) {
    const claimed = state.claims.map((each) => (each === claim ? { ...each, by: key } : each));
    return { state: { ...state, claims: claimed }, covered: true };
  }
  const known = state.marks[fact]?.order ?? state.asOf;
  if (order <= known) return { state, covered: false };
  return { state: { ...state, marks: { ...state.marks, [fact]: { order, is } } }, covered: false };
};
