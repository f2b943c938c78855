import { emptyCalendar } from './calendar/state.ts';
import { emptyContacts } from './contacts/state.ts';
import { mailboxTag, newFolderId, newItemId } from './ids.ts';
import type { Folder, Mailbox, MailboxSettings } from './mailbox.ts';

type Place = { name: string; title: string; parent: string | null; hidden?: true };

const places: readonly Place[] = [
  { name: 'msgfolderroot', title: 'Top of Information Store', parent: null },
  { name: 'archive', title: 'Archive', parent: 'msgfolderroot' },
  { name: 'conversationhistory', title: 'Conversation History', parent: 'msgfolderroot' },
  { name: 'deleteditems', title: 'Deleted Items', parent: 'msgfolderroot' },
  { name: 'drafts', title: 'Drafts', parent: 'msgfolderroot' },
  { name: 'inbox', title: 'Inbox', parent: 'msgfolderroot' },
  { name: 'junkemail', title: 'Junk Email', parent: 'msgfolderroot' },
  { name: 'outbox', title: 'Outbox', parent: 'msgfolderroot' },
  { name: 'sentitems', title: 'Sent Items', parent: 'msgfolderroot' },
  { name: 'clutter', title: 'Clutter', parent: 'msgfolderroot', hidden: true },
  { name: 'scheduled', title: 'Scheduled', parent: 'msgfolderroot', hidden: true },
  { name: 'syncissues', title: 'Sync Issues', parent: 'msgfolderroot', hidden: true },
  { name: 'conflicts', title: 'Conflicts', parent: 'syncissues', hidden: true },
  { name: 'localfailures', title: 'Local Failures', parent: 'syncissues', hidden: true },
  { name: 'serverfailures', title: 'Server Failures', parent: 'syncissues', hidden: true },
  { name: 'searchfolders', title: 'Search Folders', parent: null, hidden: true },
  { name: 'recoverableitemsdeletions', title: 'Deletions', parent: null, hidden: true },
];

const categories = [
  ['Red category', 'preset0'],
  ['Orange category', 'preset1'],
  ['Yellow category', 'preset3'],
  ['Green category', 'preset4'],
  ['Blue category', 'preset7'],
  ['Purple category', 'preset8'],
] as const;

const settings = (now: number, purpose: string): MailboxSettings => {
  const day = new Date(now).toISOString().slice(0, 10);
  const moment = { dateTime: `${day}T00:00:00.0000000`, timeZone: 'UTC' };
  return {
    timeZone: 'UTC',
    language: { locale: 'en-US', displayName: 'English (United States)' },
    dateFormat: 'M/d/yyyy',
    timeFormat: 'h:mm tt',
    delegateMeetingMessageDeliveryOptions: 'sendToDelegateOnly',
    userPurpose: purpose,
    workingHours: {
      daysOfWeek: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
      startTime: '08:00:00.0000000',
      endTime: '17:00:00.0000000',
      timeZone: { name: 'UTC' },
    },
    automaticRepliesSetting: {
      status: 'disabled',
      externalAudience: 'all',
      internalReplyMessage: '',
      externalReplyMessage: '',
      scheduledStartDateTime: moment,
      scheduledEndDateTime: moment,
    },
  };
};

/** A folder without its place in the tree; `addFolder` in folders/store.ts gives it one. */
export const newFolder = (mailbox: Mailbox, displayName: string, parentId: string | null): Folder => ({
  id: newFolderId(mailbox),
  displayName,
  parentId,
  isHidden: false,
  wellKnown: null,
  children: [],
  messages: [],
  unread: 0,
  version: 1,
  changes: [],
  forgotten: 0,
});

export const createMailbox = (owner: string, now: number, purpose: 'user' | 'shared' = 'user'): Mailbox => {
  const mailbox: Mailbox = {
    owner,
    tag: mailboxTag(owner),
    nextSeq: 1,
    clock: 1,
    folders: new Map(),
    wellKnown: new Map(),
    messages: new Map(),
    timeline: [],
    categories: [],
    settings: settings(now, purpose),
    calendar: emptyCalendar(),
    contacts: emptyContacts(),
    delegates: new Map(),
    autoReplied: new Set(),
    folderChanges: [],
  };
  for (const place of places) {
    const parent = place.parent === null ? null : (mailbox.wellKnown.get(place.parent) ?? null);
    const folder = {
      ...newFolder(mailbox, place.title, parent),
      isHidden: place.hidden === true,
      wellKnown: place.name,
    };
    mailbox.folders.set(folder.id, folder);
    mailbox.wellKnown.set(place.name, folder.id);
    mailbox.folders.get(parent ?? '')?.children.push(folder.id);
  }
  mailbox.categories = categories.map(([displayName, color]) => ({ id: newItemId(mailbox), displayName, color }));
  return mailbox;
};
