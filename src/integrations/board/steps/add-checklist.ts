import { z } from 'zod';
import { defineStep, howMany, path, quoted } from '#kit';
import { idSent } from '../begun.ts';
import { addItems, ChecklistTold, itemBodies, NewItem, showChecklist } from '../checklists.ts';
import { look } from '../looks/index.ts';
import { boardOfCard, cardIdOf, checklistIdOf } from '../lookups.ts';
import { toWrite } from '../scopes.ts';
import { Checklist, ChecklistRef, cardInput, Pos, Words } from '../shapes.ts';
import { TimeZone, tellTimes } from '../times.ts';

export const addChecklist = defineStep({
  name: 'add_checklist',
  title: 'Add Checklist',
  group: 'Checklists',
  purpose: 'Add a checklist to a card, with its items if you like.',
  effect: 'write',
  scopes: toWrite,
  input: z.object({
    ...cardInput,
    name: Words.optional().describe('Title of the checklist; "Checklist" if left out.'),
    copyFrom: ChecklistRef.optional().describe('Checklist to copy: its id, or its name on the same card.'),
    pos: Pos.default('bottom').describe('Where on the card it lands: top, bottom or a number.'),
    items: z
      .array(NewItem)
      .max(200)
      .default([])
      .describe('Its items, from top to bottom: texts, or objects with name, checked, due and member.'),
    timeZone: TimeZone,
  }),
  output: ChecklistTold,
  summary: ({ name, items }) => `Added the checklist ${quoted(name)} with ${howMany(items.length, ['item', 'items'])}.`,
  run: async ({ cardId, board, name, copyFrom, pos, items, timeZone }, context) => {
    const { upstream } = context;
    const idCard = await cardIdOf(context, cardId, board);
    const source = async (given: string) =>
      idSent(context, path`/1/checklists`, 'idChecklistSource') ??
      (await checklistIdOf(context, given, idCard, 'copyFrom'));
    const idChecklistSource = copyFrom === undefined ? undefined : await source(copyFrom);
    const bodies = await itemBodies(items, context, () => boardOfCard(upstream, idCard), { timeZone });
    const body = { idCard, name, pos, idChecklistSource };
    const made = Checklist.parse(await upstream.post(path`/1/checklists`, { body }));
    const added = await addItems(made.id, bodies, context);
    return tellTimes(showChecklist({ ...made, checkItems: [...made.checkItems, ...added] }), timeZone);
  },
  find: (_, context) => look(context),
});
