import { z } from 'zod';
import { toListCursor } from '#kit';
import { cut } from './cards.ts';
import { ChecklistMade, ChecklistTold, mostItems, showChecklist } from './checklists.ts';
import { Comment, CommentTold, showComment } from './comments.ts';
import { type Field, Item, inWords } from './custom-fields.ts';
import { Attachment, AttachmentTold, Card, Member } from './shapes.ts';
import { Time, timeInText } from './times.ts';

const mostParts = 50;

const Board = z.object({ id: z.string(), name: z.string(), url: z.string() });
const List = z.object({ id: z.string(), name: z.string(), closed: z.boolean() });
const CustomField = Item.extend({ name: z.string().optional(), text: z.string().optional() });

/** A card with all that was asked for. Long parts are cut and say so; comments go on in Get Comments. */
export const CardFull = Card.extend({
  descTruncated: z.boolean().optional(),
  descLength: z.number().optional(),
  commentCount: z.number().optional(),
  list: List.optional(),
  board: Board.optional(),
  members: z.array(Member).optional(),
  checklists: z.array(ChecklistMade).optional(),
  attachments: z.array(Attachment).optional(),
  customFields: z.array(CustomField).optional(),
  comments: z.array(Comment).optional(),
  commentsNextCursor: z.string().optional(),
  truncated: z.boolean(),
});
export type CardFull = z.output<typeof CardFull>;

/** The same as the step answers it. */
export const CardFullTold = CardFull.extend({
  due: Time.nullable(),
  start: Time.nullish(),
  dateLastActivity: Time.nullable(),
  checklists: z.array(ChecklistTold).optional(),
  attachments: z.array(AttachmentTold).optional(),
  comments: z.array(CommentTold).optional(),
});

const Answer = Card.extend({
  badges: z.object({ comments: z.number().optional() }).optional(),
  list: List.optional(),
  board: Board.optional(),
  members: z.array(Member).optional(),
  checklists: z.array(z.unknown()).optional(),
  attachments: z.array(Attachment).optional(),
  customFieldItems: z.array(Item).optional(),
});

export const showFull = (
  body: unknown,
  beside: { comments?: unknown; fields?: readonly Field[] },
  { maxComments, maxDescChars }: { maxComments: number; maxDescChars: number },
): CardFull => {
  const { badges, checklists, attachments, customFieldItems, ...card } = Answer.parse(body);
  const actions = beside.comments === undefined ? undefined : z.array(z.unknown()).parse(beside.comments);
  const comments = actions?.slice(0, maxComments).map((action) => showComment(action));
  const last = (actions?.length ?? 0) > maxComments ? comments?.at(-1) : undefined;
  const lists = checklists
    ?.map(showChecklist)
    .toSorted((a, b) => a.pos - b.pos)
    .slice(0, mostParts);
  const values = customFieldItems?.slice(0, mostParts).map((item) => inWords(item, beside.fields ?? []));
  const long = card.desc.length > maxDescChars;
  const more = (all: readonly unknown[] | undefined): boolean => (all?.length ?? 0) > mostParts;
  return {
    ...card,
    desc: cut(card.desc, maxDescChars),
    ...(long ? { descTruncated: true, descLength: card.desc.length } : {}),
    ...(badges?.comments === undefined ? {} : { commentCount: badges.comments }),
    ...(lists === undefined ? {} : { checklists: lists }),
    ...(attachments === undefined ? {} : { attachments: attachments.slice(0, mostParts) }),
    ...(values === undefined ? {} : { customFields: values }),
    ...(comments === undefined ? {} : { comments }),
    ...(last === undefined ? {} : { commentsNextCursor: toListCursor(card.id, last.commentId) }),
    truncated:
      long ||
      last !== undefined ||
      more(checklists) ||
      more(attachments) ||
      more(customFieldItems) ||
      (lists?.some(({ truncated }) => truncated === true) ?? false),
  };
};

const section = (title: string, lines: readonly string[] | undefined): string[] =>
  lines === undefined || lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];

/** The same as one text. */
export const markdownOf = (card: CardFull, timeZone: string | undefined): string => {
  const facts = [
    `Board: ${card.board?.name ?? card.idBoard}`,
    `List: ${card.list?.name ?? card.idList}${card.closed ? ' (archived card)' : ''}`,
    ...(card.start ? [`Start: ${timeInText(card.start, timeZone)}`] : []),
    ...(card.due === null ? [] : [`Due: ${timeInText(card.due, timeZone)}${card.dueComplete ? ' (done)' : ''}`]),
    ...(card.labels.length === 0 ? [] : [`Labels: ${card.labels.map(({ name, color }) => name || color).join(', ')}`]),
    ...(card.members?.length ? [`Members: ${card.members.map(({ fullName }) => fullName).join(', ')}`] : []),
    ...(card.customFields ?? []).flatMap(({ name, text }) => (name && text ? [`${name}: ${text}`] : [])),
    `Address: ${card.url}`,
  ];
  const checklists = card.checklists?.flatMap(({ name, items, truncated }) => [
    ...section(
      name,
      items.length === 0
        ? ['(no items)']
        : items.map(({ name: item, state }) => `- [${state === 'complete' ? 'x' : ' '}] ${item}`),
    ),
    ...(truncated ? [`(only the first ${mostItems} items)`] : []),
  ]);
  const attachments = card.attachments?.map(({ name, url }) => `- [${name}](${url})`);
  const comments = card.comments?.map(
    ({ author, createdAt, text }) => `**${author.name ?? author.id}**, ${timeInText(createdAt, timeZone)}:\n${text}\n`,
  );
  return [
    `# ${card.name}`,
    '',
    ...facts.map((fact) => `- ${fact}`),
    ...(card.desc === '' ? [] : ['', card.desc]),
    ...(checklists ?? []),
    ...section('Attachments', attachments),
    ...section('Comments', comments),
  ].join('\n');
};
