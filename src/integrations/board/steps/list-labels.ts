import { z } from 'zod';
import { caseless, counted, defineStep, path } from '#kit';
import { boardIdOf } from '../lookups.ts';
import { pageInput, pageOf, pageOutput } from '../paging.ts';
import { toRead } from '../scopes.ts';
import { BoardRef, Label } from '../shapes.ts';

export const listLabels = defineStep({
  name: 'list_labels',
  title: 'List Labels',
  group: 'Labels',
  purpose: 'List the labels of a board.',
  effect: 'read',
  scopes: toRead,
  input: z.object({
    board: BoardRef.describe('Board: its id, short link, web address or exact name.'),
    query: z.string().min(1).max(200).optional().describe('Only labels whose name or colour contains this text.'),
    ...pageInput,
  }),
  output: z.object(pageOutput(Label)),
  summary: ({ items, nextCursor }) => counted(items.length, ['label', 'labels'], nextCursor !== undefined),
  run: async ({ board, query: words, ...page }, context) => {
    const idBoard = await boardIdOf(context, board);
    // Without a limit the service stops at 50.
    const query = { limit: 1000, fields: 'name,color' };
    const low = caseless(words ?? '');
    const labels = z
      .array(Label)
      .parse(await context.upstream.get(path`/1/boards/${idBoard}/labels`, { query }))
      .filter(({ name, color }) => caseless(name).includes(low) || (color?.includes(low) ?? false));
    return pageOf(labels, ({ id }) => [id], page);
  },
});
