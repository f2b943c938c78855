import { changeKey, restId } from '../ids.ts';
import type { EmailAddress, Mailbox, Message } from '../mailbox.ts';
import { wireTime } from '../text.ts';
import { bodyAs, hasAttachments, recipient } from './view.ts';

const who = (address: EmailAddress | null) => (address === null ? null : recipient(address));

/** A message as filters and sorting see it: each property is made only when it is looked at. */
export class MessageLens {
  readonly message: Message;
  #mailbox: Mailbox;

  constructor(mailbox: Mailbox, message: Message) {
    this.message = message;
    this.#mailbox = mailbox;
  }

  get id() {
    return restId(this.#mailbox, this.message);
  }
  get changeKey() {
    return changeKey(this.message.seq, this.message.version);
  }
  get createdDateTime() {
    return wireTime(this.message.created);
  }
  get lastModifiedDateTime() {
    return wireTime(this.message.modified);
  }
  get receivedDateTime() {
    return wireTime(this.message.received);
  }
  get sentDateTime() {
    return wireTime(this.message.sent);
  }
  get categories() {
    return this.message.categories;
  }
  get hasAttachments() {
    return hasAttachments(this.message);
  }
  get internetMessageId() {
    return this.message.internetMessageId;
  }
  get subject() {
    return this.message.subject;
  }
  get bodyPreview() {
    return this.message.preview;
  }
  get importance() {
    return this.message.importance;
  }
  get parentFolderId() {
    return this.message.folderId;
  }
  get conversationId() {
    return this.message.conversationId;
  }
  get conversationIndex() {
    return this.message.conversationIndex;
  }
  get isDeliveryReceiptRequested() {
    return this.message.isDeliveryReceiptRequested;
  }
  get isReadReceiptRequested() {
    return this.message.isReadReceiptRequested;
  }
  get isRead() {
    return this.message.isRead;
  }
  get isDraft() {
    return this.message.isDraft;
  }
  get inferenceClassification() {
    return this.message.inference;
  }
  get body() {
    return bodyAs(this.message.body);
  }
  get sender() {
    return who(this.message.sender);
  }
  get from() {
    return who(this.message.from);
  }
  get toRecipients() {
    return this.message.to.map(recipient);
  }
  get ccRecipients() {
    return this.message.cc.map(recipient);
  }
  get bccRecipients() {
    return this.message.bcc.map(recipient);
  }
  get replyTo() {
    return this.message.replyTo.map(recipient);
  }
  get flag() {
    return this.message.flag;
  }
  get internetMessageHeaders() {
    return this.message.headers;
  }
  get singleValueExtendedProperties() {
    return this.message.extended;
  }
  get attachments() {
    return this.message.attachments;
  }
}
