import { z } from 'zod';
import type { Occurrence, OwnWrite, Watching } from '#kit';
import { comesWithCopy } from './copies.ts';
import type { Explains } from './explaining.ts';
import { coverOf, explanations } from './explanations.ts';
import { Action } from './occurrence.ts';
import { isUnplaced, placed } from './placing.ts';

const Ours = z.object({ viaSwitchboard: z.literal(true) });
const Told = Action.extend({ id: z.string(), told: z.literal('state').optional() });

const isMarked = ({ body }: Occurrence): boolean => Ours.safeParse(body).success;

/** Parts of an action that a write of ours may have made or changed, and so be recorded under. */
const parts = [
  'card',
  'action',
  'checklist',
  'checkItem',
  'label',
  'attachment',
  'customField',
  'list',
  'board',
] as const;

const Id = z.object({ id: z.string() });
const Fields = z.record(z.string(), z.unknown());

// A write is recorded before it is sent, and clocks differ.
const nearMs = 2 * 60_000;

const matches = (occurrence: Occurrence, write: OwnWrite): boolean => {
  const { data: action } = Told.safeParse(occurrence.body);
  if (action === undefined) return false;
  // What a write made has its id, whatever the clocks say.
  if (write.upstreamId === action.id) return true;
  // A minute after us somebody else may have done the same, or the opposite.
  if (write.by !== undefined && (action.idMemberCreator ?? write.by) !== write.by) return false;
  if (Math.abs(occurrence.at.getTime() - write.at.getTime()) > nearMs) return false;
  const explain: Explains | undefined = explanations[action.type];
  const sent = Fields.safeParse(write.body).data ?? {};
  const asked = { action, data: action.data, write, sent, path: write.path.replace(/\/+$/, '') };
  return comesWithCopy(asked) || explain?.(asked) === true;
};

export const own: Watching['own'] = {
  isSuspect: (occurrence, { identity }) => {
    const { data: action } = Told.safeParse(occurrence.body);
    if (action === undefined) return false;
    return isMarked(occurrence) || action.idMemberCreator === identity.id;
  },
  isAnyones: ({ body }) => Told.safeParse(body).data?.told !== undefined,

  isUnplaced: ({ body }) => {
    const { data: action } = Told.safeParse(body);
    return action !== undefined && isUnplaced(action);
  },
  placed,

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
