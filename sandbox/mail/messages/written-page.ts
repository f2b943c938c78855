import type { Mailbox, Message } from '../mailbox.ts';
import { messageView } from './view.ts';

/** A message as lists show it, in bytes, kept until the message changes. */
const written = new WeakMap<Message, { version: number; bytes: Buffer }>();

const writtenMessage = (mailbox: Mailbox, message: Message): Buffer => {
  const kept = written.get(message);
  if (kept !== undefined && kept.version === message.version) return kept.bytes;
  const bytes = Buffer.from(JSON.stringify(messageView(mailbox, message)));
  written.set(message, { version: message.version, bytes });
  return bytes;
};

const comma = ','.charCodeAt(0);

const join = (start: string, items: readonly Buffer[], end: string): Buffer => {
  const between = Math.max(0, items.length - 1) + Buffer.byteLength(start) + Buffer.byteLength(end);
  const bytes = Buffer.allocUnsafe(items.reduce((sum, { length }) => sum + length, between));
  let at = bytes.write(start);
  for (const [index, item] of items.entries()) {
    if (index > 0) bytes[at++] = comma;
    at += item.copy(bytes, at);
  }
  bytes.write(end, at);
  return bytes;
};

type Page = { items: readonly Buffer[]; bytes: Buffer };
const pages = new WeakMap<Mailbox, Map<string, Page>>();
const pagesKept = 20;
const largestKept = 65_536;

const pagesOf = (mailbox: Mailbox): Map<string, Page> => {
  const known = pages.get(mailbox) ?? new Map<string, Page>();
  pages.set(mailbox, known);
  return known;
};

/** Messages between two texts. Whoever polls asks again: while each message is the very same, so is the page. */
export const writtenPage = (mailbox: Mailbox, start: string, messages: readonly Message[], end: string): Buffer => {
  const items = messages.map((message) => writtenMessage(mailbox, message));
  const known = pagesOf(mailbox);
  const key = start + end;
  const kept = known.get(key);
  if (kept?.items.length === items.length && items.every((item, at) => item === kept.items[at])) return kept.bytes;
  const bytes = join(start, items, end);
  if (known.size >= pagesKept) known.clear();
  if (bytes.length <= largestKept) known.set(key, { items, bytes });
  return bytes;
};
