import { z } from 'zod';
import { defineStep, path, quoted } from '#kit';
import { idSent } from '../begun.ts';
import { look } from '../looks/index.ts';
import { alreadyThere, boardIdOf, listIdOf } from '../lookups.ts';
import { toWrite } from '../scopes.ts';
import { BoardRef, List, ListRef, Pos, Words } from '../shapes.ts';

export const createList = defineStep({
  name: 'create_list',
  title: 'Create List',
  group: 'Boards/Lists',
  purpose: 'Create a list on a board.',
  effect: 'write',
  scopes: toWrite,
  input: z.object({
    idBoard: BoardRef.describe('Board: its id, short link, web address or exact name.'),
    name: Words.describe('Name of the list.'),
    idListSource: ListRef.optional().describe('List to copy: its id, or its name on the same board.'),
    pos: Pos.default('bottom').describe('Where on the board it lands: top (left), bottom (right) or a number.'),
    ifExists: z
      .enum(['create', 'return'])
      .default('create')
      .describe('If the board has an open list of this name already: make another one, or answer that one.'),
  }),
  output: List.extend({ created: z.boolean() }),
  summary: ({ name, created }) => `${created ? 'Created the' : 'There is already a'} list ${quoted(name)}.`,
  run: async ({ idBoard: board, name, idListSource, pos, ifExists }, context) => {
    const { upstream } = context;
    const idBoard = await boardIdOf(context, board, 'idBoard');
    const sourceOf = async (given: string) =>
      idSent(context, path`/1/lists`, 'idListSource') ?? (await listIdOf(context, given, idBoard, 'idListSource'));
    const source = idListSource === undefined ? undefined : await sourceOf(idListSource);
    if (ifExists === 'return') {
      const seek = async () => {
        const lists = await upstream.get(path`/1/boards/${idBoard}/lists`, { query: { filter: 'open' } });
        return alreadyThere('open list', name, z.array(List).parse(lists)) ?? null;
      };
      const there = await context.before(List.nullable(), seek);
      if (there !== null) return { ...there, created: false };
    }
    const made = await upstream.post(path`/1/lists`, { body: { idBoard, name, idListSource: source, pos } });
    return { ...List.parse(made), created: true };
  },
  find: (_, context) => look(context),
});
