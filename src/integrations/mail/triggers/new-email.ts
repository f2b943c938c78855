import { z } from 'zod';
import { defineWebhookTrigger } from '#kit';
import { readBody } from '../body/read-body.ts';
import { FilterText, parseFilter } from '../filter/index.ts';
import { Authentication } from '../message-headers.ts';
import { AttachmentSummary, FolderInput, Mailbox, Person } from '../shapes.ts';
import { readTime, showTime, Time, utcZone } from '../times.ts';
import { type Delivery, isUnwanted, KnownDelivery } from '../watching/delivery.ts';
import { resourceOf } from '../watching/resource.ts';
import { zoneNamed } from '../zones.ts';
import { settledFolders } from './folders.ts';
import { inJunk, judgeMail } from './judge-mail.ts';
import { requireMailbox } from './mailbox.ts';
import sample from './new-email.sample.json' with { type: 'json' };
import { searchIndex } from './search.ts';

/** A search filter, or none. */
const SearchFilter = z
  .string()
  .trim()
  .superRefine((text, context) => {
    const read = text === '' ? undefined : FilterText.safeParse(text);
    for (const { message } of read?.error?.issues ?? []) context.addIssue({ code: 'custom', message });
  });

/** A time, as steps take it, or now. */
const StartFrom = z
  .string()
  .trim()
  .max(60)
  .refine((text) => text === 'now' || isTime(text), 'must be now, a date, or a time such as 2026-11-02T09:00:00Z');

const isTime = (text: string): boolean => {
  try {
    return readTime('startFrom', text, { asked: undefined, home: utcZone }).instant > 0;
  } catch {
    return false;
  }
};

const Config = z.object({
  searchFilter: SearchFilter.default('').describe(
    'Only mail that fits, such as subject:invoice AND from:*contoso.com AND hasAttachments:true; empty for all mail.',
  ),
  mailbox: Mailbox.describe('Address or id of a shared mailbox; your own if left out.'),
  folders: z
    .array(FolderInput.meta({ picker: 'incoming_folders' }))
    .max(50)
    .default([])
    .describe('Only mail in these folders; empty for all. Drafts, Outbox, Sent Items and Junk Email never count.'),
  includeBody: z
    .enum(['text', 'html', 'none'])
    .default('text')
    .describe('How the body is told, or not at all; as text where a mail has no HTML.')
    .meta({ title: 'Body' }),
  maxBodyChars: z
    .int()
    .min(1)
    .max(100_000)
    .default(10_000)
    .describe('How much of the body is told at most.')
    .meta({ title: 'Longest body, in characters' }),
  includeAttachments: z
    .enum(['refs', 'none'])
    .default('refs')
    .describe('Whether attachments are listed.')
    .meta({ title: 'Attachments' }),
  startFrom: StartFrom.default('now').describe(
    'Only mail received at this time or later, in the zone of the mailbox unless it has an offset. Mail that came before the trigger was enabled never counts.',
  ),
  ignoreSelf: z
    .boolean()
    .default(true)
    .describe('Skip mail that this account sent itself.')
    .meta({ title: 'Ignore own mail' }),
  ignoreAutoReplies: z
    .boolean()
    .default(true)
    .describe('Skip automatic replies, bounces and bulk mail.')
    .meta({ title: 'Ignore automatic mail' }),
});

const Attachment = AttachmentSummary.extend({
  ref: z
    .object({ messageId: z.string(), attachmentId: z.string(), mailbox: z.string().optional() })
    .describe('Input of get_attachment, which fetches the content.'),
});

