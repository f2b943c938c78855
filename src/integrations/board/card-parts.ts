import { z } from 'zod';
import { path, type StepContext } from '#kit';
import { AnyAttachment, attachTo, checkAttachment, type NewAttachment } from './attachments.ts';
import { addItems, type ItemBody, itemBodies, NewItem } from './checklists.ts';
import { Words } from './shapes.ts';

/** What a card gets beside its own fields, when it is made or later. */
export const cardParts = {
  attachments: z.array(AnyAttachment).max(20).default([]).describe('Links and stored files to attach.'),
  checklists: z
    .array(
      z.strictObject({
        name: Words.describe('Title of the checklist.'),
        items: z.array(NewItem).max(200).default([]).describe('Its items, from top to bottom.'),
      }),
    )
    .max(20)
    .default([])
    .describe('Checklists to add.'),
};

type Given = { [Part in keyof typeof cardParts]: z.output<(typeof cardParts)[Part]> };
type NewParts = { attachments: readonly NewAttachment[]; checklists: { title: string; items: ItemBody[] }[] };

/** Everything is looked up before anything is written. */
export const partsOf = async (
  { attachments, checklists }: Given,
  context: StepContext,
  board: () => Promise<string>,
  timeZone: string | undefined,
): Promise<NewParts> => {
  for (const [at, each] of attachments.entries()) await checkAttachment(each, context, `attachments[${at}].`);
  const lists = [];
  for (const [at, { name: title, items }] of checklists.entries()) {
    const place = `checklists[${at}].items`;
    lists.push({ title, items: await itemBodies(items, context, board, { timeZone, place }) });
  }
  return { attachments, checklists: lists };
};

const Made = z.object({ id: z.string() });

/** Adds them one after the other. `each` says what becomes of one that is refused. */
export const addParts = async (
  idCard: string,
  { attachments, checklists }: NewParts,
  context: StepContext,
  each: (what: string, act: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> => {
  for (const [at, attachment] of attachments.entries()) {
    const what = `The attachment ${attachment.name ?? attachment.url ?? attachment.file ?? at + 1} was not added`;
    await each(what, () => attachTo(idCard, attachment, context, at + 1));
  }
  for (const { title, items } of checklists) {
    const body = { idCard, name: title, pos: 'bottom' };
    const made = await each(`The checklist "${title}" was not added`, () =>
      context.upstream.post(path`/1/checklists`, { body }),
    );
    if (made !== undefined) await addItems(Made.parse(made).id, items, context);
  }
};
