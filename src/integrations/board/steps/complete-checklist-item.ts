import { z } from 'zod';
import { defineStep, path, quoted } from '#kit';
import { look } from '../looks/index.ts';
import { cardIdOf, checkItemIdOf } from '../lookups.ts';
import { toWrite } from '../scopes.ts';
import { CheckItem, CheckItemTold, ChecklistRef, cardInput } from '../shapes.ts';
import { tellTimes } from '../times.ts';

export const completeChecklistItem = defineStep({
  name: 'complete_checklist_item',
  title: 'Complete Checklist Item',
  group: 'Checklists',
  purpose: 'Tick an item of a checklist, or untick it.',
  effect: 'write',
  scopes: toWrite,
  input: z.object({
    ...cardInput,
    item: z.string().trim().min(1).max(16_384).describe('Item: its id or its exact text.'),
    checklist: ChecklistRef.optional().describe('Only look on this checklist: id or exact name.'),
    complete: z.boolean().default(true).describe('false unticks it.'),
  }),
  output: CheckItemTold.extend({ cardId: z.string(), changed: z.boolean() }),
  summary: ({ name, state, changed }) => `${quoted(name)} ${changed ? 'is now' : 'was already'} ${state}.`,
  run: async ({ cardId, board, item, checklist, complete }, context) => {
    const { upstream } = context;
    const idCard = await cardIdOf(context, cardId, board);
    const idItem = await checkItemIdOf(context, item, idCard, checklist);
    const place = path`/1/cards/${idCard}/checkItem/${idItem}`;
    const before = await context.before(CheckItem, async () => CheckItem.parse(await upstream.get(place)));
    const body = { state: complete ? 'complete' : 'incomplete' };
    const after = CheckItem.parse(await upstream.put(place, { body }));
    return tellTimes({ ...after, cardId: idCard, changed: before.state !== after.state });
  },
  find: (_, context) => look(context),
});
