import { itemNotFound } from '../graph-error.ts';
import { assertId, changeKey, etag, immutableId, newFolderId, readId, restId } from '../ids.ts';
import type { Json, Mailbox } from '../mailbox.ts';
import { wireTime } from '../text.ts';
import type { World } from '../world.ts';
import { applyChanges, type ContactChanges, emptyFields } from './fields.ts';
import type { Contact, ContactFolder } from './state.ts';

const remembered = 5000;

/** The folder that /me/contacts shows; made when first asked for. */
export const defaultFolderId = (mailbox: Mailbox): string => {
  const { contacts } = mailbox;
  if (contacts.defaultFolderId === '') contacts.defaultFolderId = newFolderId(mailbox);
  return contacts.defaultFolderId;
};

export const addFolder = (
  mailbox: Mailbox,
  displayName: string,
  parentId = defaultFolderId(mailbox),
): ContactFolder => {
  const folder = { id: newFolderId(mailbox), displayName, parentId, version: 1 };
  mailbox.contacts.folders.set(folder.id, folder);
  return folder;
};

/** A folder by id; `contacts` is the default one's well-known name. */
export const findFolderId = (mailbox: Mailbox, id: string): string => {
  const usual = defaultFolderId(mailbox);
  if (id.toLowerCase() === 'contacts' || id === usual) return usual;
  if (!mailbox.contacts.folders.has(assertId(id))) throw itemNotFound();
  return id;
};

export const contactsIn = (mailbox: Mailbox, folderId: string): Contact[] =>
  [...mailbox.contacts.contacts.values()].filter((contact) => contact.folderId === folderId);

export const contactId = (mailbox: Mailbox, contact: Contact, immutable = false): string =>
  immutable ? immutableId(mailbox, contact) : restId(mailbox, { seq: contact.seq, generation: 0 });

export const findContact = (mailbox: Mailbox, id: string): Contact => {
  const { tag, seq } = readId(id);
  const contact = tag === mailbox.tag ? mailbox.contacts.contacts.get(seq) : undefined;
  if (contact === undefined) throw itemNotFound();
  return contact;
};

export const renderContact = (mailbox: Mailbox, contact: Contact, immutable = false): Json => {
  const key = changeKey(contact.seq, contact.version);
  return {
    '@odata.etag': etag(key),
    id: contactId(mailbox, contact, immutable),
    createdDateTime: wireTime(contact.created),
    lastModifiedDateTime: wireTime(contact.modified),
    changeKey: key,
    parentFolderId: contact.folderId,
    ...contact.fields,
  };
};

const announce = (
  world: World,
  mailbox: Mailbox,
  contact: Contact,
  change: 'created' | 'updated' | 'deleted',
  before?: Json,
): void =>
  world.announce({
    mailbox,
    kind: 'contact',
    change,
    id: contactId(mailbox, contact),
    immutableId: contactId(mailbox, contact, true),
    etag: etag(changeKey(contact.seq, contact.version)),
    folderId: contact.folderId,
    entity: change === 'deleted' ? undefined : renderContact(mailbox, contact),
    before,
  });

export const createContact = (world: World, mailbox: Mailbox, folderId: string, changes: ContactChanges): Contact => {
  const now = world.now();
  const contact: Contact = {
    seq: mailbox.nextSeq++,
    version: 1,
    changedAt: ++mailbox.contacts.clock,
    folderId,
    created: now,
    modified: now,
    fields: applyChanges(emptyFields(), changes),
    extended: changes.extended ?? [],
  };
  mailbox.contacts.contacts.set(contact.seq, contact);
  announce(world, mailbox, contact, 'created');
  return contact;
};

export const updateContact = (world: World, mailbox: Mailbox, contact: Contact, changes: ContactChanges): void => {
  const before = renderContact(mailbox, contact);
  contact.fields = applyChanges(contact.fields, changes);
  contact.extended = changes.extended ?? contact.extended;
  contact.version++;
  contact.modified = world.now();
  contact.changedAt = ++mailbox.contacts.clock;
  announce(world, mailbox, contact, 'updated', before);
};

export const removeContact = (world: World, mailbox: Mailbox, contact: Contact): void => {
  const { contacts } = mailbox;
  contacts.contacts.delete(contact.seq);
  contacts.removed.push({ at: ++contacts.clock, folderId: contact.folderId, id: contactId(mailbox, contact) });
  if (contacts.removed.length > remembered) {
    for (const { at } of contacts.removed.splice(0, remembered / 2)) contacts.forgotten = at;
  }
  announce(world, mailbox, contact, 'deleted', renderContact(mailbox, contact));
};

export const removeFolder = (world: World, mailbox: Mailbox, folder: ContactFolder): void => {
  for (const contact of contactsIn(mailbox, folder.id)) removeContact(world, mailbox, contact);
  for (const inner of mailbox.contacts.folders.values()) {
    if (inner.parentId === folder.id) removeFolder(world, mailbox, inner);
  }
  mailbox.contacts.folders.delete(folder.id);
};
