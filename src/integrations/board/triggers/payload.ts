import { z } from 'zod';
import { cut } from '../cards.ts';
import { type Acted, actorOf, listsOf, type Named, ReadCard } from './action.ts';

export const longestName = 500;
const longestText = 2_000;

export const short = (text: string): string => cut(text, longestName);

const Thing = z.object({ id: z.string(), name: z.string().optional() });
const Board = Thing.extend({ url: z.string().optional() });
const Card = ReadCard.partial().required({ id: true });

export const LabelView = Thing.extend({ color: z.string().nullable() });
export const MemberView = z.object({
  id: z.string(),
  username: z.string().optional(),
  fullName: z.string().optional(),
});
export const ListView = Thing;
export const BoardView = Board;
export const CardView = Card;
export const ActorView = z.object({ id: z.string(), name: z.string() });

/** What every board event tells; texts in it are other people's. */
export const payload = {
  action: z.object({ id: z.string(), type: z.string(), date: z.string() }),
  actor: ActorView.optional(),
  board: Board,
};

/** What events about a card tell besides. Of the card only its name, unless the whole card was read. */
export const cardPayload = { ...payload, list: Thing.optional(), card: Card };

export const shown = ({ id, name }: Named) => ({ id, ...(name === undefined ? {} : { name: short(name) }) });

type Linked = Named & { shortLink?: string | undefined };

/** Short addresses lead to the page itself. */
const linkTo = (place: string, pages: URL | undefined): string =>
  `${(pages?.href ?? 'https://trello.com').replace(/\/$/, '')}/${place}`;

export const shownBoard = (board: Linked, pages: URL | undefined) => ({
  ...shown(board),
  ...(board.shortLink === undefined ? {} : { url: linkTo(`b/${board.shortLink}`, pages) }),
});

export const shownCard = (card: Linked, pages: URL | undefined) => ({
  ...shown(card),
  ...(card.shortLink === undefined ? {} : { shortLink: card.shortLink, url: linkTo(`c/${card.shortLink}`, pages) }),
});

export const shownLabel = (label: Named & { color?: string | null | undefined }) => ({
  ...shown(label),
  color: label.color ?? null,
});

export const base = (delivery: Acted, pages: URL | undefined) => {
  const actor = actorOf(delivery);
  const { id, type, date } = delivery;
  return {
    action: { id, type, date },
    ...(actor === undefined ? {} : { actor: { id: actor.id, name: short(actor.name) } }),
    board: shownBoard(delivery.data.board, pages),
  };
};

/** Whom an action is about. Older ones tell of the person only in their data. */
export const personOf = ({ member, data }: Pick<Acted, 'member' | 'data'>) => {
  const { data: named } = Thing.safeParse(data['member']);
  const id = [data['idMember'], data['idMemberAdded'], named?.id].find((each) => typeof each === 'string');
  const fullName = named?.name;
  if (typeof id !== 'string') return member ?? undefined;
  return { id, ...(fullName === undefined ? {} : { fullName }), ...member };
};

/** Of a card that was read, the name is still the one of the time; its address is the service's own. */
export const cardOf = ({ data, facts }: Acted, pages: URL | undefined) =>
  data.card === undefined
    ? undefined
    : {
        ...facts?.card,
        ...shownCard({ ...facts?.card, ...data.card }, pages),
        ...(facts?.card?.url === undefined ? {} : { url: facts.card.url }),
      };

export const cardBase = (delivery: Acted & { data: { card: Linked } }, pages: URL | undefined) => {
  const [list] = listsOf(delivery);
  const { card } = delivery.data;
  return {
    ...base(delivery, pages),
    ...(list === undefined ? {} : { list: shown(list) }),
    card: {
      ...(list === undefined ? {} : { idList: list.id }),
      idBoard: delivery.data.board.id,
      ...(cardOf(delivery, pages) ?? shownCard(card, pages)),
    },
  };
};

/** A text of which a model needs no more than the beginning. */
export const capped = (text: string): { text: string; capped: boolean } => ({
  text: cut(text, longestText),
  capped: text.length > longestText,
});

/** Any value, small enough for a model. */
export const small = (value: unknown): unknown => {
  if (typeof value === 'string') return short(value);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const json = JSON.stringify(value);
  return json.length <= longestText ? value : cut(json, longestText);
};
