import { createHash, randomBytes } from 'node:crypto';
import { newItemId } from '../ids.ts';
import type { EmailAddress, Mailbox } from '../mailbox.ts';
import type { ReadMail } from '../mime/read.ts';
import { previewOf, wholeHtml } from '../text.ts';
import type { World } from '../world.ts';
import { readAttachment } from './attachment-parse.ts';
import type { MessageFields } from './parse.ts';
import type { NewMessage } from './store.ts';

export const addressOf = (world: World, mailbox: Mailbox): EmailAddress => {
  const person = world.people.get(mailbox.owner);
  return { name: person?.displayName ?? '', address: person?.address ?? '' };
};

/** 22 bytes begin a thread; each answer adds five. */
export const newConversationIndex = (): string =>
  Buffer.concat([Buffer.from([1, 0xdc]), randomBytes(20)]).toString('base64');
export const nextConversationIndex = (index: string): string =>
  Buffer.concat([Buffer.from(index, 'base64'), randomBytes(5)]).toString('base64');
export const conversationIdOf = (index: string): string =>
  `AAQkAG${createHash('sha256').update(Buffer.from(index, 'base64').subarray(0, 22)).digest('base64url').slice(0, 32)}AAA=`;

export const newInternetMessageId = (): string =>
  `<${randomBytes(12).toString('hex').toUpperCase()}@mail.sandbox.test>`;

/** A draft with the service's defaults under what the client set. */
export const draftFields = (world: World, mailbox: Mailbox, fields: MessageFields): NewMessage => {
  const now = world.now();
  const { attachmentsJson = [], ...set } = fields;
  const index = set.conversationIndex ?? newConversationIndex();
  return {
    subject: '',
    body: { contentType: 'text', content: '' },
    preview: '',
    from: null,
    sender: null,
    to: [],
    cc: [],
    bcc: [],
    replyTo: [],
    received: now,
    sent: now,
    internetMessageId: newInternetMessageId(),
    conversationIndex: index,
    conversationId: conversationIdOf(index),
    importance: 'normal',
    inference: 'focused',
    isReadReceiptRequested: false,
    isDeliveryReceiptRequested: false,
    categories: [],
    flag: { flagStatus: 'notFlagged' },
    headers: [],
    extended: [],
    ...set,
    isRead: true,
    isDraft: true,
    attachments: [
      ...(set.attachments ?? []),
      ...attachmentsJson.map((attachment) => readAttachment(mailbox, attachment, now)),
    ],
  };
};

/** What a MIME mail sets. */
export const mimeFields = (world: World, mailbox: Mailbox, mail: ReadMail): MessageFields => {
  const body = mail.body.contentType === 'html' ? { ...mail.body, content: wholeHtml(mail.body.content) } : mail.body;
  return {
    subject: mail.subject,
    body,
    preview: previewOf(body),
    ...(mail.from === null ? {} : { from: mail.from }),
    to: mail.to,
    cc: mail.cc,
    bcc: mail.bcc,
    replyTo: mail.replyTo,
    headers: mail.headers.filter(({ name }) => /^x-/i.test(name)),
    ...(mail.messageId === undefined ? {} : { internetMessageId: mail.messageId }),
    ...(mail.inReplyTo === undefined ? {} : { inReplyTo: mail.inReplyTo }),
    attachments: mail.files.map((file) => ({
      kind: 'file' as const,
      id: newItemId(mailbox),
      modified: world.now(),
      size: file.content.length,
      ...file,
    })),
  };
};
