import { z } from 'zod';
import { counted, defineStep, path, wrong } from '#kit';
import { addressIn } from '../addressee.ts';
import { Cursor, collect, fieldsOf, Limit, listEnd, only } from '../collect.ts';
import { folderKey } from '../folders.ts';
import { namesOfLabels } from '../label-changes.ts';
import { messageQuery } from '../message-query.ts';
import { explainNothing } from '../nothing-found.ts';
import {
  FolderInput,
  fullFields,
  fullOf,
  LabelName,
  Mailbox,
  MessageFull,
  MessageSummary,
  summaryFields,
  summaryOf,
  WireMessage,
} from '../shapes.ts';
import { readTime, TimeInput, utcZone, ZoneInput } from '../times.ts';
import { below } from '../wire.ts';
import { zoneNamed } from '../zones.ts';

const text = z.string().trim().min(1).max(500);
const texts = z.array(text).max(20).default([]);

export const findEmail = defineStep({
  name: 'find_email',
  title: 'Find Email',
  group: 'Email',
  purpose: 'Find messages by words, people, time, labels, attachments or a search query.',
  effect: 'read',
  scopes: [['Mail.Read', 'Mail.ReadWrite']],
  input: z.object({
    query: z
      .string()
      .max(2_000)
      .optional()
      .describe('Search query, such as from:ben AND subject:"offer" AND received>=2026-11-01.'),
    keywords: texts.describe('Words or phrases that must all occur in subject, body or sender.'),
    subject: text.optional().describe('Words that the subject must hold.'),
    sender: texts.describe('Senders: whole addresses, names or domains; one of them must fit.'),
    recipient: texts.describe('People in to, cc or bcc: addresses, names or domains; one of them must fit.'),
    attachmentName: texts.describe('Words in the name of an attachment; one of them must fit.'),
    hasAttachments: z.boolean().optional().describe('Only with, or only without, attachments.'),
    importance: z.enum(['low', 'normal', 'high']).optional().describe('Only of this importance.'),
    isRead: z.boolean().optional().describe('Only read, or only unread, messages.'),
    label: LabelName.optional().describe('Only with this label: its name or id.'),
    category: LabelName.optional().describe('The same as label, as the mail service calls it.'),
    conversationId: z.string().trim().min(1).max(500).optional().describe('Only messages of this conversation.'),
    receivedAfter: TimeInput.optional().describe(
      'Received at this time or later; UTC unless it or timeZone says otherwise.',
    ),
    receivedBefore: TimeInput.optional().describe(
      'Received before this time; UTC unless it or timeZone says otherwise.',
    ),
    timeZone: ZoneInput.describe('Zone of times without an offset and of the answer; UTC if left out.'),
    folder: FolderInput.optional().describe('Only in this folder: id, well-known name, exact name or path.'),
    order: z
      .enum(['newest', 'oldest'])
      .default('newest')
      .describe('Which come first; a search always has the newest first.'),
    view: z.enum(['summary', 'full']).default('summary').describe('How much of each message is shown.'),
    fields: fieldsOf(MessageFull, ' of each message'),
    limit: Limit,
    cursor: Cursor,
    mailbox: Mailbox,
  }),
  output: z.object({
    items: z.array(MessageFull.partial().extend({ id: z.string() })),
    ...listEnd,
    approximateTotal: z.number().optional().describe('How many there are in all; unknown for a search.'),
    how: z.enum(['search', 'filter']).describe('How the service was asked.'),
  }),
  summary: ({ items, nextCursor }) => counted(items.length, ['mail', 'mails'], nextCursor !== undefined),
  check: ({ label, category }) => {
    if (category !== undefined && label !== undefined) {
      throw wrong(['label', 'category'], 'label and category are the same; give one of them.');
    }
  },
  run: async ({ folder, limit, cursor, mailbox, view, fields, timeZone, category, ...wanted }, context) => {
    const { upstream, warn } = context;
    const zone = timeZone === undefined ? utcZone : zoneNamed(timeZone);
    const moment = (field: 'receivedAfter' | 'receivedBefore') => {
      const given = wanted[field];
      if (given === undefined) return undefined;
      const asked = timeZone === undefined ? undefined : zone;
      return new Date(readTime(field, given, { asked, home: zone }).instant);
    };
    const [receivedAfter, receivedBefore] = [moment('receivedAfter'), moment('receivedBefore')];
    if (receivedAfter !== undefined && receivedBefore !== undefined && receivedAfter >= receivedBefore) {
      throw wrong(['receivedAfter', 'receivedBefore'], 'receivedAfter must lie before receivedBefore.');
    }
    const [label] = await namesOfLabels(context, mailbox, [wanted.label ?? category ?? []].flat());
    const { how, query, fits } = messageQuery({
      ...wanted,
      sender: wanted.sender.map(addressIn),
      recipient: wanted.recipient.map(addressIn),
      label,
      receivedAfter,
      receivedBefore,
    });
    if (how === 'search' && wanted.order === 'oldest') warn('A search cannot be ordered: the newest come first.');
    const list =
      folder === undefined
        ? path`/messages`
        : path`/mailFolders/${await folderKey({ upstream, mailbox }, folder)}/messages`;
    const whole = view === 'full' || (fields ?? []).some((name) => !(name in MessageSummary.shape));
    const $select = (whole ? fullFields : summaryFields).join(',');
    const show = whole ? fullOf : summaryOf;
    const source = { path: below(mailbox, list), query: { ...query, $select, $top: limit } };
    const { count, ...page } = await collect(upstream, [source], {
      limit,
      cursor,
      maxPages: 5,
      keep: (entry) => {
        const message = WireMessage.parse(entry);
        return fits(message) ? only(show(message, zone), fields) : undefined;
      },
    });
    if (page.items.length === 0 && page.nextCursor === undefined && cursor === undefined) {
      await explainNothing(context, { mailbox, query: wanted.query, keywords: wanted.keywords, label });
    }
    return { ...page, how, ...(count === undefined ? {} : { approximateTotal: count }) };
  },
});
