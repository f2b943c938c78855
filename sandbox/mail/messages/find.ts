import { itemNotFound } from '../graph-error.ts';
import { readId } from '../ids.ts';
import type { Folder, Mailbox, Message } from '../mailbox.ts';

/** By either id. After a move the old ordinary id is unknown. */
export const findMessage = (mailbox: Mailbox, id: string): Message => {
  const read = readId(id);
  const message = read.tag === mailbox.tag ? mailbox.messages.get(read.seq) : undefined;
  if (message === undefined || read.kind === 'folder') throw itemNotFound();
  if (read.kind === 'ordinary' && read.generation !== message.generation) throw itemNotFound();
  return message;
};

/** By id or well-known name (any letter case). */
export const findFolder = (mailbox: Mailbox, idOrName: string): Folder => {
  const id = mailbox.wellKnown.get(idOrName.toLowerCase()) ?? idOrName;
  const folder = mailbox.folders.get(id);
  if (folder !== undefined) return folder;
  readId(id);
  throw itemNotFound();
};

export const wellKnownFolder = (mailbox: Mailbox, name: string): Folder => {
  const folder = mailbox.folders.get(mailbox.wellKnown.get(name) ?? '');
  if (folder === undefined) throw itemNotFound();
  return folder;
};
