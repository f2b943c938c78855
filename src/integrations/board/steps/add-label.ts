import { z } from 'zod';
import { defineStep, path } from '#kit';
import { changes } from '../aside.ts';
import { look } from '../looks/index.ts';
import { boardOfCard, cardIdOf, labelIdsOf } from '../lookups.ts';
import { toWrite } from '../scopes.ts';
import { cardInput, LabelRef } from '../shapes.ts';

export const addLabel = defineStep({
  name: 'add_label',
  title: 'Add Label',
  group: 'Labels',
  purpose: 'Put a label of the board on a card.',
  effect: 'write',
  scopes: toWrite,
  input: z.object({
    ...cardInput,
    label: LabelRef.describe('Label: its id, its exact name, or its colour if it has no name.'),
  }),
  output: z.object({ cardId: z.string(), labelId: z.string(), changed: z.boolean() }),
  summary: ({ changed }) => (changed ? 'Put the label on the card.' : 'The card had the label already.'),
  run: async ({ cardId, board, label }, context) => {
    const { upstream } = context;
    const id = await cardIdOf(context, cardId, board);
    const [value = ''] = await labelIdsOf(context, [label], () => boardOfCard(upstream, id), 'label');
    const changed = await changes(() => upstream.post(path`/1/cards/${id}/idLabels`, { body: { value } }));
    return { cardId: id, labelId: value, changed };
  },
  find: (_, context) => look(context),
});
