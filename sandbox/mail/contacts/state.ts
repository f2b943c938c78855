import type { ExtendedProperty, Json } from '../mailbox.ts';

/* Plain data: no classes, so that a snapshot is one structuredClone. */

export type Contact = {
  seq: number;
  version: number;
  /** The count of changes when it last changed: what delta goes by. */
  changedAt: number;
  folderId: string;
  created: number;
  modified: number;
  /** As on the wire, by canonical name. */
  fields: Json;
  extended: ExtendedProperty[];
};

export type ContactFolder = { id: string; displayName: string; parentId: string; version: number };

export type ContactsState = {
  /** Without the default folder, which is not listed. */
  folders: Map<string, ContactFolder>;
  defaultFolderId: string;
  contacts: Map<number, Contact>;
  clock: number;
  removed: { at: number; folderId: string; id: string }[];
  /** Delta tokens older than this are gone. */
  forgotten: number;
};

export const emptyContacts = (): ContactsState => ({
  folders: new Map(),
  defaultFolderId: '',
  contacts: new Map(),
  clock: 0,
  removed: [],
  forgotten: 0,
});
