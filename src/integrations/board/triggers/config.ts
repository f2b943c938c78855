import { z } from 'zod';
import {
  type JudgeContext,
  type Judgement,
  path,
  placeOf,
  type SettleContext,
  sameName,
  type UsesOfEvent,
  type WatchContext,
  wrong,
} from '#kit';
import { unlessGone } from '../faults.ts';
import { boardIdOf, isId } from '../lookups.ts';
import { BoardRef, CardLink, LabelRef, ListRef, MemberRef } from '../shapes.ts';
import { type Acted, listsOf, type Named, ReadCard } from './action.ts';
import { settleNames } from './settle-names.ts';

const most = 100;

/** What every board trigger can be told. */
export const common = {
  boards: z
    .array(BoardRef)
    .max(most)
    .default([])
    .describe(
      'Boards to watch: ids, short links, web addresses or exact names; empty for all open boards of the account.',
    ),
  ignoreSelf: z
    .boolean()
    .default(true)
    .describe('Whether changes made through Switchboard start nothing.')
    .meta({ title: 'Ignore own changes' }),
};

export const lists = z
  .array(ListRef)
  .max(most)
  .default([])
  .describe('Only in these lists: ids or exact names; empty for all.');

export const cards = z
  .array(CardLink)
  .max(most)
  .default([])
  .describe('Only these cards: ids, short links or web addresses; empty for all.');

export const labels = z
  .array(LabelRef)
  .max(most)
  .default([])
  .describe('Only these labels: ids or exact names; empty for all.');

export const members = z
  .array(MemberRef)
  .max(most)
  .default([])
  .describe('Only these people: ids, usernames or "me"; empty for all.');

export const includeCard = z
  .boolean()
  .optional()
  .describe(
    'Read the whole card before starting: description, dates, labels and members too. Costs one call per event; if not set, it is read for agents that use more than its name.',
  )
  .meta({ title: 'Read the whole card' });

/** What triggers on cards can be told besides. */
export const onCards = { ...common, lists, cards, includeCard };

type Linked = Named & { shortLink?: string | undefined };
type Boards = { boards: readonly string[] };
export type Places = Boards & { lists?: readonly string[]; cards?: readonly string[] };

/** An empty choice admits everything; what is not there is admitted by no other. */
const admits = <Thing>(
  chosen: readonly string[],
  things: readonly Thing[],
  is: (one: string, thing: Thing) => boolean,
) => chosen.length === 0 || things.some((thing) => chosen.some((one) => is(one, thing)));

const isLinked = (one: string, { id, shortLink }: Linked): boolean => one === id || one === shortLink;

const isNamed = (one: string, { id, name }: Named): boolean =>
  one === id || (name !== undefined && sameName(one, name));

export const admitsNamed = (chosen: readonly string[], things: readonly Named[]): boolean =>
  admits(chosen, things, isNamed);

type Person = { id: string; username?: string | undefined; fullName?: string | undefined };

export const admitsPerson = (
  chosen: readonly string[],
  person: Person | null | undefined,
  { account }: Pick<JudgeContext, 'account'>,
): boolean =>
  admits(chosen, [person ?? []].flat(), (given, { id, username, fullName }) => {
    const one = given === 'me' ? account.identity.id : given.replace(/^@/, '');
    return [id, username, fullName].some((each) => each !== undefined && sameName(each, one));
  });

/** The first part of the configuration that does not admit it. */
export const judged = (clauses: Readonly<Record<string, boolean>>): Judgement => {
  const refused = Object.keys(clauses).find((clause) => clauses[clause] === false);
  return refused === undefined ? { outcome: 'fired' } : { outcome: 'filtered', clause: refused };
};

/** The clauses on boards, lists and cards. Without a list or a card, no choice of lists or cards is met. */
export const placesAdmit = (delivery: Acted, { boards, lists: chosen = [], cards: few = [] }: Places) => ({
  boards: admits(boards, [delivery.data.board], isLinked),
  lists: admits(chosen, listsOf(delivery), isNamed),
  cards: admits(few, [delivery.data.card ?? []].flat(), isLinked),
});

export const admitsBoard = (boards: readonly string[], board: Linked | undefined): boolean =>
  admits(boards, [board ?? []].flat(), isLinked);

const Openness = z.object({ closed: z.boolean(), name: z.string() });

/** Of a board that is gone or closed nothing would ever be told. */
const openBoardOf = async (context: SettleContext, given: string, field: string): Promise<string> => {
  const id = await unlessGone(boardIdOf(context, given, field));
  const query = { fields: 'closed,name' };
  const read = id === undefined ? undefined : await unlessGone(context.upstream.get(path`/1/boards/${id}`, { query }));
  if (id === undefined || read === undefined) {
    const name = context.nameOf(given);
    throw wrong(
      field,
      name === undefined
        ? `There is no board "${given}" that this account can see.`
        : `The board “${name}” is gone, or this account cannot see it any more; leave it out.`,
    );
  }
  const { closed = false, name = given } = Openness.safeParse(read).data ?? {};
  if (closed)
    throw wrong(field, `The board "${isId(given) ? name : given}" is closed; open it again, or leave it out.`);
  return id;
};

/** With each board by its id, however it was named, and no name in it that the boards do not have. */
export const settleBoards = async <Config extends Boards>(config: Config, context: SettleContext): Promise<Config> => {
  const ids: string[] = [];
  for (const [at, board] of config.boards.entries()) {
    ids.push(await openBoardOf(context, board, placeOf(['config', 'boards', at])));
  }
  return settleNames({ ...config, boards: [...new Set(ids)] }, context);
};

/** What an event tells of a card that was not read. */
const toldAnyway = new Set(['id', 'name', 'shortLink', 'url', 'idBoard', 'idList']);
const onlyRead = Object.keys(ReadCard.shape).filter((name) => !toldAnyway.has(name));

/** Decides what nobody has decided: the card is read for agents that use what only reading tells. */
const settleReading =
  (parts: readonly (readonly string[])[]) =>
  async <Config extends Boards & { includeCard?: boolean | undefined }>(
    config: Config,
    context: SettleContext,
    uses: UsesOfEvent,
  ): Promise<Config> => ({
    ...(await settleBoards(config, context)),
    includeCard: config.includeCard ?? parts.some(uses),
  });

const ofCard = onlyRead.map((name) => ['card', name]);
export const settleCards = settleReading(ofCard);
/** For actions that do not tell the card's list. */
export const settleListlessCards = settleReading([...ofCard, ['list'], ['card', 'idList']]);

const Boards = z.array(z.object({ id: z.string() }));

/** A watch for each board of the configuration. */
export const boardResources = async ({ boards }: Boards, { upstream }: WatchContext): Promise<string[]> => {
  const query = { filter: 'open', fields: 'id' };
  const ids =
    boards.length === 0
      ? Boards.parse(await upstream.get(path`/1/members/me/boards`, { query })).map(({ id }) => id)
      : await Promise.all(boards.map((board) => boardIdOf({ upstream }, board)));
  return [...new Set(ids)].map((id) => `board/${id}`);
};

/** What a trigger on boards watches. Boards come and go, those that were chosen do not. */
export const boardWatches = {
  resources: boardResources,
  resourcesChange: ({ boards }: Boards): boolean => boards.length === 0,
};
