import { z } from 'zod';
import { defineStep, listed, path, quoted, wrong } from '#kit';
import { addItems, type ItemBody } from '../checklists.ts';
import { look } from '../looks/index.ts';
import { boardIdOf, boardOfCard, cardIdOf, checklistIdOf, memberIdsOf } from '../lookups.ts';
import { toWrite } from '../scopes.ts';
import {
  BoardRef,
  CardRef,
  CheckItem,
  CheckItemTold,
  Checklist,
  ChecklistRef,
  DueReminder,
  MemberRef,
  Pos,
  Words,
} from '../shapes.ts';
import { Moment, TimeZone, tellTimes, toUtcIfGiven } from '../times.ts';

export const createChecklistItem = defineStep({
  name: 'create_checklist_item',
  title: 'Create a Checklist Item',
  group: 'Checklists',
  purpose: 'Add one or more items to a checklist.',
  effect: 'write',
  scopes: toWrite,
  input: z.object({
    checklistId: ChecklistRef.describe('Checklist: its id, or its exact name together with cardId.'),
    cardId: CardRef.optional().describe('Card of the checklist; needed only when the checklist is given by name.'),
    board: BoardRef.optional().describe('Board of the card; needed only when the card is given by name.'),
    name: Words.optional().describe('Text of the item.'),
    names: z.array(Words).min(1).max(200).optional().describe('Texts of several items, instead of name.'),
    pos: Pos.default('bottom').describe('Where on the checklist it lands: top, bottom or a number.'),
    checked: z.boolean().default(false).describe('Whether it is done already.'),
    due: Moment.optional().describe('Due date.'),
    timeZone: TimeZone,
    dueReminder: DueReminder.optional().describe('Minutes before the due date at which the service reminds.'),
    member: MemberRef.optional().describe('Member it is assigned to: id, username, full name or "me".'),
  }),
  output: z.object({
    items: z.array(CheckItemTold),
    checklist: z.object({ id: z.string(), name: z.string(), total: z.number(), complete: z.number() }),
  }),
  summary: ({ items, checklist }) =>
    `Added ${listed(items.map(({ name }) => name)) || 'nothing'} to the checklist ${quoted(checklist.name)}.`,
  check: ({ name, names }) => {
    if ((name === undefined) === (names === undefined)) throw wrong(['name', 'names'], 'Give either name or names.');
  },
  run: async (input, context) => {
    const { name, names, pos, checked, dueReminder, member } = input;
    const { upstream } = context;
    const idCard = input.cardId === undefined ? undefined : await cardIdOf(context, input.cardId, input.board);
    const id = await checklistIdOf(context, input.checklistId, idCard);
    const read = async () => Checklist.parse(await upstream.get(path`/1/checklists/${id}`));
    const home = async () =>
      input.board === undefined
        ? boardOfCard(upstream, idCard ?? (await read()).idCard)
        : boardIdOf(context, input.board);
    const [idMember] = member === undefined ? [] : await memberIdsOf(context, [member], home, 'member');
    const rest: Omit<ItemBody, 'name'> = {
      pos,
      checked,
      due: toUtcIfGiven(input.due, input.timeZone),
      dueReminder,
      idMember,
    };
    if (name !== undefined) {
      const item = await upstream.post(path`/1/checklists/${id}/checkItems`, { body: { name, ...rest } });
      return tellTimes(answer([CheckItem.parse(item)], await read()), input.timeZone);
    }
    // Each lands on top of the one before, so the last goes first.
    const ordered = pos === 'top' ? (names ?? []).toReversed() : (names ?? []);
    const items = await addItems(
      id,
      ordered.map((each) => ({ name: each, ...rest })),
      context,
    );
    return tellTimes(answer(pos === 'top' ? items.toReversed() : items, await read()), input.timeZone);
  },
  find: (_, context) => look(context),
});

const answer = (items: z.output<typeof CheckItem>[], { id, name, checkItems }: z.output<typeof Checklist>) => ({
  items,
  checklist: {
    id,
    name,
    total: checkItems.length,
    complete: checkItems.filter(({ state }) => state === 'complete').length,
  },
});
