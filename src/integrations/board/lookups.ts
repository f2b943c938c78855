import { z } from 'zod';
import { caseless, Fault, path, type StepContext, type Upstream, wrong } from '#kit';
import { cut } from './cards.ts';

export type Named = { id: string; names: readonly string[]; hint?: string | undefined };
type Context = Pick<StepContext, 'upstream' | 'account'>;

const objectId = /^[0-9a-f]{24}$/i;
const most = 20;

export const isId = (given: string): boolean => objectId.test(given);

export const refuse = (field: string | readonly string[], message: string, found: readonly Named[]): never => {
  const candidates = found.slice(0, most).map(({ id, names: [name], hint }) => ({ id, name, ...(hint && { hint }) }));
  throw wrong(field, message, { candidates });
};

/** The one thing of this name. Letter case counts only where it tells two apart. */
const byName = (
  what: string,
  field: string,
  given: string,
  all: readonly Named[],
  advice = 'give the id of one of the candidates',
): string | undefined => {
  const low = caseless(given);
  const alike = all.filter(({ names }) => names.some((name) => caseless(name) === low));
  const same = alike.filter(({ names }) => names.includes(given));
  const found = same.length > 0 ? same : alike;
  if (found.length > 1) {
    refuse(field, `${found.length} ${what}s are called "${cut(given, 100)}"; ${advice}.`, found);
  }
  return found[0]?.id;
};

/** The one of this name, for whoever would make another one. */
export const alreadyThere = <T extends { id: string; name: string; color?: string | null }>(
  what: string,
  name: string,
  all: readonly T[],
): T | undefined => {
  const named = all.map((each) => ({ id: each.id, names: [each.name], hint: each.color ?? undefined }));
  const advice = 'use one of the candidates by its id, or make another one with ifExists "create"';
  const id = byName(what, 'name', name, named, advice);
  return all.find((each) => each.id === id);
};

export const noSuch = (what: string, given: string, listing: string): string =>
  `There is no ${what} "${cut(given, 100)}" here; ${listing} lists those there are.`;

const oneByName = (what: string, field: string, given: string, all: readonly Named[], listing: string): string =>
  byName(what, field, given, all) ?? refuse(field, noSuch(what, given, listing), all);

/** Refuses a name that nothing here has. Several may have it: then all of them are meant. */
export const refuseUnknownName = (
  what: string,
  field: string,
  given: string,
  { all, listing }: { all: readonly Named[]; listing: string },
): void => {
  const low = caseless(given);
  if (all.some(({ id, names }) => id === low || names.some((name) => caseless(name) === low))) return;
  refuse(field, noSuch(what, given, listing), all);
};

