import { z } from 'zod';
import { defineStep, path, quoted, wrong } from '#kit';
import { look } from '../looks/index.ts';
import { alreadyThere, boardIdOf } from '../lookups.ts';
import { toWrite } from '../scopes.ts';
import { BoardRef, Label } from '../shapes.ts';

const hues = ['yellow', 'purple', 'blue', 'red', 'green', 'orange', 'black', 'sky', 'pink', 'lime'];
const colors = hues.flatMap((hue) => [hue, `${hue}_light`, `${hue}_dark`]);

export const createLabel = defineStep({
  name: 'create_label',
  title: 'Create Label',
  group: 'Labels',
  purpose: 'Create a label on a board.',
  effect: 'write',
  scopes: toWrite,
  input: z.object({
    board: BoardRef.describe('Board: its id, short link, web address or exact name.'),
    name: z.string().max(16_384).describe('Name of the label; may be empty if it has a colour.'),
    color: z
      .enum(colors)
      .nullish()
      .describe(
        'Its colour; null for none. Left out, a label of that name is found in any colour, or made without one.',
      ),
    ifExists: z
      .enum(['create', 'return'])
      .default('return')
      .describe('If the board has this label already: answer that one, or make another one.'),
  }),
  output: Label.extend({ idBoard: z.string(), created: z.boolean() }),
  summary: ({ name, color, created }) =>
    `${created ? 'Created the' : 'There is already a'} label ${quoted(name || color)}.`,
  check: ({ name, color }) => {
    if (name === '' && !color) throw wrong(['name', 'color'], 'Give the label a name or a colour.');
  },
  run: async ({ board, name, color, ifExists }, context) => {
    const { upstream } = context;
    const idBoard = await boardIdOf(context, board);
    if (ifExists === 'return') {
      const seek = async () => {
        const labels = await upstream.get(path`/1/boards/${idBoard}/labels`, { query: { limit: 1000 } });
        const alike = z
          .array(Label)
          .parse(labels)
          .filter((label) => color === undefined || label.color === color);
        return alreadyThere('label', name, alike) ?? null;
      };
      const there = await context.before(Label.nullable(), seek);
      if (there !== null) return { ...there, idBoard, created: false };
    }
    const made = Label.parse(await upstream.post(path`/1/labels`, { body: { idBoard, name, color: color ?? null } }));
    return { ...made, idBoard, created: true };
  },
  find: (_, context) => look(context),
});
