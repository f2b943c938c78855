import { z } from 'zod';
import type { Occurrence, OwnWrite, Watching } from '#kit';
import { madeAt } from '../shapes.ts';
import { coverOf, type Explains, explanations } from './explanations.ts';
import { Action } from './occurrence.ts';

const Ours = z.object({ viaSwitchboard: z.literal(true) });
const Told = Action.extend({ id: z.string(), told: z.literal('state').optional() });

const isMarked = ({ body }: Occurrence): boolean => Ours.safeParse(body).success;

/** Parts of an action that a write of ours may have made or changed, and so be recorded under. */
const parts = ['card', 'action', 'checklist', 'checkItem', 'label', 'attachment', 'list', 'board'] as const;

const Id = z.object({ id: z.string() });
const Fields = z.record(z.string(), z.unknown());

// A write is recorded before it is sent, and clocks differ.
const nearMs = 2 * 60_000;
const birthMs = 5_000;

/** The parts that come with a new card are told as actions of their own. */
const comesWithCard = (
  { id, type, data, told }: z.output<typeof Told>,
  { method, path, upstreamId }: OwnWrite,
): boolean => {
  const card = data.card?.id;
  if (card === undefined || upstreamId !== card || method !== 'POST' || !/^\/1\/cards\/?$/.test(path)) return false;
  return told !== undefined || type.startsWith('copy') || madeAt(id).getTime() - madeAt(card).getTime() <= birthMs;
};

const Copying = z.object({ idListSource: z.string() }).or(z.object({ idBoardSource: z.string() }));

/** What is in a list or on a board that was copied is told card by card. */
const comesWithCopy = ({ id, data }: z.output<typeof Told>, { method, path, upstreamId, body }: OwnWrite): boolean => {
  const copied = /^\/1\/(list|board)s\/?$/.exec(path)?.[1];
  if (method !== 'POST' || copied === undefined || upstreamId === null || !Copying.safeParse(body).success)
    return false;
  const isThere = (copied === 'list' ? data.list?.id : data.board?.id) === upstreamId;
  return isThere && madeAt(id).getTime() - madeAt(upstreamId).getTime() <= birthMs;
};

const matches = (occurrence: Occurrence, write: OwnWrite): boolean => {
  const { data: action } = Told.safeParse(occurrence.body);
  if (action === undefined) return false;
  // What a write made has its id, whatever the clocks say.
  if (write.upstreamId === action.id) return true;
  // A minute after us somebody else may have done the same, or the opposite.
  if (write.by !== undefined && (action.idMemberCreator ?? write.by) !== write.by) return false;
  if (Math.abs(occurrence.at.getTime() - write.at.getTime()) > nearMs) return false;
  if (comesWithCard(action, write) || comesWithCopy(action, write)) return true;
  const explain: Explains | undefined = explanations[action.type];
  const sent = Fields.safeParse(write.body).data ?? {};
  return explain?.({ action, data: action.data, write, sent, path: write.path.replace(/\/+$/, '') }) ?? false;
};

export const own: Watching['own'] = {
  // The service repeats our own identifier only to ourselves, and this delivery was signed.
  isCertain: isMarked,

  isSuspect: (occurrence, { identity }) => {
    const { data: action } = Told.safeParse(occurrence.body);
    if (action === undefined) return false;
    return isMarked(occurrence) || action.told !== undefined || action.idMemberCreator === identity.id;
  },

  doer: ({ body }) => Told.safeParse(body).data?.idMemberCreator,

  traces: (occurrence) => {
    const { data: action } = Told.safeParse(occurrence.body);
    if (action === undefined) return [];
    const { data } = action;
    const ids = parts.flatMap((part) => Id.safeParse(data[part]).data?.id ?? []);
    return [...new Set([action.id, ...ids, ...[coverOf(data) ?? []].flat()])];
  },

  isCausedBy: (occurrence, write) => {
    if (write.state === 'not_sent' || !matches(occurrence, write)) return false;
    return write.state === 'intended' ? 'undecided' : true;
  },
};
