import { z } from 'zod';
import { defineStep, path } from '#kit';
import { changes } from '../aside.ts';
import { look } from '../looks/index.ts';
import { boardOfCard, cardIdOf, labelIdsOf } from '../lookups.ts';
import { toWrite } from '../scopes.ts';
import { cardInput, LabelRef } from '../shapes.ts';

export const removeLabel = defineStep({
  name: 'remove_label',
  title: 'Remove Label',
  group: 'Labels',
  purpose: 'Take a label off a card; the board keeps it.',
  effect: 'write',
  scopes: toWrite,
  input: z.object({
    ...cardInput,
    label: LabelRef.describe('Label: its id, its exact name, or its colour if it has no name.'),
  }),
  output: z.object({ cardId: z.string(), labelId: z.string(), changed: z.boolean() }),
  summary: ({ changed }) => (changed ? 'Took the label off the card.' : 'The card did not have the label.'),
  run: async ({ cardId, board, label }, context) => {
    const { upstream } = context;
    const id = await cardIdOf(context, cardId, board);
    const [labelId = ''] = await labelIdsOf(context, [label], () => boardOfCard(upstream, id), 'label');
    const changed = await changes(() => upstream.delete(path`/1/cards/${id}/idLabels/${labelId}`));
    return { cardId: id, labelId, changed };
  },
  find: (_, context) => look(context),
});
