import type { CalendarState } from './calendar/state.ts';
import type { ContactsState } from './contacts/state.ts';

/* Everything here is plain data (Maps and arrays allowed, no classes), so that a snapshot is one structuredClone. */

export type EmailAddress = { name: string; address: string };
export type Body = { contentType: 'html' | 'text'; content: string };
export type Header = { name: string; value: string };
export type DateTimeTimeZone = { dateTime: string; timeZone: string };
export type ExtendedProperty = { id: string; value: string };
export type Json = Record<string, unknown>;

export type Flag = {
  flagStatus: 'notFlagged' | 'complete' | 'flagged';
  startDateTime?: DateTimeTimeZone;
  dueDateTime?: DateTimeTimeZone;
  completedDateTime?: DateTimeTimeZone;
};

export type Attachment = {
  kind: 'file' | 'item' | 'reference';
  id: string;
  name: string;
  contentType: string | null;
  size: number;
  isInline: boolean;
  contentId: string | null;
  modified: number;
  /** Of a file. A seeded file may have only a size; its bytes are then made up on demand. */
  content?: Uint8Array;
  /** Of an item: the attached message, event or contact as it is on the wire. */
  item?: Json;
};

export type Message = {
  /** Constant and unique in its mailbox; both wire ids are made from it. */
  seq: number;
  /** Counts moves: the ordinary id changes with it, the immutable one does not. */
  generation: number;
  /** Counts every touch; the change key and the etag come from it. */
  version: number;
  folderId: string;
  subject: string;
  body: Body;
  /** The first 255 characters, as text. */
  preview: string;
  from: EmailAddress | null;
  sender: EmailAddress | null;
  to: EmailAddress[];
  cc: EmailAddress[];
  bcc: EmailAddress[];
  replyTo: EmailAddress[];
  /** Milliseconds; the wire shows whole seconds. */
  received: number;
  sent: number;
  created: number;
  modified: number;
  internetMessageId: string;
  conversationId: string;
  conversationIndex: string;
  importance: 'low' | 'normal' | 'high';
  inference: 'focused' | 'other';
  isRead: boolean;
  isDraft: boolean;
  isReadReceiptRequested: boolean;
  isDeliveryReceiptRequested: boolean;
  categories: string[];
  flag: Flag;
  headers: Header[];
  attachments: Attachment[];
  extended: ExtendedProperty[];
  /** Of a meeting mail: `@odata.type` and the properties of eventMessage. */
  meeting?: Json;
  /** What a draft answers, so that sending it keeps the thread. */
  inReplyTo?: string;
};

/** What happened in a folder, oldest first: the memory behind delta. */
export type FolderChange = { at: number; seq: number; change: 'created' | 'updated' | 'deleted'; generation: number };

export type Folder = {
  id: string;
  displayName: string;
  parentId: string | null;
  isHidden: boolean;
  wellKnown: string | null;
  children: string[];
  /** Oldest first by `received`, then `seq`. */
  messages: Message[];
  unread: number;
  version: number;
  changes: FolderChange[];
  /** Changes up to this number are forgotten; older delta tokens are gone. */
  forgotten: number;
};

export type Category = { id: string; displayName: string; color: string };

export type MailboxSettings = {
  timeZone: string;
  language: { locale: string; displayName: string };
  dateFormat: string;
  timeFormat: string;
  delegateMeetingMessageDeliveryOptions: string;
  userPurpose: string;
  workingHours: { daysOfWeek: string[]; startTime: string; endTime: string; timeZone: { name: string } };
  automaticRepliesSetting: {
    status: 'disabled' | 'alwaysEnabled' | 'scheduled';
    externalAudience: 'none' | 'contactsOnly' | 'all';
    internalReplyMessage: string;
    externalReplyMessage: string;
    scheduledStartDateTime: DateTimeTimeZone;
    scheduledEndDateTime: DateTimeTimeZone;
  };
};

export type DelegateRights = { fullAccess: boolean; sendAs: boolean };

export type Mailbox = {
  /** The user id. */
  owner: string;
  /** Stands in every id of the mailbox. */
  tag: string;
  /** Next number for an item. */
  nextSeq: number;
  /** Counts every change of the mailbox. */
  clock: number;
  folders: Map<string, Folder>;
  /** Well-known name, lower case, to folder id. */
  wellKnown: Map<string, string>;
  messages: Map<number, Message>;
  /** All messages, oldest first by `received`, then `seq`. */
  timeline: Message[];
  categories: Category[];
  settings: MailboxSettings;
  calendar: CalendarState;
  contacts: ContactsState;
  /** Who else may use it, by user id. */
  delegates: Map<string, DelegateRights>;
  /** Senders who already got an automatic reply. */
  autoReplied: Set<string>;
  folderChanges: { at: number; id: string; removed: boolean }[];
};
