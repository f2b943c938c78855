import { newFolder } from '../create-mailbox.ts';
import { badRequest, GraphError } from '../graph-error.ts';
import { changeKey, etag } from '../ids.ts';
import type { Folder, Json, Mailbox } from '../mailbox.ts';
import { copyMessage, removeMessage } from '../messages/store.ts';
import type { World } from '../world.ts';

export const folderView = (folder: Folder): Json => ({
  '@odata.etag': etag(changeKey(0, folder.version)),
  id: folder.id,
  displayName: folder.displayName,
  parentFolderId: folder.parentId,
  childFolderCount: folder.children.length,
  unreadItemCount: folder.unread,
  totalItemCount: folder.messages.length,
  isHidden: folder.isHidden,
});

const note = (mailbox: Mailbox, folder: Folder, removed = false): void => {
  folder.version++;
  mailbox.folderChanges.push({ at: ++mailbox.clock, id: folder.id, removed });
};

const refuseTwin = (mailbox: Mailbox, parent: Folder, name: string, self?: Folder): void => {
  const twin = parent.children.some((id) => {
    const folder = mailbox.folders.get(id);
    return folder !== self && folder?.displayName.toLowerCase() === name.toLowerCase();
  });
  if (twin) {
    throw new GraphError(409, 'ErrorFolderExists', 'A folder with the specified name already exists.');
  }
};

const cleanName = (name: string): string => {
  if (name.trim() === '') throw badRequest('The folder display name is required.');
  return name;
};

export const addFolder = (mailbox: Mailbox, parent: Folder, name: string, isHidden: boolean): Folder => {
  refuseTwin(mailbox, parent, cleanName(name));
  const folder = { ...newFolder(mailbox, name, parent.id), isHidden };
  mailbox.folders.set(folder.id, folder);
  parent.children.push(folder.id);
  note(mailbox, folder);
  return folder;
};

const refuseDistinguished = (folder: Folder): void => {
  if (folder.wellKnown === null) return;
  throw new GraphError(403, 'ErrorDeleteDistinguishedFolder', 'Distinguished folders cannot be changed.');
};

export const renameFolder = (mailbox: Mailbox, folder: Folder, name: string): void => {
  refuseDistinguished(folder);
  const parent = mailbox.folders.get(folder.parentId ?? '');
  if (parent !== undefined) refuseTwin(mailbox, parent, cleanName(name), folder);
  folder.displayName = name;
  note(mailbox, folder);
};

const isWithin = (mailbox: Mailbox, folder: Folder | undefined, ancestor: Folder): boolean => {
  for (let at = folder; at !== undefined; at = mailbox.folders.get(at.parentId ?? '')) if (at === ancestor) return true;
  return false;
};

const detach = (mailbox: Mailbox, folder: Folder): void => {
  const parent = mailbox.folders.get(folder.parentId ?? '');
  if (parent !== undefined) parent.children = parent.children.filter((id) => id !== folder.id);
};

/** Folder ids do not change when they move. */
export const moveFolder = (mailbox: Mailbox, folder: Folder, target: Folder): void => {
  refuseDistinguished(folder);
  if (isWithin(mailbox, target, folder)) {
    throw new GraphError(400, 'ErrorMoveCopyFailed', 'The folder cannot be moved into itself or one of its children.');
  }
  if (folder.parentId === target.id) return;
  refuseTwin(mailbox, target, folder.displayName, folder);
  detach(mailbox, folder);
  folder.parentId = target.id;
  target.children.push(folder.id);
  note(mailbox, folder);
};

export const copyFolder = (world: World, mailbox: Mailbox, folder: Folder, target: Folder): Folder => {
  if (isWithin(mailbox, target, folder)) {
    throw new GraphError(400, 'ErrorMoveCopyFailed', 'The folder cannot be copied into itself or one of its children.');
  }
  const copy = addFolder(mailbox, target, folder.displayName, folder.isHidden);
  for (const message of folder.messages) copyMessage(world, mailbox, message, copy);
  for (const id of folder.children) {
    const child = mailbox.folders.get(id);
    if (child !== undefined) copyFolder(world, mailbox, child, copy);
  }
  return copy;
};

/** Gone with all that is in it. */
export const removeFolder = (world: World, mailbox: Mailbox, folder: Folder): void => {
  refuseDistinguished(folder);
  const children = folder.children.flatMap((id) => mailbox.folders.get(id) ?? []);
  for (const child of children) removeFolder(world, mailbox, child);
  for (let last = folder.messages.at(-1); last !== undefined; last = folder.messages.at(-1)) {
    removeMessage(world, mailbox, last);
  }
  detach(mailbox, folder);
  mailbox.folders.delete(folder.id);
  note(mailbox, folder, true);
};
