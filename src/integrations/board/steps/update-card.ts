import { z } from 'zod';
import { allBut, defineStep, Fault, path, quoted, type StepContext, type Upstream, wrong } from '#kit';
import { changes } from '../aside.ts';
import { cardBegun } from '../begun.ts';
import { Change, changesBetween } from '../card-changes.ts';
import { addParts, cardParts, partsOf } from '../card-parts.ts';
import { CardTold, cardFields, summarize, withMembers, withPeople } from '../cards.ts';
import { CustomFieldValues, fieldChanges, fieldItems, fieldsChanged, Item, setField } from '../custom-fields.ts';
import { look } from '../looks/index.ts';
import { boardIdOf, boardOfCard, cardIdOf, labelIdsOf, listIdOf, memberIdsOf } from '../lookups.ts';
import { isPlaced } from '../placed.ts';
import { toWrite } from '../scopes.ts';
import { Card, cardInput, DueReminder, LabelRef, ListRef, Member, MemberRef, Pos, several, Words } from '../shapes.ts';
import { Moment, TimeZone, tellTimes, toUtcIfGiven } from '../times.ts';

const Input = z.object({
  ...cardInput,
  name: Words.optional().describe('New title.'),
  desc: z.string().max(16_384).nullable().optional().describe('New description, in Markdown; null clears it.'),
  idList: ListRef.optional().describe('List it moves to: id, or name of a list on its board.'),
  list: ListRef.optional().describe('The same, instead of idList.'),
  pos: Pos.optional().describe('Where in the list it lies: top, bottom or a number.'),
  due: Moment.nullable().optional().describe('New due date; null clears it.'),
  start: Moment.nullable().optional().describe('New start date; null clears it.'),
  timeZone: TimeZone,
  dueComplete: z.boolean().optional().describe('Whether the due date is met.'),
  dueReminder: DueReminder.nullable()
    .optional()
    .describe('Minutes before the due date at which the service reminds; null or -1 for none.'),
  closed: z.boolean().optional().describe('true archives it, false brings it back.'),
  idLabels: z
    .array(LabelRef)
    .max(100)
    .nullable()
    .optional()
    .describe('All labels it shall have, replacing those it has; null for none.'),
  idMembers: z
    .array(MemberRef)
    .max(100)
    .nullable()
    .optional()
    .describe('All members it shall have, replacing those it has; null for none.'),
  addLabels: several(LabelRef).describe('Labels to add.'),
  removeLabels: several(LabelRef).describe('Labels to take away.'),
  addMembers: several(MemberRef).describe('Members to add.'),
  removeMembers: several(MemberRef).describe('Members to take away.'),
  ...cardParts,
  customFields: CustomFieldValues.optional().describe(
    'New values of custom fields, by name or id: text, number, true or false, a date, or the text of an option; null clears.',
  ),
  ifUnchangedSince: Moment.optional().describe(
    'Refuse if the card changed after this time, such as the dateLastActivity.utc you read.',
  ),
});
type Input = z.output<typeof Input>;

// No reminder is told as null or as -1.
const Held = Card.extend({
  members: z.array(Member).optional(),
  dueReminder: z.preprocess((minutes) => (minutes === -1 ? null : minutes), z.number().nullish()),
});

/** Everything is looked up before anything is written. */
const prepare = async (input: Input, context: StepContext) => {
  const { name, desc, pos, dueComplete, dueReminder, closed, timeZone } = input;
  const list = input.idList ?? input.list;
  const idCard = cardBegun(context) ?? (await cardIdOf(context, input.cardId, input.board));
  const board = () =>
    input.board === undefined ? boardOfCard(context.upstream, idCard) : boardIdOf(context, input.board);
  type Labels = 'idLabels' | 'addLabels' | 'removeLabels';
  type Members = 'idMembers' | 'addMembers' | 'removeMembers';
  const labels = (field: Labels) => labelIdsOf(context, input[field] ?? [], board, field);
  const members = (field: Members) => memberIdsOf(context, input[field] ?? [], board, field);
  const listBoard = list === undefined || /^[0-9a-f]{24}$/i.test(list) ? undefined : await board();
  const listField = input.idList === undefined ? 'list' : 'idList';
  const fields = {
    name,
    desc: desc === null ? '' : desc,
    idList: list === undefined ? undefined : await listIdOf(context, list, listBoard, listField),
    pos,
    due: toUtcIfGiven(input.due, timeZone),
    start: toUtcIfGiven(input.start, timeZone),
    dueComplete,
    dueReminder: dueReminder === null ? -1 : dueReminder,
    closed,
    idLabels: input.idLabels === undefined ? undefined : await labels('idLabels'),
    idMembers: input.idMembers === undefined ? undefined : await members('idMembers'),
  };
  const parts = {
    addLabels: await labels('addLabels'),
    removeLabels: await labels('removeLabels'),
    addMembers: await members('addMembers'),
    removeMembers: await members('removeMembers'),
  };
  const added = await partsOf(input, context, board, timeZone);
  const customFields = await fieldChanges(context.upstream, input.customFields, board, timeZone);
  return { idCard, fields, parts, added, customFields };
};

type Prepared = Awaited<ReturnType<typeof prepare>>;
type FieldItems = Awaited<ReturnType<typeof fieldItems>>;

const Found = z.object({ card: Held, items: z.array(Item) });

