import type { Occurrence } from '#kit';
import { firstIdAt } from '../ids.ts';
import { madeAt } from '../shapes.ts';
import { type Claim, cardFact, type Label, type LabelState, labelFact, orderOf } from './label-state.ts';

type Named = { id: string; name: string; shortLink: string };
export type SeenCard = Named & { idLabels: readonly string[]; dateLastActivity: string };

/** What is on a board now. `arrivals` tells when its newest cards came, by the service's own list, `sources` of which they are copies. */
export type LabelSnapshot = {
  kind: 'labels';
  board: Named;
  dateLastActivity: string;
  labels: Readonly<Record<string, Label>>;
  cards: readonly SeenCard[];
  arrivals: Readonly<Record<string, string>>;
  sources?: Readonly<Record<string, string>>;
};

type Difference = { type: string; fact: string; after: string; date: string; subject: string | null; data: object };

const longestLateMs = 6 * 3_600_000;
const mostClaims = 2_000;

const latest = (a: string, b: string): string => (a > b ? a : b);
const shown = (id: string, { name, color }: Label) => (color === null ? { id, name } : { id, name, color });

/** Shaped like the action that was missed; nobody knows its id, who did it, or when exactly. */
const toOccurrence = (board: Named, { type, fact, after, date, subject, data }: Difference): Occurrence => {
  const key = `state ${type} ${fact} after ${after}`;
  return {
    key,
    order: firstIdAt(new Date(date)),
    subject,
    at: new Date(date),
    body: { id: key, type, date, data: { board, ...data }, told: 'state' },
  };
};

const bornWithinMs = 2_000;

/**
 * Labels that a card had when it came are no change: a card that is older than the last look was archived or elsewhere, and
 * brought them, whatever was done with it since. Neither are those of a card that came quietly with its list.
 */
const cameAlong = ({ id, dateLastActivity }: SeenCard, { arrivals }: LabelSnapshot, { asOf }: LabelState): boolean => {
  const born = new Date(madeAt(id).getTime() + bornWithinMs).toISOString();
  if (orderOf(born) <= asOf) return true;
  const arrived = arrivals[id] ?? born;
  return dateLastActivity <= arrived || orderOf(dateLastActivity) <= asOf;
};

/** A copy has the labels of its source from the beginning: those it had when it was seen before, or has now. */
const labelsOfSource = ({ id }: SeenCard, { sources = {}, cards }: LabelSnapshot, state: LabelState): Set<string> => {
  const source = sources[id];
  if (source === undefined) return new Set();
  return new Set([...(state.cards[source] ?? []), ...(cards.find((each) => each.id === source)?.idLabels ?? [])]);
};

const labelDifferences = (state: LabelState, snapshot: LabelSnapshot): Difference[] => {
  const date = snapshot.dateLastActivity;
  const ids = new Set([
    ...Object.keys(state.labels),
    ...Object.keys(snapshot.labels),
    ...Object.keys(state.marks).flatMap((fact) => (fact.startsWith('label ') ? [fact.slice('label '.length)] : [])),
  ]);
  return [...ids].flatMap((id): Difference[] => {
    const fact = labelFact(id);
    const mark = state.marks[fact];
    if (mark !== undefined && mark.order > orderOf(date)) return [];
    const after = mark?.order ?? state.asOf;
    const before = mark === undefined ? (state.labels[id] ?? null) : mark.is;
    const now = snapshot.labels[id] ?? null;
    const told = (type: string, data: object) => ({ type, fact, after, date, subject: null, data });
    if (before === null) return now === null ? [] : [told('createLabel', { label: shown(id, now) })];
    if (now === null) return [told('deleteLabel', { label: { id } })];
    return (['name', 'color'] as const)
      .filter((field) => before[field] !== now[field])
      .map((field) => told('updateLabel', { label: shown(id, now), old: { [field]: before[field] } }));
  });
};

const marksOf = ({ marks }: LabelState): Map<string, Set<string>> => {
  const byCard = new Map<string, Set<string>>();
  for (const fact of Object.keys(marks)) {
    const [kind, card = '', label = ''] = fact.split(' ');
    if (kind === 'card') byCard.set(card, (byCard.get(card) ?? new Set()).add(label));
  }
  return byCard;
};

const cardDifferences = (state: LabelState, snapshot: LabelSnapshot): Difference[] => {
  const marked = marksOf(state);
  return snapshot.cards.flatMap((card): Difference[] => {
    const known = state.cards[card.id];
    const date = latest(snapshot.dateLastActivity, card.dateLastActivity);
    const isNew = known === undefined;
    const quiet = isNew && cameAlong(card, snapshot, state);
    const copied = isNew && !quiet ? labelsOfSource(card, snapshot, state) : new Set();
    const ids = new Set([...(known ?? []), ...card.idLabels, ...(marked.get(card.id) ?? [])]);
    return [...ids].flatMap((id): Difference[] => {
      const fact = cardFact(card.id, id);
      const mark = state.marks[fact];
      if (mark !== undefined && mark.order > orderOf(date)) return [];
      const before = mark === undefined ? (known?.includes(id) ?? false) : mark.is !== null;
      const now = card.idLabels.includes(id);
      if (before === now || (mark === undefined && (quiet || copied.has(id)))) return [];
      const label = snapshot.labels[id] ?? state.labels[id];
      // With the label itself, it leaves its cards without a word.
      if (label === undefined || (!now && snapshot.labels[id] === undefined)) return [];
      const { name, shortLink } = card;
      const data = {
        card: { id: card.id, name, shortLink },
        label: shown(id, label),
        text: label.name,
        ...(label.color === null ? {} : { value: label.color }),
      };
      const type = now ? 'addLabelToCard' : 'removeLabelFromCard';
      return [{ type, fact, after: mark?.order ?? state.asOf, date, subject: card.id, data }];
    });
  });
};

/** What is remembered from now on. What was notified after the look stays on top of it. */
export const remember = (state: LabelState | undefined, snapshot: LabelSnapshot): LabelState => {
  const asOf = orderOf(snapshot.dateLastActivity);
  const seenAt = new Map(snapshot.cards.map(({ id, dateLastActivity }) => [id, orderOf(dateLastActivity)]));
  const isNewer = ([fact, { order }]: [string, { order: string }]): boolean =>
    order > latest(asOf, seenAt.get(fact.split(' ')[1] ?? '') ?? '');
  return {
    kind: 'labels',
    asOf,
    labels: snapshot.labels,
    cards: Object.fromEntries(snapshot.cards.map(({ id, idLabels }) => [id, [...idLabels]])),
    marks: Object.fromEntries(Object.entries(state?.marks ?? {}).filter(isNewer)),
    claims: state?.claims ?? [],
  };
};

export const labelsDiffer = (state: LabelState, snapshot: LabelSnapshot) => {
  // A look that took long, overtaken by a later one.
  if (orderOf(snapshot.dateLastActivity) < state.asOf) return { state, occurrences: [] };
  const differences = [...labelDifferences(state, snapshot), ...cardDifferences(state, snapshot)];
  const told = differences.map(({ type, fact, after, date }): Claim => ({ type, fact, after, until: orderOf(date) }));
  const oldest = new Date(Date.parse(snapshot.dateLastActivity) - longestLateMs).toISOString();
  const claims = [...state.claims.filter(({ until }) => until >= oldest), ...told].slice(-mostClaims);
  return {
    state: { ...remember(state, snapshot), claims },
    occurrences: differences.map((difference) => toOccurrence(snapshot.board, difference)),
  };
};
