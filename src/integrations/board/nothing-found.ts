import { z } from 'zod';
import { caseless, path, type StepContext, type Upstream } from '#kit';
import { cut } from './cards.ts';

const operators = ['board', 'checklist', 'comment', 'created', 'description', 'due', 'edited', 'has', 'is'];
const known = new Set([...operators, 'label', 'list', 'member', 'name', 'sort']);
const looked = ['label', 'list', 'member'] as const;
type Kind = (typeof looked)[number];
type Term = { operator: string; value: string };

const mostBoards = 10;
const mostNames = 20;

/** What a query asks for by an operator; what it excludes cannot be why nothing was found. */
const termsOf = (query: string): Term[] =>
  [...query.matchAll(/(?<=^|\s)(?:([a-z]+):(?!\/\/)|@)("[^"]*"|[^\s"]+)/gi)].map(
    ([, operator = 'member', value = '']) => ({
      operator: operator.toLowerCase(),
      value: value.replace(/^[@"]+|"$/g, ''),
    }),
  );

const Label = z.object({ name: z.string(), color: z.string().nullable() });
const List = z.object({ name: z.string() });
const Person = z.object({ username: z.string(), fullName: z.string() });

const readers: Record<Kind, (upstream: Upstream, board: string) => Promise<string[][]>> = {
  label: async (upstream, board) => {
    const query = { limit: 1000, fields: 'name,color' };
    const found = z.array(Label).parse(await upstream.get(path`/1/boards/${board}/labels`, { query }));
    return found.map(({ name, color }) => [name, color ?? ''].filter((each) => each !== ''));
  },
  list: async (upstream, board) => {
    const query = { filter: 'open', fields: 'name' };
    return z
      .array(List)
      .parse(await upstream.get(path`/1/boards/${board}/lists`, { query }))
      .map(({ name }) => [name]);
  },
  member: async (upstream, board) => {
    const query = { fields: 'username,fullName' };
    const found = z.array(Person).parse(await upstream.get(path`/1/boards/${board}/members`, { query }));
    return found.map(({ username, fullName }) => [username, fullName]);
  },
};

const boardsOf = async (upstream: Upstream): Promise<string[]> => {
  const query = { filter: 'open', fields: 'id' };
  const found = await upstream.get(path`/1/members/me/boards`, { query });
  return z
    .array(z.object({ id: z.string() }))
    .parse(found)
    .map(({ id }) => id);
};

const shown = (kind: Kind, offered: readonly string[][]): string => {
  const names = [...new Set(offered.flatMap(([first]) => (first === undefined ? [] : [first])))];
  const told = names.slice(0, mostNames).map((name) => `"${kind === 'member' ? '@' : ''}${cut(name, 100)}"`);
  return told.length === 0 ? 'none' : `${told.join(', ')}${names.length > told.length ? ' and more' : ''}`;
};

const lookFor = async (
  { upstream, warn }: Pick<StepContext, 'upstream' | 'warn'>,
  kind: Kind,
  values: readonly string[],
  boards: readonly string[],
): Promise<void> => {
  const offered: string[][] = [];
  for (const board of boards) offered.push(...(await readers[kind](upstream, board)));
  // The service is content with a part of a name.
  const isThere = (value: string) => offered.flat().some((name) => caseless(name).includes(caseless(value)));
  const where = boards.length === 1 ? 'This board has' : 'These boards have';
  for (const value of values.filter((each) => !isThere(each))) {
    warn(`${where} no ${kind} "${cut(value, 100)}"; there is ${shown(kind, offered)}.`);
  }
};

/** Where a search found nothing: says which label, list or member there is not, and what is no operator. */
export const explainNothing = async (
  context: Pick<StepContext, 'upstream' | 'warn'>,
  query: string,
  chosen: readonly string[],
): Promise<void> => {
  const terms = termsOf(query);
  for (const operator of new Set(terms.map((each) => each.operator).filter((each) => !known.has(each)))) {
    const all = [...known].map((each) => `${each}:`).join(', ');
    context.warn(
      `Nothing was found, perhaps because "${operator}:" is not an operator of a search; these are: ${all}.`,
    );
  }
  const asked = looked.flatMap((kind) => {
    const values = terms.filter(({ operator, value }) => operator === kind && value !== 'me').map(({ value }) => value);
    return values.length === 0 ? [] : [{ kind, values: [...new Set(values)] }];
  });
  if (asked.length === 0) return;
  try {
    const boards = chosen.length > 0 ? chosen : await boardsOf(context.upstream);
    if (boards.length > mostBoards) {
      const names = asked.map(({ kind }) => kind).join(' and ');
      context.warn(`Nothing was found. Give boards (at most ${mostBoards}) to learn whether they have that ${names}.`);
      return;
    }
    for (const { kind, values } of asked) await lookFor(context, kind, values, boards);
  } catch {
    // That nothing was found is true also where the boards cannot be looked at.
  }
};
