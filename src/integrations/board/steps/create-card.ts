import { z } from 'zod';
import { defineStep, Fault, listed, path, quoted, type StepContext, wrong } from '#kit';
import { aside } from '../aside.ts';
import { idSent } from '../begun.ts';
import { addParts, cardParts, partsOf } from '../card-parts.ts';
import { CardTold, cardFields, summarize, withMembers, withPeople } from '../cards.ts';
import { CustomFieldValues, fieldChanges, setField } from '../custom-fields.ts';
import { look } from '../looks/index.ts';
import { boardIdOf, boardOfList, calledBy, cardIdOf, labelIdsOf, labelsOn, listIdOf, memberIdsOf } from '../lookups.ts';
import { toWrite } from '../scopes.ts';
import { BoardRef, CardRef, DueReminder, LabelRef, ListRef, MemberRef, Pos, several, Words } from '../shapes.ts';
import { Moment, TimeZone, tellTimes, toUtcIfGiven } from '../times.ts';

const copied = [
  'attachments',
  'checklists',
  'comments',
  'customFields',
  'due',
  'labels',
  'members',
  'start',
  'stickers',
] as const;

const Input = z.object({
  idList: ListRef.optional().describe('List that receives the card: its id, or its name together with board.'),
  board: BoardRef.optional().describe('Board of the list; needed only when the list is given by name.'),
  list: ListRef.optional().describe('Name of the list on that board, instead of idList.'),
  name: Words.describe('Card title.'),
  desc: z.string().max(16_384).optional().describe('Card description, in Markdown.'),
  pos: Pos.default('bottom').describe('Where in the list it lands: top, bottom or a number.'),
  due: Moment.optional().describe('Due date.'),
  start: Moment.optional().describe('Start date.'),
  timeZone: TimeZone,
  dueComplete: z.boolean().optional().describe('Whether the due date is met already.'),
  dueReminder: DueReminder.optional().describe(
    "Minutes before the due date at which the service reminds the card's members; -1 for none.",
  ),
  idLabels: several(LabelRef).describe("Labels to apply: ids, or names of the board's labels."),
  idMembers: several(MemberRef).describe('Members to assign: ids, usernames, full names or "me".'),
  ...cardParts,
  customFields: CustomFieldValues.optional().describe(
    "Values of the board's custom fields, by name or id: text, number, true or false, a date, or the text of an option.",
  ),
  copyFrom: CardRef.optional().describe('Card to copy: id, short link or web address.'),
  keepFromSource: z.array(z.enum(copied)).default([]).describe('What is copied from copyFrom; empty for everything.'),
});
type Input = z.output<typeof Input>;

const check = ({ idList, list, copyFrom, keepFromSource }: Input): void => {
  if (idList !== undefined && list !== undefined) throw wrong(['idList', 'list'], 'Give either idList or list.');
  if (idList === undefined && list === undefined) {
    throw wrong(['idList', 'board', 'list'], 'Say which list receives the card: idList, or board and list.');
  }
  if (copyFrom === undefined && keepFromSource.length > 0) {
    throw wrong(['copyFrom', 'keepFromSource'], 'Name the card to copy as copyFrom, or leave keepFromSource out.');
  }
};

const warnOfLabel =
  ({ warn }: StepContext) =>
  (label: string, there: readonly string[]): void => {
    const known = there.length === 0 ? 'it has none' : `there is ${listed(there, 10)}`;
    warn(`The board has no label ${quoted(label)}; ${known}. The card was made without it.`);
  };

/** Named ones replace those of the source. */
const labelsOf = (ids: string[], idCardSource: string | undefined): string[] | undefined =>
  ids.length === 0 && idCardSource !== undefined ? undefined : ids;

