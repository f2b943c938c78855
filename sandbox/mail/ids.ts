import { createHash } from 'node:crypto';
import { malformedId } from './graph-error.ts';
import type { Mailbox, Message } from './mailbox.ts';

const ordinary = 'AAMkAG';
const immutable = 'AAkALgAAAAAAHYQDEapmEc2byACqAC-EWg0A';
const folder = 'AQMkAG';
const shape =
  /^(AAMkAG|AAkALgAAAAAAHYQDEapmEc2byACqAC-EWg0A|AQMkAG)([A-Za-z0-9_-]{24})([A-Za-z0-9_-]{8})([A-Za-z0-9_-]{4})AAA=$/;

/** The part of an id that names the mailbox, as in the real ones. */
export const mailboxTag = (userId: string): string =>
  createHash('sha256').update(userId).digest('base64url').slice(0, 24);

const number = (value: number, bytes: number): string => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer.toString('base64url');
};

const compose = (prefix: string, tag: string, seq: number, generation: number): string =>
  `${prefix}${tag}${number(seq, 6)}${number(generation, 3)}AAA=`;

/** The ordinary id: another one after each move. */
export const restId = (mailbox: Mailbox, item: Pick<Message, 'seq' | 'generation'>): string =>
  compose(ordinary, mailbox.tag, item.seq, item.generation);

/** The id for `Prefer: IdType="ImmutableId"`. */
export const immutableId = (mailbox: Mailbox, item: Pick<Message, 'seq'>): string =>
  compose(immutable, mailbox.tag, item.seq, 0);

/** A new id that never changes: folders, events, contacts, attachments, categories. */
export const newItemId = (mailbox: Mailbox): string => compose(ordinary, mailbox.tag, mailbox.nextSeq++, 0);
export const newFolderId = (mailbox: Mailbox): string => compose(folder, mailbox.tag, mailbox.nextSeq++, 0);

export type ReadId = { kind: 'ordinary' | 'immutable' | 'folder'; tag: string; seq: number; generation: number };

/** Reads an id somebody sent; what never was one is ErrorInvalidIdMalformed. Ids are case-sensitive. */
export const readId = (id: string): ReadId => {
  const [, prefix, tag = '', seq = '', generation = ''] = shape.exec(id) ?? [];
  if (prefix === undefined) throw malformedId();
  return {
    kind: prefix === immutable ? 'immutable' : prefix === folder ? 'folder' : 'ordinary',
    tag,
    seq: Buffer.from(seq, 'base64url').readUIntBE(0, 6),
    generation: Buffer.from(generation, 'base64url').readUIntBE(0, 3),
  };
};

/** For collections kept by id: refuses malformed ids, so that an unknown one can be answered with 404. */
export const assertId = (id: string): string => {
  readId(id);
  return id;
};

/** A change key, and the etag made of it, from a count of touches. */
export const changeKey = (seq: number, version: number): string => `CQAAABYAAAB${number(seq, 6)}${number(version, 6)}`;
export const etag = (key: string): string => `W/"${key}"`;
