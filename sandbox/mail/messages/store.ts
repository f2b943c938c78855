import { changeKey, etag, immutableId, restId } from '../ids.ts';
import type { Folder, FolderChange, Json, Mailbox, Message } from '../mailbox.ts';
import type { World } from '../world.ts';
import { insertSorted, removeSorted } from './timeline.ts';
import { messageView } from './view.ts';

const remembered = 100_000;

const folderOf = (mailbox: Mailbox, message: Message): Folder => mailbox.folders.get(message.folderId) as Folder;

const note = (mailbox: Mailbox, folder: Folder, message: Message, change: FolderChange['change']): void => {
  folder.changes.push({ at: ++mailbox.clock, seq: message.seq, change, generation: message.generation });
  if (folder.changes.length <= remembered * 1.5) return;
  const dropped = folder.changes.splice(0, folder.changes.length - remembered);
  folder.forgotten = dropped.at(-1)?.at ?? folder.forgotten;
};

const announce = (
  world: World,
  mailbox: Mailbox,
  message: Message,
  change: FolderChange['change'],
  more: { before?: Json | undefined; moved?: boolean } = {},
): void => {
  if (!world.watched.has(mailbox.owner)) return;
  world.announce({
    mailbox,
    kind: 'message',
    change,
    id: restId(mailbox, message),
    immutableId: immutableId(mailbox, message),
    etag: etag(changeKey(message.seq, message.version)),
    folderId: message.folderId,
    entity: change === 'deleted' ? undefined : messageView(mailbox, message),
    ...more,
  });
};

const enter = (mailbox: Mailbox, folder: Folder, message: Message): void => {
  message.folderId = folder.id;
  insertSorted(folder.messages, message);
  if (!message.isRead) folder.unread++;
  note(mailbox, folder, message, 'created');
};

const leave = (mailbox: Mailbox, folder: Folder, message: Message): void => {
  removeSorted(folder.messages, message);
  if (!message.isRead) folder.unread--;
  note(mailbox, folder, message, 'deleted');
};

export type NewMessage = Omit<Message, 'seq' | 'generation' | 'version' | 'folderId' | 'created' | 'modified'> & {
  created?: number;
};

export const addMessage = (world: World, mailbox: Mailbox, folder: Folder, fields: NewMessage): Message => {
  const created = fields.created ?? world.now();
  const seq = mailbox.nextSeq++;
  const message: Message = {
    ...fields,
    seq,
    generation: 0,
    version: 1,
    folderId: folder.id,
    created,
    modified: created,
  };
  mailbox.messages.set(seq, message);
  insertSorted(mailbox.timeline, message);
  enter(mailbox, folder, message);
  announce(world, mailbox, message, 'created');
  return message;
};

/** Every touch gives a new change key. `received` may change too: the arrays stay sorted. */
export const updateMessage = (world: World, mailbox: Mailbox, message: Message, changes: Partial<Message>): void => {
  const folder = folderOf(mailbox, message);
  const wasRead = message.isRead;
  const before = world.watched.has(mailbox.owner) ? messageView(mailbox, message) : undefined;
  const moves = changes.received !== undefined && changes.received !== message.received;
  if (moves) for (const list of [folder.messages, mailbox.timeline]) removeSorted(list, message);
  Object.assign(message, changes);
  if (moves) for (const list of [folder.messages, mailbox.timeline]) insertSorted(list, message);
  if (wasRead !== message.isRead) folder.unread += message.isRead ? -1 : 1;
  message.version++;
  message.modified = world.now();
  note(mailbox, folder, message, 'updated');
  announce(world, mailbox, message, 'updated', { before });
};

/** The ordinary id changes, the immutable one stays; for each folder's delta it left one and entered the other. */
export const moveMessage = (world: World, mailbox: Mailbox, message: Message, target: Folder): void => {
  leave(mailbox, folderOf(mailbox, message), message);
  announce(world, mailbox, message, 'deleted', { moved: true });
  message.generation++;
  message.version++;
  message.modified = world.now();
  enter(mailbox, target, message);
  announce(world, mailbox, message, 'created', { moved: true });
};

export const removeMessage = (world: World, mailbox: Mailbox, message: Message): void => {
  leave(mailbox, folderOf(mailbox, message), message);
  removeSorted(mailbox.timeline, message);
  mailbox.messages.delete(message.seq);
  announce(world, mailbox, message, 'deleted');
};

/** A message that was removed comes back elsewhere: same immutable id, new ordinary one. */
export const restoreMessage = (
  world: World,
  mailbox: Mailbox,
  folder: Folder,
  message: Message,
  changes: Partial<Message>,
): void => {
  Object.assign(message, changes);
  message.generation++;
  message.version++;
  message.modified = world.now();
  mailbox.messages.set(message.seq, message);
  insertSorted(mailbox.timeline, message);
  enter(mailbox, folder, message);
  announce(world, mailbox, message, 'created');
};

export const copyMessage = (world: World, mailbox: Mailbox, message: Message, target: Folder): Message => {
  const {
    seq: _seq,
    generation: _generation,
    version: _version,
    folderId: _folder,
    modified: _modified,
    ...fields
  } = message;
  return addMessage(world, mailbox, target, {
    ...structuredClone(fields),
    created: world.now(),
  });
};
