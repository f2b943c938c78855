import { changeKey, etag, immutableId, restId } from '../ids.ts';
import type { Body, EmailAddress, Json, Mailbox, Message } from '../mailbox.ts';
import { htmlToText, textToHtml, wireTime } from '../text.ts';

export type ViewOptions = {
  immutable?: boolean;
  bodyType?: 'html' | 'text' | undefined;
  /** Mail.ReadBasic alone: no body, preview or attachments. */
  basic?: boolean;
};

export const recipient = (who: EmailAddress): { emailAddress: EmailAddress } => ({ emailAddress: who });

export const bodyAs = (body: Body, wanted: 'html' | 'text' = 'html'): Body => {
  if (body.contentType === wanted) return body;
  const content = wanted === 'text' ? htmlToText(body.content) : textToHtml(body.content);
  return { contentType: wanted, content };
};

/** Inline-only mail has none. */
export const hasAttachments = (message: Message): boolean => message.attachments.some(({ isInline }) => !isInline);

/** A message as it is on the wire. What needs `$select` or `$expand` is not in it. */
export const messageView = (mailbox: Mailbox, message: Message, options: ViewOptions = {}): Json => {
  const key = changeKey(message.seq, message.version);
  const id = options.immutable ? immutableId(mailbox, message) : restId(mailbox, message);
  const { '@odata.type': type, ...meeting } = message.meeting ?? {};
  return {
    ...(type === undefined ? {} : { '@odata.type': type }),
    '@odata.etag': etag(key),
    id,
    createdDateTime: wireTime(message.created),
    lastModifiedDateTime: wireTime(message.modified),
    changeKey: key,
    categories: message.categories,
    receivedDateTime: wireTime(message.received),
    sentDateTime: wireTime(message.sent),
    hasAttachments: hasAttachments(message),
    internetMessageId: message.internetMessageId,
    subject: message.subject,
    ...(options.basic ? {} : { bodyPreview: message.preview }),
    importance: message.importance,
    parentFolderId: message.folderId,
    conversationId: message.conversationId,
    conversationIndex: message.conversationIndex,
    isDeliveryReceiptRequested: message.isDeliveryReceiptRequested,
    isReadReceiptRequested: message.isReadReceiptRequested,
    isRead: message.isRead,
    isDraft: message.isDraft,
    webLink: `https://outlook.office365.com/owa/?ItemID=${encodeURIComponent(id)}&exvsurl=1&viewmodel=ReadMessageItem`,
    inferenceClassification: message.inference,
    ...(options.basic ? {} : { body: bodyAs(message.body, options.bodyType) }),
    ...(message.sender === null ? {} : { sender: recipient(message.sender) }),
    ...(message.from === null ? {} : { from: recipient(message.from) }),
    toRecipients: message.to.map(recipient),
    ccRecipients: message.cc.map(recipient),
    bccRecipients: message.bcc.map(recipient),
    replyTo: message.replyTo.map(recipient),
    flag: message.flag,
    ...meeting,
  };
};