const Identified = z.object({ id: z.string() });
const shortLink = /^[A-Za-z0-9]{8}$/;
const address = /^https?:\/\/[^/\s]+\/([bc])\/([A-Za-z0-9]{8})(?:[/?#.]|$)/;

const listing = { board: 'Get Boards', card: 'Search Cards' };

/** The id behind an id, a short link or a web address; `undefined` if it can only be a name. */
const direct = async (
  upstream: Upstream,
  kind: 'board' | 'card',
  given: string,
  field: string,
): Promise<string | undefined> => {
  if (isId(given)) return given.toLowerCase();
  const place = (link: string) => (kind === 'board' ? path`/1/boards/${link}` : path`/1/cards/${link}`);
  const query = { fields: 'id' };
  const [, letter, linked] = address.exec(given) ?? [];
  if (linked !== undefined && letter === kind[0]) {
    const answer = await upstream.get(place(linked), { query }).catch((error: unknown) => {
      if (!(error instanceof Fault) || error.code !== 'not_found') throw error;
      throw wrong(field, noSuch(kind, given, listing[kind]));
    });
    return Identified.parse(answer).id;
  }
  if (!shortLink.test(given)) return undefined;
  // A name can have eight letters too.
  const answer = await upstream.request({ method: 'GET', path: place(given), query });
  return Identified.safeParse(answer.body).data?.id;
};

const Things = z.array(z.object({ id: z.string(), name: z.string(), url: z.string().optional() }));
const named = (body: unknown): Named[] =>
  Things.parse(body).map(({ id, name, url }) => ({ id, names: [name], hint: url }));

/** The service lets few calls through that ask for the boards of a person; an id needs none of them. */
const sayWhatElse = (error: unknown): never => {
  if (!(error instanceof Fault) || error.code !== 'rate_limited') throw error;
  const { message, details, retryAfterMs } = error;
  const hint = 'A board that is given by its id, short link or web address need not be looked up.';
  throw new Fault('rate_limited', `${message} ${hint}`, { ...(details && { details }), retryAfterMs, cause: error });
};

const askBoards = async (upstream: Upstream): Promise<Named[]> => {
  const query = { filter: 'open', fields: 'name,url' };
  return named(await upstream.get(path`/1/members/me/boards`, { query }).catch(sayWhatElse));
};

/*
 * One call asks once, whatever it names: its upstream lives no longer than the call. Beyond it nothing is remembered, for
 * another board of that name may have come meanwhile, and then the name must be refused.
 */
const asked = new WeakMap<Upstream, Promise<Named[]>>();

const openBoards = (upstream: Upstream): Promise<Named[]> => {
  const asking = asked.get(upstream) ?? askBoards(upstream);
  asked.set(upstream, asking);
  return asking;
};

export const boardIdOf = async (
  { upstream }: Pick<Context, 'upstream'>,
  given: string,
  field = 'board',
): Promise<string> => {
  const id = await direct(upstream, 'board', given, field);
  if (id !== undefined) return id;
  return oneByName('board', field, given, await openBoards(upstream), listing.board);
};

const needsBoard = async ({ upstream }: Pick<Context, 'upstream'>, what: string, field: string): Promise<never> =>
  refuse(
    [field, 'board'],
    `To find a ${what} by its name, give its board as well, such as one of the candidates.`,
    await openBoards(upstream),
  );

export const listIdOf = async (
  context: Pick<Context, 'upstream'>,
  given: string,
  board: string | undefined,
  field = 'list',
): Promise<string> => {
  if (isId(given)) return given.toLowerCase();
  const idBoard = await boardIdOf(context, board ?? (await needsBoard(context, 'list', field)));
  const query = { filter: 'open', fields: 'name' };
  const lists = named(await context.upstream.get(path`/1/boards/${idBoard}/lists`, { query }));
  return oneByName('list', field, given, lists, 'Get Lists');
};

export const cardIdOf = async (
  context: Pick<Context, 'upstream'>,
  given: string,
  board?: string,
  field = 'cardId',
): Promise<string> => {
  const id = await direct(context.upstream, 'card', given, field);
  if (id !== undefined) return id;
  const idBoard = await boardIdOf(context, board ?? (await needsBoard(context, 'card', field)));
  const query = { filter: 'open', fields: 'name,url' };
  const cards = named(await context.upstream.get(path`/1/boards/${idBoard}/cards`, { query }));
  return oneByName('card', field, given, cards, listing.card);
};

const OnBoard = z.object({ idBoard: z.string() });

export const boardOfCard = async (upstream: Upstream, idCard: string): Promise<string> =>
  OnBoard.parse(await upstream.get(path`/1/cards/${idCard}`, { query: { fields: 'idBoard' } })).idBoard;

export const boardOfList = async (upstream: Upstream, idList: string): Promise<string> =>
  OnBoard.parse(await upstream.get(path`/1/lists/${idList}`, { query: { fields: 'idBoard' } })).idBoard;

const Labels = z.array(z.object({ id: z.string(), name: z.string(), color: z.string().nullable() }));

export const labelsOn = async (upstream: Upstream, idBoard: string) =>
  Labels.parse(await upstream.get(path`/1/boards/${idBoard}/labels`, { query: { limit: 1000, fields: 'name,color' } }));

export const calledBy = ({ name, color }: { name: string; color: string | null }): string =>
  name === '' ? (color ?? '') : name;

/** Ids of labels given by id, name, or colour where they have no name. `board` is asked only if it is needed. */
export const labelIdsOf = async (
  { upstream }: Pick<Context, 'upstream'>,
  given: readonly string[],
  board: () => Promise<string>,
  field = 'labels',
  /** Is told of a name that no label has, and of those there are; without it, that is refused. */
  onUnknown?: (name: string, there: readonly string[]) => void,
): Promise<string[]> => {
  if (given.every(isId)) return [...new Set(given.map((id) => id.toLowerCase()))];
  const labels = (await labelsOn(upstream, await board())).map(({ id, name, color }) => ({
    id,
    names: [calledBy({ name, color })],
    hint: color ?? undefined,
  }));
  const ids = given.flatMap((label) => {
    if (isId(label)) return [label.toLowerCase()];
    if (onUnknown === undefined) return [oneByName('label', field, label, labels, 'List Labels')];
    const id = byName('label', field, label, labels);
    if (id === undefined)
      onUnknown(
        label,
        labels.flatMap(({ names }) => names),
      );
    return id === undefined ? [] : [id];
  });
  return [...new Set(ids)];
};

const People = z.array(z.object({ id: z.string(), username: z.string(), fullName: z.string() }));

/** Ids of people given by id, username or full name; `me` is the account itself. */
export const memberIdsOf = async (
  { upstream, account }: Context,
  given: readonly string[],
  board: () => Promise<string>,
  field = 'members',
): Promise<string[]> => {
  const ids = given.map((each) => (each === 'me' ? account.identity.id : each.replace(/^@/, '')));
  if (ids.every(isId)) return [...new Set(ids.map((id) => id.toLowerCase()))];
  const query = { fields: 'username,fullName' };
  const people = People.parse(await upstream.get(path`/1/boards/${await board()}/members`, { query })).map(
    ({ id, username, fullName }) => ({ id, names: [fullName, username], hint: username }),
  );
  const found = ids.map((each) =>
    isId(each) ? each.toLowerCase() : oneByName('member', field, each, people, 'List Members'),
  );
  return [...new Set(found)];
};

const needsCard = (what: string): never => {
  throw wrong('cardId', `To find a ${what} by its name, give its card as well.`);
};

export const checklistIdOf = async (
  { upstream }: Pick<Context, 'upstream'>,
  given: string,
  idCard: string | undefined,
  field = 'checklistId',
): Promise<string> => {
  if (isId(given)) return given.toLowerCase();
  const query = { fields: 'name', checkItems: 'none' };
  const checklists = named(
    await upstream.get(path`/1/cards/${idCard ?? needsCard('checklist')}/checklists`, { query }),
  );
  return oneByName('checklist', field, given, checklists, 'Get Card');
};

const Items = z.array(z.object({ id: z.string(), name: z.string(), checkItems: Things }));

/** The id of an item on one of the card's checklists. */
export const checkItemIdOf = async (
  { upstream }: Pick<Context, 'upstream'>,
  given: string,
  idCard: string,
  checklist: string | undefined,
): Promise<string> => {
  if (isId(given)) return given.toLowerCase();
  const idChecklist =
    checklist === undefined ? undefined : await checklistIdOf({ upstream }, checklist, idCard, 'checklist');
  const checklists = Items.parse(await upstream.get(path`/1/cards/${idCard}/checklists`));
  const items = checklists
    .filter(({ id }) => idChecklist === undefined || id === idChecklist)
    .flatMap(({ name: hint, checkItems }) => checkItems.map(({ id, name }) => ({ id, names: [name], hint })));
  return oneByName('item', 'item', given, items, 'Get Card');
};

export const workspaceIdOf = async ({ upstream }: Pick<Context, 'upstream'>, given: string): Promise<string> => {
  if (isId(given)) return given.toLowerCase();
  const Workspaces = z.array(z.object({ id: z.string(), name: z.string(), displayName: z.string() }));
  const query = { fields: 'name,displayName' };
  const all = Workspaces.parse(await upstream.get(path`/1/members/me/organizations`, { query }));
  const workspaces = all.map(({ id, name, displayName }) => ({ id, names: [displayName, name] }));
  return oneByName('workspace', 'workspace', given, workspaces, 'Get Boards');
};
