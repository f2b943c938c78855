import { z } from 'zod';
import { type Occurrence, path, type Upstream } from '#kit';
import { unlessGone } from '../faults.ts';
import { madeAt } from '../shapes.ts';
import { Action } from './occurrence.ts';

/* What comes with a copied card names no list, and a copied checklist no card: which list or card was copied is not told. */

const birthMs = 5_000;

/** Whether it happened while the other was being made. */
export const isAtBirth = (id: string, of: string): boolean =>
  Math.abs(madeAt(id).getTime() - madeAt(of).getTime()) <= birthMs;

const Told = z.looseObject(Action.shape);

export const isUnplaced = ({
  id,
  type,
  told,
  data,
}: Pick<Action, 'id' | 'type' | 'data'> & { told?: unknown }): boolean => {
  if (told !== undefined) return false;
  if (data.card === undefined) return type === 'copyChecklist';
  return data.list === undefined && data['listAfter'] === undefined && isAtBirth(id, data.card.id);
};

const Checklist = z.object({ idCard: z.string() });
const List = z.object({ id: z.string(), name: z.string().optional() });
const Copied = z.object({
  id: z.string(),
  data: z.object({ card: z.object({ id: z.string() }).optional(), list: List.optional() }),
});
const Card = z.object({ list: List.nullish(), actions: z.array(Copied) });

const cardOf = async ({ data }: Action, upstream: Upstream): Promise<string | undefined> => {
  if (data.card !== undefined) return data.card.id;
  const { id } = z.object({ id: z.string() }).parse(data['checklist']);
  const checklist = await unlessGone(upstream.get(path`/1/checklists/${id}`, { query: { fields: 'idCard' } }));
  return checklist === undefined ? undefined : Checklist.parse(checklist).idCard;
};

/** With the card and its list, unless it was done by hand after the card was there: a copy is told when all of it is. */
export const placed = async (occurrence: Occurrence, upstream: Upstream): Promise<Occurrence> => {
  const action = Told.parse(occurrence.body);
  const id = await cardOf(action, upstream);
  if (id === undefined || !isAtBirth(action.id, id)) return occurrence;
  const query = { fields: 'id', list: true, list_fields: 'name', actions: 'copyCard' };
  const body = await unlessGone(upstream.get(path`/1/cards/${id}`, { query }));
  if (body === undefined) return occurrence;
  const card = Card.parse(body);
  const copied = card.actions.find(({ data }) => data.card?.id === id);
  const isLater = copied !== undefined && copied.id < action.id && action.data['fromCopy'] !== true;
  const list = copied?.data.list ?? card.list ?? undefined;
  if (isLater || list === undefined) return occurrence;
  return { ...occurrence, body: { ...action, data: { ...action.data, card: action.data.card ?? { id }, list } } };
};
