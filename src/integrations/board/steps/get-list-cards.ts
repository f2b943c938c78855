import { z } from 'zod';
import { counted, defineStep, path } from '#kit';
import {
  CardFields,
  CardPart,
  type CardSummary,
  CardView,
  cardFields,
  pick,
  summarizeAs,
  withMembers,
} from '../cards.ts';
import { boardIdOf, boardOfList, labelIdsOf, listIdOf, memberIdsOf } from '../lookups.ts';
import { pageInput, pageOf, pageOutput } from '../paging.ts';
import { toRead } from '../scopes.ts';
import { BoardRef, LabelRef, ListRef, MemberRef, several } from '../shapes.ts';
import { Moment, TimeZone, tellTimes, toUtcIfGiven } from '../times.ts';

const weekMs = 7 * 86_400_000;

const dueTests: Record<'overdue' | 'next' | 'none', (card: CardSummary, now: number) => boolean> = {
  overdue: ({ due, dueComplete }, now) => due !== null && !dueComplete && Date.parse(due) < now,
  next: ({ due, dueComplete }, now) =>
    due !== null && !dueComplete && Date.parse(due) >= now && Date.parse(due) <= now + weekMs,
  none: ({ due }) => due === null,
};

export const getListCards = defineStep({
  name: 'get_list_cards',
  title: 'Get List Cards',
  group: 'Boards/Lists',
  purpose: 'List the cards of one list, from top to bottom.',
  effect: 'read',
  scopes: toRead,
  input: z.object({
    list: ListRef.describe('List: its id, or its exact name together with board.'),
    board: BoardRef.optional().describe('Board of the list; needed only when the list is given by name.'),
    filter: z.enum(['open', 'closed', 'all']).default('open').describe('Open cards, archived ones, or both.'),
    labels: several(LabelRef).describe('Only cards with all of these labels: ids or names.'),
    members: several(MemberRef).describe('Only cards with all of these members: ids, usernames, full names or "me".'),
    due: z
      .enum(['overdue', 'next', 'none'])
      .optional()
      .describe('Only overdue cards, those due within the next 7 days, or those without a due date.'),
    complete: z.boolean().optional().describe('Only cards whose due date is met, or is not.'),
    updatedSince: Moment.optional().describe('Only cards that changed after this time.'),
    view: CardView,
    fields: CardFields,
    timeZone: TimeZone,
    ...pageInput,
  }),
  output: z.object({ ...pageOutput(CardPart), total: z.number() }),
  summary: ({ items, total }) =>
    items.length === total
      ? counted(items.length, ['card', 'cards'])
      : `Found ${total} cards; these are ${items.length} of them.`,
  run: async ({ list, board, filter, due, complete, updatedSince, view, fields, timeZone, ...input }, context) => {
    const { upstream, now } = context;
    const since = toUtcIfGiven(updatedSince, timeZone);
    const idList = await listIdOf(context, list, board);
    const home = () => (board === undefined ? boardOfList(upstream, idList) : boardIdOf(context, board));
    const labels = await labelIdsOf(context, input.labels, home);
    const members = await memberIdsOf(context, input.members, home);
    const query = { filter, fields: cardFields, ...withMembers };
    const cards = z
      .array(z.unknown())
      .parse(await upstream.get(path`/1/lists/${idList}/cards`, { query }))
      .map(summarizeAs(view))
      .filter((card) => labels.every((id) => card.labels.some((label) => label.id === id)))
      .filter(({ idMembers }) => members.every((id) => idMembers.includes(id)))
      .filter((card) => due === undefined || dueTests[due](card, now.getTime()))
      .filter(({ dueComplete }) => complete === undefined || dueComplete === complete)
      .filter(({ dateLastActivity }) => since === undefined || Date.parse(dateLastActivity ?? '') > Date.parse(since));
    const page = pageOf(cards, ({ pos, id }) => [pos, id], input);
    return { ...page, items: page.items.map((card) => tellTimes(pick(card, fields), timeZone)), total: cards.length };
  },
});