/** Whether a card has all that is asked for. Where it lies counts only if nothing else was to change. */
const isAsAsked = async (
  upstream: Upstream,
  card: z.output<typeof Held>,
  held: FieldItems,
  { fields, parts, added, customFields }: Prepared,
): Promise<boolean> => {
  const { pos, dueReminder, ...compared } = fields;
  const reminder = dueReminder === undefined ? {} : { dueReminder: dueReminder === -1 ? null : dueReminder };
  const asked = Object.entries({ ...compared, ...reminder }).filter(([, value]) => value !== undefined);
  const others = [asked, customFields, ...Object.values(parts)];
  const labels = card.labels.map(({ id }) => id);
  return (
    Object.values(added).every((each) => each.length === 0) &&
    changesBetween(card, { ...card, ...Object.fromEntries(asked) }).length === 0 &&
    fieldsChanged(held, customFields).length === 0 &&
    parts.addLabels.every((id) => labels.includes(id)) &&
    !parts.removeLabels.some((id) => labels.includes(id)) &&
    parts.addMembers.every((id) => card.idMembers.includes(id)) &&
    !parts.removeMembers.some((id) => card.idMembers.includes(id)) &&
    (others.some((each) => each.length > 0) || (await isPlaced(upstream, card, pos)))
  );
};

const refuseIfChanged = async (
  since: string | undefined,
  { dateLastActivity }: z.output<typeof Card>,
  isMeant: () => Promise<boolean>,
): Promise<void> => {
  if (since === undefined || dateLastActivity === null) return;
  if (Date.parse(dateLastActivity) <= Date.parse(since)) return;
  if (await isMeant()) return;
  throw new Fault('conflict', `The card changed at ${dateLastActivity}; read it again, then decide.`, {
    details: { dateLastActivity },
  });
};

/** Where a moved card lands without a position is not specified; one that is in that list already stays where it is. */
const landing = ({ idList, pos }: Prepared['fields'], before: z.output<typeof Card>) =>
  pos ?? (idList === undefined || idList === before.idList ? undefined : 'bottom');

export const updateCard = defineStep({
  name: 'update_card',
  title: 'Update Card',
  group: 'Cards',
  purpose: 'Change a card. What is left out stays; null clears.',
  effect: 'write',
  scopes: toWrite,
  input: Input,
  needsOneOf: {
    fields: allBut(Input, 'cardId', 'board', 'timeZone', 'ifUnchangedSince'),
    otherwise: 'Nothing to change was given; name at least one field of the card.',
  },
  output: CardTold.extend({ changes: z.array(Change) }),
  summary: ({ name, changes }) =>
    changes.length === 0 ? `The card ${quoted(name)} was so already.` : `Changed the card ${quoted(name)}.`,
  check: ({ idList, list }) => {
    if (idList !== undefined && list !== undefined) throw wrong(['idList', 'list'], 'Give either idList or list.');
  },
  run: async (input, context) => {
    const { upstream } = context;
    const prepared = await prepare(input, context);
    const { idCard, fields, parts, added, customFields } = prepared;
    const query = { fields: `${cardFields},dueReminder`, ...withMembers };
    const read = async () => Held.parse(await upstream.get(path`/1/cards/${idCard}`, { query }));
    // A run that goes on after an interruption would meet its own changes.
    const { card: before, items: held } = await context.before(Found, async () => ({
      card: await read(),
      items: customFields.length === 0 ? [] : await fieldItems(upstream, idCard),
    }));
    const isMeant = () => isAsAsked(upstream, before, held, prepared);
    await refuseIfChanged(toUtcIfGiven(input.ifUnchangedSince, input.timeZone), before, isMeant);
    const plain = Object.values(fields).some((value) => value !== undefined);
    const place = path`/1/cards/${idCard}`;
    const body = { ...fields, pos: landing(fields, before) };
    const answer = plain ? await upstream.put(place, { body }) : undefined;
    // One at a time: a whole set would undo what others change meanwhile.
    for (const value of parts.addLabels) {
      await changes(() => upstream.post(path`/1/cards/${idCard}/idLabels`, { body: { value } }));
    }
    for (const id of parts.removeLabels) await changes(() => upstream.delete(path`/1/cards/${idCard}/idLabels/${id}`));
    for (const value of parts.addMembers) {
      await changes(() => upstream.post(path`/1/cards/${idCard}/idMembers`, { body: { value } }));
    }
    for (const id of parts.removeMembers)
      await changes(() => upstream.delete(path`/1/cards/${idCard}/idMembers/${id}`));
    await addParts(idCard, added, context, (_, act) => act());
    for (const change of customFields) await setField(context, idCard, change);
    const further = [customFields, ...Object.values(parts), ...Object.values(added)];
    const single = further.every((each) => each.length === 0);
    const after = single && answer !== undefined ? Held.parse(answer) : await read();
    const more = [
      ...added.attachments.map(({ name, url, file }) => ({
        field: 'attachments',
        from: null,
        to: name ?? url ?? file,
      })),
      ...added.checklists.map(({ title }) => ({ field: 'checklists', from: null, to: title })),
      ...fieldsChanged(held, customFields),
    ];
    const told = await withPeople(summarize(after), context, before.members);
    return tellTimes({ ...told, changes: [...changesBetween(before, after), ...more] }, input.timeZone);
  },
  find: (_, context) => look(context),
});
