import { z } from 'zod';
import { type FindContext, type Path, path, type Verdict } from '#kit';
import { fileIn } from '../multipart.ts';
import { madeAt } from '../shapes.ts';
import type { Look } from './context.ts';

const Actions = z.array(
  z.object({ idMemberCreator: z.string(), type: z.string(), data: z.record(z.string(), z.unknown()) }),
);

type Data = Record<string, unknown>;

/** What was done since the write was intended. Actions keep names and places as they were at the time. */
const actionsOf = async (feed: Path, filter: string, { upstream, since }: FindContext) => {
  const query = { filter, since: since.toISOString(), limit: 1000 };
  return Actions.parse(await upstream.get(feed, { query }));
};

/** What this account itself did. */
const ownActions = async (feed: Path, filter: string, context: FindContext): Promise<Data[]> =>
  (await actionsOf(feed, filter, context))
    .filter(({ idMemberCreator }) => idMemberCreator === context.account.identity.id)
    .map(({ data }) => data);

const Thing = z.object({ id: z.string(), name: z.string().optional() });

const thing = (data: Data, name: string) => Thing.safeParse(data[name]).data;

/** Names what was made, oldest first. Whatever was deleted since did happen, but nothing can be told of it any more. */
const read = (ids: readonly string[], place: (id: string) => Path, { upstream }: FindContext): Verdict => ({
  made: [...new Set(ids)].sort().map((id) => ({ id })),
  whole: (id) => upstream.get(place(id)),
});

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

// Blanks around a text may be left out by the service.
const sameText = (a: unknown, b: unknown): boolean => text(a).trim() === text(b).trim();

const Cards = z.array(z.object({ id: z.string(), name: z.string() }));

export const cardMade: Look = async ({ sent }, context) => {
  const { upstream, account, since } = context;
  const idList = text(sent['idList']);
  const list = await upstream.get(path`/1/lists/${idList}`, { query: { fields: 'idBoard' } });
  const { idBoard } = z.object({ idBoard: z.string() }).parse(list);
  const all = (await actionsOf(path`/1/boards/${idBoard}/actions`, 'createCard,copyCard', context)).flatMap(
    ({ idMemberCreator, data }) => {
      const card = thing(data, 'card');
      return card === undefined ? [] : [{ ...card, by: idMemberCreator, idList: thing(data, 'list')?.id }];
    },
  );
  const mine = all
    .filter((card) => card.by === account.identity.id && card.idList === idList && sameText(card.name, sent['name']))
    .filter(({ id }) => madeAt(id) >= since);
  if (mine.length > 0) {
    return read(
      mine.map(({ id }) => id),
      (id) => path`/1/cards/${id}`,
      context,
    );
  }
  // The history of a list that went to another board stays behind; its cards do not.
  const there = Cards.parse(
    await upstream.get(path`/1/lists/${idList}/cards`, { query: { filter: 'all', fields: 'name' } }),
  );
  const told = new Set(all.map(({ id }) => id));
  const untold = fresh(there, since).some(({ id, name }) => !told.has(id) && sameText(name, sent['name']));
  return untold ? 'unclear' : { made: [] };
};

export const listMade: Look = async ({ sent }, context) => {
  const all = await ownActions(path`/1/boards/${text(sent['idBoard'])}/actions`, 'createList', context);
  const ids = all
    .map((data) => thing(data, 'list'))
    .filter((list) => list !== undefined)
    .filter(({ name }) => sameText(name, sent['name']))
    .map(({ id }) => id);
  return read(ids, (id) => path`/1/lists/${id}`, context);
};

export const checklistMade: Look = async ({ sent }, context) => {
  const filter = 'addChecklistToCard';
  const all = await ownActions(path`/1/cards/${text(sent['idCard'])}/actions`, filter, context);
  const ids = all
    .map((data) => thing(data, 'checklist'))
    .filter((checklist) => checklist !== undefined)
    // Without a name, a copy has its source's.
    .filter(({ name }) => sent['name'] === undefined || sameText(name, sent['name']))
    .map(({ id }) => id);
  return read(ids, (id) => path`/1/checklists/${id}`, context);
};

const Comments = z.array(
  z.looseObject({
    id: z.string(),
    idMemberCreator: z.string(),
    data: z.looseObject({ text: z.string().optional(), dateLastEdited: z.string().optional() }),
  }),
);

export const commentMade: Look = async ({ ids: [idCard = ''], sent }, { upstream, account, since }) => {
  const query = { filter: 'commentCard', since: since.toISOString(), limit: 1000 };
  const mine = Comments.parse(await upstream.get(path`/1/cards/${idCard}/actions`, { query })).filter(
    ({ idMemberCreator }) => idMemberCreator === account.identity.id,
  );
  const same = mine.filter(({ data }) => sameText(data.text, sent['text']));
  // An edited comment no longer tells what it said at first.
  if (same.length === 0 && mine.some(({ data }) => data.dateLastEdited !== undefined)) return 'unclear';
  return { made: same.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
};

const Items = z.array(z.looseObject({ id: z.string(), name: z.string() }));

// The service tells of new items and labels to webhooks only, so these are looked for where they are.
export const checkItemMade: Look = async ({ ids: [idChecklist = ''], sent }, { upstream, since }) => {
  const items = Items.parse(await upstream.get(path`/1/checklists/${idChecklist}/checkItems`));
  return { made: fresh(items, since).filter(({ name }) => sameText(name, sent['name'])) };
};

const Labels = z.array(z.looseObject({ id: z.string(), name: z.string(), color: z.string().nullable() }));

export const labelMade: Look = async ({ sent }, { upstream, since }) => {
  const idBoard = text(sent['idBoard']);
  const labels = Labels.parse(await upstream.get(path`/1/boards/${idBoard}/labels`, { query: { limit: 1000 } }));
  const color = sent['color'] ?? null;
  return { made: fresh(labels, since).filter((label) => sameText(label.name, sent['name']) && label.color === color) };
};

const Attachments = z.array(
  z.looseObject({
    id: z.string(),
    name: z.string(),
    url: z.string(),
    isUpload: z.boolean(),
    idMember: z.string(),
    bytes: z.number().nullish(),
  }),
);

const sameAddress = (a: string, b: unknown): boolean =>
  a === b || (URL.parse(a)?.href ?? a) === URL.parse(text(b))?.href;

/** A link is told apart by its address, or by its name if the service fetched what it leads to; a file by name and size. */
export const attachmentMade: Look = async ({ ids: [idCard = ''], sent }, { upstream, account, since, request }) => {
  const file = fileIn(request);
  // Of a file that is not at hand any more, nobody knows by what to tell it.
  if (file === undefined && sent['url'] === undefined) return 'unclear';
  const all = Attachments.parse(await upstream.get(path`/1/cards/${idCard}/attachments`)).filter(
    ({ idMember }) => idMember === account.identity.id,
  );
  const mine = ({ name, url, isUpload, bytes }: (typeof all)[number]): boolean =>
    file === undefined
      ? sameAddress(url, sent['url']) || (isUpload && sameText(name, sent['name']))
      : isUpload && sameText(name, file.name) && bytes === file.size;
  return { made: fresh(all, since).filter(mine) };
};

const fresh = <T extends { id: string }>(all: readonly T[], since: Date): T[] =>
  all.filter(({ id }) => madeAt(id) >= since).toSorted((a, b) => (a.id < b.id ? -1 : 1));
