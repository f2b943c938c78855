import { z } from 'zod';
import { Fault, path, type WatchContext } from '#kit';
import { cardFields, summarize } from '../cards.ts';
import { unlessGone } from '../faults.ts';
import { Attachment, Member, madeAt } from '../shapes.ts';
import { type Acted, listsOf, Named } from './action.ts';
import { type Places, placesAdmit } from './config.ts';
import { listThen, movesOfCard } from './list-then.ts';

type Asks = Places & { includeCard?: boolean | undefined };

/** Whether what is known already leaves it open: nothing is read for what is filtered anyway. */
export const isOpen = (delivery: Acted, { boards, cards }: Places): boolean => {
  const known = placesAdmit(delivery, cards === undefined ? { boards } : { boards, cards });
  return known.boards && known.cards;
};

/** Whether the card must be read: for its list, which the action does not tell, or because the whole card is asked for. */
export const needsCard = (delivery: Acted, asks: Asks): boolean => {
  const { data, facts } = delivery;
  const lacksCard = asks.includeCard === true && facts?.card === undefined;
  const lacksList = (asks.lists ?? []).length > 0 && facts?.list === undefined && listsOf(delivery).length === 0;
  return data.card !== undefined && (lacksCard || lacksList) && isOpen(delivery, asks);
};

const Found = z.looseObject({
  list: Named,
  members: z.array(Member),
  attachments: z.array(Attachment).default([]),
  actions: z.array(z.unknown()).default([]),
});

/**
 * The card as it is now, if that is asked for, with the list in which it was when this happened and, if asked for, one of its
 * attachments.
 */
export const withCard = async <Delivery extends Acted>(
  delivery: Delivery,
  { upstream }: WatchContext,
  { includeCard }: Asks,
  idAttachment?: string,
): Promise<Delivery> => {
  const { card } = delivery.data;
  if (card === undefined) return delivery;
  const tellsList = listsOf(delivery).length > 0;
  const query = {
    fields: cardFields,
    list: true,
    list_fields: 'name',
    members: true,
    member_fields: 'username,fullName',
    ...(idAttachment === undefined ? {} : { attachments: true }),
    ...(tellsList ? {} : movesOfCard),
  };
  const body = await unlessGone(upstream.get(path`/1/cards/${card.id}`, { query }));
  const found = body === undefined ? undefined : Found.parse(body);
  const { idMembers: _, ...summary } = found === undefined ? { idMembers: [] } : summarize(body);
  const list = tellsList ? undefined : await listThen(delivery, found, upstream);
  return {
    ...delivery,
    facts: {
      ...delivery.facts,
      ...(includeCard === true ? { card: found === undefined ? null : { ...summary, members: found.members } } : {}),
      ...(list === undefined ? {} : { list }),
      attachment: found?.attachments.find(({ id }) => id === idAttachment) ?? null,
    },
  };
};

const birthMs = 5_000;
const patienceMs = 60_000;
const retryAfterMs = 2_000;

/** A new card's due date, people and parts are told before its creation, some milliseconds apart. */
const comesWithCards = new Set(['addMemberToCard', 'addLabelToCard', 'addChecklistToCard', 'addAttachmentToCard']);

/** Whether this could be a part of making the card. */
export const mayBePartOfCreation = ({ id, type, told, data, facts }: Acted): boolean => {
  const { card } = data;
  if (card === undefined || told !== undefined || facts?.partOfCreation !== undefined) return false;
  const old = z.object({ due: z.null() }).safeParse(data['old']);
  if (!comesWithCards.has(type) && !(type === 'updateCard' && old.success)) return false;
  return Math.abs(madeAt(id).getTime() - madeAt(card.id).getTime()) <= birthMs;
};

const creations = 'createCard,copyCard,convertToCardFromCheckItem,emailCard,moveInboxCardToBoard,copyInboxCard';
const Makings = z.array(z.object({ id: z.string(), data: z.object({ card: Named }) }));

/** How the card was made, by its own history or, where it is gone, by that of its board. `undefined`: neither tells any more. */
const makingOf = async ({ data }: Acted, card: string, upstream: WatchContext['upstream']) => {
  const query = { filter: creations, fields: 'type,data' };
  const own = await unlessGone(upstream.get(path`/1/cards/${card}/actions`, { query }));
  if (own !== undefined) return { made: Makings.parse(own).at(-1) };
  const ofBoard = { ...query, since: card, limit: 1000 };
  const all = await unlessGone(upstream.get(path`/1/boards/${data.board.id}/actions`, { query: ofBoard }));
  const made = Makings.safeParse(all).data?.findLast((each) => each.data.card.id === card);
  return made && { made };
};

/** Asks whether the card was made after this was told. */
export const withCreation = async <Delivery extends Acted>(
  delivery: Delivery,
  { upstream, now }: WatchContext,
): Promise<Delivery> => {
  const { id, data, facts } = delivery;
  if (data.card === undefined || !mayBePartOfCreation(delivery)) return delivery;
  const making = await makingOf(delivery, data.card.id, upstream);
  const isYoung = now.getTime() - madeAt(id).getTime() < patienceMs;
  if (making !== undefined && making.made === undefined && isYoung) {
    throw new Fault('upstream_unavailable', 'The service does not tell yet how this card was made.', { retryAfterMs });
  }
  const partOfCreation = making === undefined || (making.made !== undefined && making.made.id > id);
  return { ...delivery, facts: { ...facts, partOfCreation } };
};
