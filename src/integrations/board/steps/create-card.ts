import { z } from 'zod';
import { defineStep, path } from '#kit';
import { Card, LabelId, ListId, madeAt } from '../shapes.ts';

const List = z.object({ idBoard: z.string() });
const Created = z.array(
  z.object({
    data: z.object({ card: z.object({ id: z.string(), name: z.string() }), list: z.object({ id: z.string() }) }),
  }),
);

export const createCard = defineStep({
  name: 'create_card',
  title: 'Create Card',
  group: 'Cards',
  purpose: 'Create a card in a list.',
  effect: 'write',
  input: z.object({
    idList: ListId.describe('List that receives the card.'),
    name: z.string().min(1).max(16_384).describe('Card title.'),
    desc: z.string().max(16_384).optional().describe('Card description, in Markdown.'),
    pos: z.enum(['top', 'bottom']).or(z.number().positive()).default('bottom').describe('Where in the list it lands.'),
    due: z.iso
      .date()
      .or(z.iso.datetime({ offset: true }))
      .optional()
      .describe('Due date.'),
    idLabels: z
      .array(LabelId)
      .default([])
      // The service refuses the same label twice.
      .transform((ids) => [...new Set(ids)])
      .describe('Labels to apply.'),
  }),
  output: Card,
  run: (card, { upstream }) => upstream.post(path`/1/cards`, { body: card }),
  // The action list knows a card by the list and name it was made with, wherever it was moved since.
  find: async ({ idList, name }, { upstream, since }) => {
    const { idBoard } = List.parse(await upstream.get(path`/1/lists/${idList}`, { query: { fields: 'idBoard' } }));
    const query = { filter: 'createCard', since: since.toISOString(), limit: 1000 };
    const actions = Created.parse(await upstream.get(path`/1/boards/${idBoard}/actions`, { query }));
    const made = actions
      .map(({ data }) => data)
      .filter(({ card, list }) => list.id === idList && card.name === name && madeAt(card.id) >= since)
      .map(({ card }) => card.id)
      .sort();
    return { made: await Promise.all(made.map((id) => upstream.get(path`/1/cards/${id}`))) };
  },
});
