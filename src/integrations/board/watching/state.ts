import { z } from 'zod';
import { type Occurrence, path, type WatchContext, type Watching } from '#kit';
import { firstIdAt } from '../ids.ts';
import { madeAt } from '../shapes.ts';
import { type LabelSnapshot, labelsDiffer, remember } from './label-differences.ts';
import { absorbChange, LabelState, readChange } from './label-state.ts';
import { parseResource } from './resources.ts';

const Board = z.object({
  id: z.string(),
  name: z.string(),
  shortLink: z.string(),
  dateLastActivity: z.string().nullable(),
  labels: z.array(z.object({ id: z.string(), name: z.string(), color: z.string().nullable() })),
  cards: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      shortLink: z.string(),
      idLabels: z.array(z.string()),
      dateLastActivity: z.string().nullable(),
    }),
  ),
  actions: z.array(
    z.object({
      type: z.string(),
      date: z.string(),
      data: z.object({
        fromCopy: z.boolean().optional(),
        card: z.object({ id: z.string(), closed: z.boolean().optional() }).optional(),
        cardSource: z.object({ id: z.string() }).optional(),
      }),
    }),
  ),
});

const askForLabels = [
  'new_label',
  'label_added_to_card',
  'card_updated',
  'new_board_activity',
  'custom_webhook_events',
];
// The people of a card that was copied are told a second time, after it.
const arrivals =
  'createCard,copyCard,convertToCardFromCheckItem,emailCard,moveCardToBoard,updateCard:closed,addMemberToCard';
const isArrival = ({ type, data }: z.output<typeof Board>['actions'][number]): boolean =>
  type === 'addMemberToCard' ? data.fromCopy === true : data.card?.closed !== true;

/** In one answer, so that all of it is of the same moment. */
const seeLabels = async (id: string, { upstream }: WatchContext): Promise<LabelSnapshot> => {
  const query = {
    fields: 'name,shortLink,dateLastActivity',
    labels: 'all',
    label_fields: 'name,color',
    labels_limit: 1000,
    cards: 'open',
    card_fields: 'name,shortLink,idLabels,dateLastActivity',
    actions: arrivals,
    actions_limit: 300,
    action_fields: 'type,date,data',
  };
  const { labels, cards, actions, dateLastActivity, ...board } = Board.parse(
    await upstream.get(path`/1/boards/${id}`, { query }),
  );
  const arrived: Record<string, string> = {};
  // Newest first: of a card that came more than once, the last time counts.
  for (const { date, data } of actions.filter(isArrival)) if (data.card) arrived[data.card.id] ??= date;
  const copies = actions.flatMap(({ type, data: { card, cardSource } }) =>
    type === 'copyCard' && card && cardSource ? [[card.id, cardSource.id] as const] : [],
  );
  const beginning = madeAt(id).toISOString();
  return {
    kind: 'labels',
    board,
    dateLastActivity: dateLastActivity ?? beginning,
    labels: Object.fromEntries(labels.map(({ id: label, name, color }) => [label, { name, color }])),
    cards: cards.map((card) => ({ ...card, dateLastActivity: card.dateLastActivity ?? beginning })),
    arrivals: arrived,
    sources: Object.fromEntries(copies),
  };
};

const SeenBoards = z.array(z.object({ id: z.string(), name: z.string(), shortLink: z.string().optional() }));
/** `lately`: whoever begins to look now may have been asked to since then. */
type BoardsSnapshot = { kind: 'boards'; lately: string; boards: z.output<typeof SeenBoards> };

const BoardsState = z.object({ kind: z.literal('boards'), ids: z.array(z.string()) });
type BoardsState = z.output<typeof BoardsState>;

// For so long the first look may have been impossible. Each trigger leaves out what is older than itself.
const latelyMs = 24 * 3_600_000;

/** The service is not known to tell of boards that others make in a workspace. */
const seeBoards = async (id: string, { upstream, now }: WatchContext): Promise<BoardsSnapshot> => {
  const query = { filter: 'open', fields: 'name,shortLink' };
  const boards = SeenBoards.parse(await upstream.get(path`/1/organizations/${id}/boards`, { query }));
  return { kind: 'boards', lately: new Date(now.getTime() - latelyMs).toISOString(), boards };
};

/** Closed boards stay known, so that one that is opened again is not new. */
const boardsDiffer = (state: BoardsState | undefined, { boards, lately }: BoardsSnapshot) => {
  const known = new Set(state?.ids);
  const isNew = (id: string) => (state === undefined ? madeAt(id).toISOString() >= lately : !known.has(id));
  const unseen = boards.filter(({ id }) => isNew(id));
  const occurrences = unseen.map((board): Occurrence => {
    const at = madeAt(board.id);
    // The key is that of the action, if one comes in.
    const key = `board ${board.id}`;
    const body = { id: key, type: 'createBoard', date: at.toISOString(), data: { board }, told: 'state' };
    return { key, order: board.id, subject: board.id, at, body };
  });
  const ids = [...new Set([...known, ...boards.map(({ id }) => id)])];
  return { state: { kind: 'boards' as const, ids }, occurrences };
};

export const state: NonNullable<Watching['state']> = {
  concerns: ({ body }) => readChange(body) !== undefined,

  absorb: (given, occurrences) => {
    const covered = new Set<string>();
    const { data: known } = LabelState.safeParse(given);
    if (known === undefined) return { state: given, covered };
    let current = known;
    for (const { key, body } of occurrences.toSorted((a, b) => (a.order < b.order ? -1 : 1))) {
      const change = readChange(body);
      if (change === undefined) continue;
      const absorbed = absorbChange(current, change, key);
      current = absorbed.state;
      if (absorbed.covered) covered.add(key);
    }
    return { state: current, covered };
  },

  snapshot: async (resource, context): Promise<LabelSnapshot | BoardsSnapshot | undefined> => {
    const { kind, id } = parseResource(resource);
    if (kind === 'organization') return seeBoards(id, context);
    return kind === 'board' && askForLabels.some((name) => context.triggers.has(name))
      ? seeLabels(id, context)
      : undefined;
  },

  diff: (given, seen) => {
    const snapshot = seen as LabelSnapshot | BoardsSnapshot;
    if (snapshot.kind === 'boards') return boardsDiffer(BoardsState.safeParse(given).data, snapshot);
    const { data: known } = LabelState.safeParse(given);
    return known === undefined
      ? { state: remember(undefined, snapshot), occurrences: [] }
      : labelsDiffer(known, snapshot);
  },

  earlier: {
    isTold: (resource) => parseResource(resource).kind === 'organization',
    at: (given, time) => {
      const { data: known } = BoardsState.safeParse(given);
      const first = firstIdAt(time);
      return known && { ...known, ids: known.ids.filter((id) => id < first) };
    },
  },
};