const NewEmail = z.object({
  message: z.object({
    id: z.string().describe('Stays the same when the message is moved.'),
    internetMessageId: z.string().nullable(),
    conversationId: z.string().nullable(),
    subject: z.string(),
    from: Person.nullable(),
    sender: Person.nullable().describe('Who sent it: not the author, where somebody writes for another.'),
    replyTo: z.array(Person),
    to: z.array(Person),
    cc: z.array(Person),
    receivedAt: Time.describe('In the zone of the mailbox.'),
    isRead: z.boolean(),
    importance: z.enum(['low', 'normal', 'high']),
    categories: z.array(z.string()).describe('Labels.'),
    folder: z.object({ id: z.string(), name: z.string() }),
    hasAttachments: z.boolean().describe('Attachments that are not pictures inside the text.'),
    attachments: z.array(Attachment),
    body: z
      .object({
        format: z.enum(['text', 'html']),
        text: z.string(),
        truncated: z.boolean(),
        length: z.number().describe('Characters of the whole body.'),
        quotedRemoved: z.boolean().describe('Whether quoted mails were left out.'),
      })
      .nullable(),
    authentication: Authentication.describe('What the receiving server found out about the sender.'),
    isAutomatic: z.boolean().describe('Whether a machine wrote it, such as an absence note.'),
    webLink: z.string().nullable(),
  }),
  matchedFilter: z.string().nullable().describe('The search filter that it fits.'),
});

type Told = Pick<z.output<typeof Config>, 'includeBody' | 'maxBodyChars' | 'includeAttachments'>;

const forwarded = /^\s*(?:fwd?|wg|tr|rv|enc|doorst|vb|vs)\s*:/i;

const bodyFor = ({ body, subject }: Delivery, { includeBody, maxBodyChars }: Told) => {
  if (includeBody === 'none') return null;
  // What is forwarded is what the mail is about.
  const keepQuoted = forwarded.test(subject);
  const { format, text, length, truncated, quotedRemoved } = readBody(body, {
    format: includeBody,
    maxChars: maxBodyChars,
    keepQuoted,
  });
  return { format, text, truncated: truncated || body.isCut, length, quotedRemoved };
};

const attachmentsFor = ({ id, attachments, mailbox: { shared } }: Delivery, { includeAttachments }: Told) =>
  includeAttachments === 'none'
    ? []
    : attachments.map((each) => ({
        ...each,
        ref: { messageId: id, attachmentId: each.id, ...(shared === null ? {} : { mailbox: shared }) },
      }));

const scopes = [['Mail.Read', 'Mail.ReadWrite']];

export const newEmail = defineWebhookTrigger({
  name: 'new_email',
  title: 'New Email',
  purpose: 'Fires when an email arrives.',
  scopes,
  config: Config,
  delivery: KnownDelivery,
  event: NewEmail,
  settle: async (config, context) => {
    await requireMailbox(config.mailbox, context, scopes);
    const { mailbox } = config;
    const { upstream, nameOf } = context;
    return { ...config, folders: await settledFolders({ upstream, nameOf, mailbox }, config.folders) };
  },
  hints: ({ searchFilter }) => (searchFilter === '' ? [] : parseFilter(searchFilter).hints),
  resources: async ({ mailbox }, { account }) => [resourceOf(mailbox, account.identity)],
  judge: judgeMail,
  passing: { reasons: [inJunk], isOver: ({ folder }) => !isUnwanted(folder.wellKnownName) },
  toEvent: (delivery, config) => {
    const { mailbox, bcc: _, sentAt: _sent, type: _type, marker: _marker, folder, ...message } = delivery;
    return {
      message: {
        ...message,
        receivedAt: showTime(Date.parse(delivery.receivedAt), zoneNamed(mailbox.zone)),
        folder: { id: folder.id, name: folder.name },
        attachments: attachmentsFor(delivery, config),
        body: bodyFor(delivery, config),
      },
      matchedFilter: config.searchFilter === '' ? null : config.searchFilter,
    };
  },
  actorOf: ({ from, sender }) => {
    const who = from ?? sender;
    return who === null ? undefined : { id: who.address, name: who.name ?? who.address };
  },
  summaryOf: ({ subject, from }) => {
    const title = subject.trim() === '' ? '(no subject)' : subject.trim();
    return from === null ? title : `${title}, from ${from.name ?? from.address}`;
  },
  index: (configs) => searchIndex(configs.map(({ id, config }) => ({ id, searchFilter: config.searchFilter }))),
  sample,
});
