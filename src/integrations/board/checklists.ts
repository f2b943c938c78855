import { z } from 'zod';
import { path, type StepContext } from '#kit';
import { aside } from './aside.ts';
import { memberIdsOf } from './lookups.ts';
import { CheckItem, CheckItemTold, Checklist, MemberRef, Words } from './shapes.ts';
import { Moment, toUtcIfGiven } from './times.ts';

export const NewItem = Words.or(
  z.strictObject({
    name: Words.describe('Text of the item.'),
    checked: z.boolean().optional().describe('Whether it is done already.'),
    due: Moment.optional().describe('Due date.'),
    member: MemberRef.optional().describe('Member it is assigned to: id, username, full name or "me".'),
  }),
);
export type NewItem = z.output<typeof NewItem>;

/** An item as it is sent. */
export type ItemBody = {
  name: string;
  pos?: 'top' | 'bottom' | number | undefined;
  checked?: boolean | undefined;
  due?: string | undefined;
  dueReminder?: number | undefined;
  idMember?: string | undefined;
};

/** Finds the people first, so that no item is made before all of it is known to be right. */
export const itemBodies = async (
  items: readonly NewItem[],
  context: Pick<StepContext, 'upstream' | 'account'>,
  board: () => Promise<string>,
  { timeZone, place = 'items' }: { timeZone: string | undefined; place?: string },
): Promise<ItemBody[]> => {
  const bodies: ItemBody[] = [];
  for (const [at, item] of items.entries()) {
    if (typeof item === 'string') bodies.push({ name: item });
    else {
      const { name, checked, due, member } = item;
      const field = `${place}[${at}].member`;
      const [idMember] = member === undefined ? [] : await memberIdsOf(context, [member], board, field);
      bodies.push({ name, checked, due: toUtcIfGiven(due, timeZone), idMember });
    }
  }
  return bodies;
};

/** Adds items one after the other, as they shall stand. One that is refused is told beside the output. */
export const addItems = async (
  idChecklist: string,
  items: readonly ItemBody[],
  context: Pick<StepContext, 'upstream' | 'warn'>,
) => {
  const made: z.output<typeof CheckItem>[] = [];
  for (const body of items) {
    const item = await aside(context, `The item "${body.name.slice(0, 80)}" was not added`, () =>
      context.upstream.post(path`/1/checklists/${idChecklist}/checkItems`, { body }),
    );
    if (item !== undefined) made.push(CheckItem.parse(item));
  }
  return made;
};

export const ChecklistMade = Checklist.omit({ checkItems: true }).extend({
  items: z.array(CheckItem),
  truncated: z.boolean().optional(),
});

/** The same as steps answer it. */
export const ChecklistTold = ChecklistMade.extend({ items: z.array(CheckItemTold) });

export const mostItems = 100;

export const showChecklist = (body: unknown) => {
  const { checkItems, ...checklist } = Checklist.parse(body);
  const cut = checkItems.length > mostItems;
  // They come in no order.
  const items = checkItems.toSorted((a, b) => a.pos - b.pos).slice(0, mostItems);
  return { ...checklist, items, ...(cut ? { truncated: true } : {}) };
};
