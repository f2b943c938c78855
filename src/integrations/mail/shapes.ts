import { z } from 'zod';
import { readPreview } from './body/read-body.ts';
import { showTime, Time } from './times.ts';
import { toldInstant, toldTexts } from './told.ts';
import type { Zone } from './zones.ts';

export const Mailbox = z
  .string()
  .trim()
  .min(1)
  .max(320)
  .optional()
  .describe('Address or id of a shared mailbox; your own if left out.');

export const MessageId = z
  .string()
  .trim()
  .min(1)
  .max(1_500)
  .describe('Message, by its id, its internet message id in <…>, or its web address.');

export const FolderInput = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .describe('Folder, by id, well-known name (inbox, archive, sentitems…), exact name or path such as Inbox/Orders.')
  .meta({ picker: 'folders' });

/** As it is written: names can begin or end with a space. */
export const LabelName = z.string().regex(/\S/, 'must not be empty').max(255).meta({ picker: 'labels' });

export const LabelNames = z
  .array(LabelName)
  .min(1)
  .max(25)
  .transform((labels) => [...new Set(labels)]);

const Address = z.object({ name: z.string().nullish(), address: z.string().nullish() });
const Recipient = z.object({ emailAddress: Address.nullish() });

/** A message as the service answers it; what was not selected is missing. */
export const WireMessage = z.object({
  id: z.string(),
  subject: z.string().nullish(),
  bodyPreview: z.string().nullish(),
  body: z.object({ contentType: z.string().nullish(), content: z.string().nullish() }).nullish(),
  from: Recipient.nullish(),
  sender: Recipient.nullish(),
  toRecipients: z.array(Recipient).nullish(),
  ccRecipients: z.array(Recipient).nullish(),
  bccRecipients: z.array(Recipient).nullish(),
  replyTo: z.array(Recipient).nullish(),
  receivedDateTime: z.string().nullish(),
  sentDateTime: z.string().nullish(),
  isRead: z.boolean().nullish(),
  isDraft: z.boolean().nullish(),
  importance: z.string().nullish(),
  categories: toldTexts.optional(),
  hasAttachments: z.boolean().nullish(),
  conversationId: z.string().nullish(),
  internetMessageId: z.string().nullish(),
  parentFolderId: z.string().nullish(),
  webLink: z.string().nullish(),
  changeKey: z.string().nullish(),
  flag: z.object({ flagStatus: z.string().nullish() }).nullish(),
  '@odata.etag': z.string().optional(),
});
export type WireMessage = z.output<typeof WireMessage>;

export const Person = z.object({ name: z.string().optional(), address: z.string() });
type Person = z.output<typeof Person>;

const personOf = (recipient: z.output<typeof Recipient> | null | undefined): Person | undefined => {
  const { name, address } = recipient?.emailAddress ?? {};
  if (!address && !name) return undefined;
  return { ...(name && name !== address ? { name } : {}), address: address ?? '' };
};
const peopleOf = (recipients: readonly z.output<typeof Recipient>[] | null | undefined): Person[] =>
  (recipients ?? []).flatMap((each) => personOf(each) ?? []);

/** Selected for a summary; the rest of `fullFields` for the full view. */
export const summaryFields = [
  'id',
  'subject',
  'bodyPreview',
  'from',
  'toRecipients',
  'receivedDateTime',
  'isRead',
  'isDraft',
  'importance',
  'categories',
  'hasAttachments',
  'conversationId',
  'parentFolderId',
];
export const fullFields = [
  ...summaryFields,
  'sender',
  'ccRecipients',
  'bccRecipients',
  'replyTo',
  'sentDateTime',
  'internetMessageId',
  'webLink',
  'flag',
];

export const MessageSummary = z.object({
  id: z.string().describe('Stays the same when the message is moved.'),
  subject: z.string().optional(),
  from: Person.optional(),
  to: z.array(Person).optional(),
  receivedAt: Time.optional(),
  isRead: z.boolean().optional(),
  isDraft: z.boolean().optional(),
  importance: z.string().optional(),
  categories: z.array(z.string()).optional().describe('Labels.'),
  hasAttachments: z.boolean().optional().describe('Attachments that are not pictures inside the text.'),
  conversationId: z.string().optional(),
  folderId: z.string().optional(),
  preview: z.string().optional().describe('The beginning of the text, at most 255 characters.'),
});

export const MessageFull = MessageSummary.extend({
  sender: Person.optional().describe('Who sent it, where that is not the author.'),
  cc: z.array(Person).optional(),
  bcc: z.array(Person).optional(),
  replyTo: z.array(Person).optional(),
  sentAt: Time.optional(),
  internetMessageId: z.string().optional(),
  webLink: z.string().optional(),
  flagged: z.boolean().optional(),
});
export type MessageFull = z.output<typeof MessageFull>;

const time = (text: string | null | undefined, zone: Zone) => {
  const instant = toldInstant(text);
  return instant === undefined ? undefined : showTime(instant, zone);
};

export const summaryOf = (message: WireMessage, zone: Zone): MessageFull => ({
  id: message.id,
  subject: message.subject ?? '',
  from: personOf(message.from),
  to: peopleOf(message.toRecipients),
  receivedAt: time(message.receivedDateTime, zone),
  isRead: message.isRead ?? undefined,
  // Said only where it is one, like flagged.
  ...(message.isDraft ? { isDraft: true } : {}),
  importance: message.importance ?? undefined,
  categories: message.categories ?? [],
  hasAttachments: message.hasAttachments ?? undefined,
  conversationId: message.conversationId ?? undefined,
  folderId: message.parentFolderId ?? undefined,
  preview: readPreview(message.bodyPreview),
});

export const fullOf = (message: WireMessage, zone: Zone): MessageFull => {
  const [from, sender] = [personOf(message.from), personOf(message.sender)];
  return {
    ...summaryOf(message, zone),
    ...(sender === undefined || sender.address === from?.address ? {} : { sender }),
    cc: peopleOf(message.ccRecipients),
    bcc: peopleOf(message.bccRecipients),
    replyTo: peopleOf(message.replyTo),
    sentAt: time(message.sentDateTime, zone),
    internetMessageId: message.internetMessageId ?? undefined,
    webLink: message.webLink ?? undefined,
    ...(message.flag?.flagStatus === 'flagged' ? { flagged: true } : {}),
  };
};

export const AttachmentSummary = z.object({
  id: z.string(),
  name: z.string(),
  contentType: z.string().optional(),
  size: z.number(),
  isInline: z.boolean(),
  kind: z.enum(['file', 'item', 'link']),
});

/** An attachment without its content, as the service answers it. */
export const WireAttachment = z.object({
  '@odata.type': z.string().optional(),
  id: z.string(),
  name: z.string().nullish(),
  contentType: z.string().nullish(),
  size: z.number().nullish(),
  isInline: z.boolean().nullish(),
});

export const attachmentOf = (wire: z.output<typeof WireAttachment>): z.output<typeof AttachmentSummary> => {
  const type = wire['@odata.type'] ?? '';
  return {
    id: wire.id,
    name: wire.name ?? '',
    contentType: wire.contentType ?? undefined,
    size: wire.size ?? 0,
    isInline: wire.isInline ?? false,
    kind: /itemAttachment$/i.test(type) ? 'item' : /referenceAttachment$/i.test(type) ? 'link' : 'file',
  };
};
