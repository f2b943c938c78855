import { z } from 'zod';
import { type FindContext, path } from '#kit';
import { fieldItems } from '../custom-fields.ts';
import { isPlaced } from '../placed.ts';
import { held, type Look, nothing } from './context.ts';

type Fields = Record<string, unknown>;

const sameTime = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'string' && typeof b === 'string' && Date.parse(a) === Date.parse(b));

const sameSet = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) && Array.isArray(b) && new Set(a).size === new Set(b).size && a.every((each) => b.includes(each));

const times = new Set(['due', 'start']);

const same = (name: string, now: unknown, wanted: unknown): boolean => {
  if (times.has(name)) return sameTime(now, wanted);
  if (Array.isArray(wanted)) return sameSet(now, wanted);
  // Clearing a text leaves an empty one; no reminder is told as none.
  if (name === 'desc') return now === (wanted ?? '');
  if (name === 'dueReminder') return (now ?? -1) === (wanted ?? -1);
  return now === wanted;
};

const Actions = z.array(
  z.object({
    idMemberCreator: z.string(),
    data: z.object({ card: z.record(z.string(), z.unknown()), old: z.record(z.string(), z.unknown()).default({}) }),
  }),
);

/** Whether this account made the change, even if somebody changed it again since. */
const wasChanged = async (
  idCard: string,
  [name, value]: readonly [string, unknown],
  { upstream, account, since }: FindContext,
): Promise<boolean> => {
  const query = { filter: `updateCard:${name}`, since: since.toISOString(), limit: 1000 };
  const actions = Actions.parse(await upstream.get(path`/1/cards/${idCard}/actions`, { query }));
  return actions.some(
    ({ idMemberCreator, data }) =>
      idMemberCreator === account.identity.id && name in data.old && same(name, data.card[name], value),
  );
};

/**
 * Where it lies does not count if this account changed anything else that was to change: others may have been put before
 * it since. What was so before says nothing of it.
 */
const isAsWanted = async (card: Fields, { pos, ...wanted }: Fields, context: FindContext): Promise<boolean> => {
  const entries = Object.entries(wanted).filter(([, value]) => value !== undefined);
  const wasMade = (entry: readonly [string, unknown]) => wasChanged(String(card['id']), entry, context);
  const isSame = ([name, value]: readonly [string, unknown]) => same(name, card[name], value);
  const others = entries.filter((entry) => !isSame(entry));
  for (const entry of others) if (!(await wasMade(entry))) return false;
  if (pos === undefined || others.length > 0 || (await isPlaced(context.upstream, card, pos))) return true;
  for (const entry of entries) if (await wasMade(entry)) return true;
  return false;
};

const Loose = z.looseObject({ id: z.string() });

export const cardChanged: Look = async ({ ids: [idCard = ''], sent }, context) => {
  const card = Loose.parse(await context.upstream.get(path`/1/cards/${idCard}`));
  return (await isAsWanted(card, sent, context)) ? held(context, card) : nothing;
};

export const checkItemChanged: Look = async ({ ids: [idCard = '', idItem = ''], sent }, context) => {
  const item = Loose.parse(await context.upstream.get(path`/1/cards/${idCard}/checkItem/${idItem}`));
  const done = Object.entries(sent).every(([name, value]) => name === 'pos' || same(name, item[name], value));
  return done ? held(context, item) : nothing;
};

export const customFieldSet: Look = async ({ ids: [idCard = '', idField = ''], sent }, context) => {
  const items = await fieldItems(context.upstream, idCard);
  const item = items.find(({ idCustomField }) => idCustomField === idField);
  const wanted = [sent['idValue'] || null, sent['value'] || null];
  const now = [item?.idValue ?? null, item?.value ?? null];
  return JSON.stringify(now) === JSON.stringify(wanted) ? held(context, item ?? {}) : nothing;
};

const Sets = z.object({ idLabels: z.array(z.string()), idMembers: z.array(z.string()) });

/** Whether a label or a person is on the card, or no longer is. */
export const cardHas =
  (set: 'idLabels' | 'idMembers', wanted: boolean): Look =>
  async ({ ids: [idCard = '', removed], sent }, context) => {
    const card = Sets.parse(
      await context.upstream.get(path`/1/cards/${idCard}`, { query: { fields: 'idLabels,idMembers' } }),
    );
    const id = removed ?? String(sent['value']);
    return card[set].includes(id) === wanted ? held(context, {}) : nothing;
  };
