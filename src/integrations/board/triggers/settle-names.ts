import { z } from 'zod';
import { type Path, path, placeOf, type WatchContext, wrong } from '#kit';
import { unlessGone } from '../faults.ts';
import { isId, type Named, refuseUnknownName } from '../lookups.ts';

type Reader = Pick<WatchContext, 'upstream'>;
type Kind = {
  what: string;
  listing: string;
  /** Those of the named boards, or of all open ones where that takes one call. */
  read(boards: readonly string[], context: Reader): Promise<Named[] | undefined>;
};

const Things = z.array(
  z.object({
    id: z.string(),
    name: z.string().optional(),
    username: z.string().optional(),
    fullName: z.string().optional(),
  }),
);

const named = (body: unknown): Named[] =>
  Things.parse(body).map(({ id, name, username, fullName }) => ({
    id,
    names: [name ?? fullName ?? '', username ?? ''].filter((each) => each !== ''),
  }));

type Place = { path: Path; query: Record<string, string | number> };

const onEach = async (boards: readonly string[], { upstream }: Reader, placeOn: (board: string) => Place) => {
  const found: Named[] = [];
  for (const { path: place, query } of boards.map(placeOn)) {
    found.push(...named(await upstream.get(place, { query })));
  }
  return found;
};

const BoardsWithLists = z.array(z.object({ lists: z.unknown() }));

const lists: Kind = {
  what: 'list',
  listing: 'Get Lists',
  read: async (boards, context) => {
    if (boards.length > 0) {
      const query = { filter: 'all', fields: 'name' };
      return onEach(boards, context, (board) => ({ path: path`/1/boards/${board}/lists`, query }));
    }
    const query = { filter: 'open', fields: 'id', lists: 'all', list_fields: 'name' };
    const all = BoardsWithLists.parse(await context.upstream.get(path`/1/members/me/boards`, { query }));
    return all.flatMap((board) => named(board.lists));
  },
};

const onNamedBoards =
  (placeOn: (board: string) => Place): Kind['read'] =>
  async (boards, context) =>
    boards.length === 0 ? undefined : onEach(boards, context, placeOn);

const labels: Kind = {
  what: 'label',
  listing: 'List Labels',
  read: onNamedBoards((board) => ({ path: path`/1/boards/${board}/labels`, query: { limit: 1000, fields: 'name' } })),
};

const members: Kind = {
  what: 'member',
  listing: 'List Members',
  read: onNamedBoards((board) => ({
    path: path`/1/boards/${board}/members`,
    query: { fields: 'username,fullName' },
  })),
};

const kinds: Readonly<Record<string, Kind>> = { lists, fromLists: lists, toLists: lists, labels, members };

const Identified = z.object({ id: z.string() });

/** Not every action tells a card's short link. */
const cardIds = async (given: readonly string[], { upstream }: Reader): Promise<string[]> => {
  const ids: string[] = [];
  for (const [at, one] of given.entries()) {
    const found = isId(one)
      ? { id: one }
      : await unlessGone(upstream.get(path`/1/cards/${one}`, { query: { fields: 'id' } }));
    if (found === undefined) {
      throw wrong(placeOf(['config', 'cards', at]), `There is no card "${one}" that this account can see.`);
    }
    ids.push(Identified.parse(found).id);
  }
  return [...new Set(ids)];
};

const oneNamed = (given: string): string => (isId(given) ? given.toLowerCase() : given);

/**
 * With every id as the service writes it. Names stay names, so that they hold on every board watched; one that no board
 * has would start nothing, without a word.
 */
export const settleNames = async <Config extends { boards: readonly string[] }>(
  config: Config,
  context: Reader,
): Promise<Config> => {
  const settled: Record<string, unknown> = {};
  for (const [field, { what, listing, read }] of Object.entries(kinds)) {
    const given = (config as Partial<Record<string, readonly string[]>>)[field];
    if (given === undefined || given.length === 0) continue;
    const names = [...given.entries()].filter(([, each]) => !isId(each) && each !== 'me');
    const all = names.length === 0 ? undefined : await read(config.boards, context);
    if (all !== undefined) {
      for (const [at, each] of names) {
        refuseUnknownName(what, placeOf(['config', field, at]), each.replace(/^@/, ''), { all, listing });
      }
    }
    settled[field] = given.map(oneNamed);
  }
  const { cards } = config as { cards?: readonly string[] };
  if (cards !== undefined) settled['cards'] = await cardIds(cards, context);
  return { ...config, ...settled };
};
