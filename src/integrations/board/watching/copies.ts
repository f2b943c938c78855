import { z } from 'zod';
import { madeAt } from '../shapes.ts';
import type { Asked, Explains } from './explaining.ts';
import { isAtBirth, isUnplaced } from './placing.ts';

const Old = z.record(z.string(), z.unknown());
const Named = z.object({ name: z.string().optional() });

/** What is no part of a copy, however soon after it: one begins with nothing and is filled. */
const isByHand = ({ action, data }: Asked): boolean =>
  action.type === 'commentCard' ||
  Object.values(Old.safeParse(data['old']).data ?? {}).some(
    (before) => typeof before === 'boolean' || (typeof before === 'string' && before !== ''),
  );

const isSameName = (place: unknown, sent: unknown): boolean =>
  Named.safeParse(place).data?.name === Named.safeParse(sent).data?.name;

const copying = { list: /^\/1\/(?:boards\/\w+\/)?lists$/, board: /^\/1\/boards$/ };

/** What is in a list or on a board that was copied is told card by card. */
const comesWithPlace =
  (kind: 'list' | 'board', source: string): Explains =>
  ({ action, data, write: { method, upstreamId, state }, sent, path }) => {
    if (method !== 'POST' || !copying[kind].test(path) || sent[source] === undefined) return false;
    const isOpen = upstreamId === null && state === 'intended';
    if (kind === 'list' && isUnplaced(action)) return isOpen;
    const place = data[kind];
    if (place === undefined || !isAtBirth(action.id, place.id)) return false;
    if (data.card !== undefined && madeAt(data.card.id) < madeAt(place.id)) return false;
    return upstreamId === null ? isSameName(place, sent) : place.id === upstreamId;
  };

/** Whatever a card had is told of the copy as actions of their own. */
const comesWithCard: Explains = ({ action, data, write: { method, upstreamId, state }, sent, path }) => {
  if (method !== 'POST' || path !== '/1/cards' || sent['idCardSource'] === undefined) return false;
  const isOpen = upstreamId === null && state === 'intended';
  if (isUnplaced(action)) return isOpen;
  if (data.card === undefined || (action.told === undefined && !isAtBirth(action.id, data.card.id))) return false;
  return upstreamId === null ? sent['idList'] === data.list?.id : upstreamId === data.card.id;
};

/** Whether a write of ours copied something, and this is part of the copy. */
export const comesWithCopy: Explains = (asked) =>
  !isByHand(asked) &&
  [comesWithCard, comesWithPlace('list', 'idListSource'), comesWithPlace('board', 'idBoardSource')].some((comes) =>
    comes(asked),
  );