/** Everything is looked up before anything is written. */
const prepare = async (input: Input, context: StepContext) => {
  const { name, desc, pos, dueComplete, dueReminder, timeZone, copyFrom, keepFromSource } = input;
  const [given = '', field] = input.idList === undefined ? [input.list, 'list'] : [input.idList, 'idList'];
  const idList = await listIdOf(context, given, input.board, field);
  const board = () =>
    input.board === undefined ? boardOfList(context.upstream, idList) : boardIdOf(context, input.board);
  const idLabels = await labelIdsOf(context, input.idLabels, board, 'idLabels', warnOfLabel(context));
  const idMembers = await memberIdsOf(context, input.idMembers, board, 'idMembers');
  const source = async (given: string) =>
    idSent(context, path`/1/cards`, 'idCardSource') ?? (await cardIdOf(context, given, input.board, 'copyFrom'));
  const idCardSource = copyFrom === undefined ? undefined : await source(copyFrom);
  const parts = await partsOf(input, context, board, timeZone);
  const fields = await fieldChanges(context.upstream, input.customFields, board, timeZone);
  const body = {
    idList,
    name,
    desc,
    pos,
    due: toUtcIfGiven(input.due, timeZone),
    start: toUtcIfGiven(input.start, timeZone),
    dueComplete,
    dueReminder,
    idLabels: labelsOf(idLabels, idCardSource),
    idMembers: idMembers.length > 0 ? idMembers : undefined,
    idCardSource,
    keepFromSource: idCardSource === undefined ? undefined : keepFromSource.join(',') || 'all',
  };
  return { body, parts, fields, board };
};
type Prepared = Awaited<ReturnType<typeof prepare>>;

// The sentences are not promised: only what they have in common is used.
const unknownLabel = /label not found|invalid value for idLabels/i;

/** One label that the board does not have, and the service makes no card at all: it is made without that label. */
const make = async ({ body, board }: Prepared, context: StepContext): Promise<unknown> => {
  const { upstream } = context;
  try {
    return await upstream.post(path`/1/cards`, { body });
  } catch (error) {
    if (!(error instanceof Fault) || !unknownLabel.test(error.message)) throw error;
    const there = new Map((await labelsOn(upstream, await board())).map((label) => [label.id, calledBy(label)]));
    const known = body.idLabels?.filter((id) => there.has(id)) ?? [];
    if (known.length === (body.idLabels ?? []).length) throw error;
    for (const id of body.idLabels ?? []) if (!there.has(id)) warnOfLabel(context)(id, [...there.values()]);
    return await upstream.post(path`/1/cards`, { body: { ...body, idLabels: labelsOf(known, body.idCardSource) } });
  }
};

/** What was added to it counts as activity; told as it was made, it would seem changed by somebody else meanwhile. */
const readAgain = (id: string, { upstream }: StepContext): Promise<unknown> =>
  aside({ warn: () => {} }, '', () =>
    upstream.get(path`/1/cards/${id}`, { query: { fields: cardFields, ...withMembers } }),
  );

const Made = z.object({ id: z.string(), dueReminder: z.number().nullish() });

export const createCard = defineStep({
  name: 'create_card',
  title: 'Create Card',
  group: 'Cards',
  purpose: 'Create a card in a list.',
  effect: 'write',
  scopes: toWrite,
  input: Input,
  output: CardTold.extend({ created: z.literal(true) }),
  summary: ({ name }) => `Created the card ${quoted(name)}.`,
  check,
  run: async (input, context) => {
    const { upstream } = context;
    const prepared = await prepare(input, context);
    const { parts, fields } = prepared;
    const card = await make(prepared, context);
    const { id, dueReminder } = Made.parse(card);
    // Its description names no reminder among what a new card takes.
    const reminds = input.dueReminder !== undefined && (dueReminder ?? -1) !== input.dueReminder;
    if (reminds) {
      const reminder = { dueReminder: input.dueReminder };
      await aside(context, 'The reminder was not set', () => upstream.put(path`/1/cards/${id}`, { body: reminder }));
    }
    await addParts(id, parts, context, (what, act) => aside(context, what, act));
    for (const change of fields) {
      await aside(context, `The custom field "${change.field.name}" was not set`, () => setField(context, id, change));
    }
    const single = !reminds && [fields, ...Object.values(parts)].every((each) => each.length === 0);
    const now = single ? card : await readAgain(id, context);
    // What answers nothing that can be read does not make the card unmade.
    const told = await withPeople(summarize(Made.safeParse(now).success ? now : card), context);
    return tellTimes({ ...told, created: true }, input.timeZone);
  },
  find: (_, context) => look(context),
});
