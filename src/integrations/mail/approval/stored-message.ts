import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Fault, type Path, type Reading, type Source, type UpstreamRequest } from '#kit';
import { pageAfter } from '../collect.ts';
import { attachmentOf, WireAttachment, WireMessage } from '../shapes.ts';
import { toldLink } from '../told.ts';
import { prefer } from '../wire.ts';
import { sha256, sourceKey } from './message-view.ts';

const fields = [
  ...['id', 'subject', 'body', 'from', 'toRecipients', 'ccRecipients', 'bccRecipients', 'replyTo', 'importance'],
  ...['hasAttachments', 'isDraft'],
];
// What else leaves with a draft.
const along = [
  'sender',
  'isReadReceiptRequested',
  'isDeliveryReceiptRequested',
  'internetMessageHeaders',
  'parentFolderId',
];
// Larger ones are known by their name, size and id until they are about to leave.
const hashedBytes = 4 * 1024 * 1024;
const mostBytes = 150 * 1024 * 1024;
const List = z.object({ value: z.array(WireAttachment), '@odata.nextLink': toldLink });
const mostPages = 100;
const WithContent = z.object({ contentBytes: z.string().nullish() });

/** Which message below which mailbox a path is about, and what is done with it. Names are read as the service does. */
const about =
  /^(.*\/messages(?:\/[^/]+|\('?[^'()/]+'?\)))\/(?:microsoft\.graph\.)?(send|reply|replyall|forward|createreply|createreplyall|createforward)(?:\(\))?\/?$/i;

export type Action = 'send' | 'reply' | 'replyall' | 'forward';

export const actionIn = ({ path }: Pick<UpstreamRequest, 'path'>): { message: Path; action: Action } | undefined => {
  const [, message, action] = about.exec(path) ?? [];
  if (message === undefined || action === undefined) return undefined;
  return { message: message as Path, action: action.toLowerCase().replace('create', '') as Action };
};

/** The digest of content of any size, of which only a piece is held at a time. */
const digestAt = async ({ upstream }: Reading, place: Path): Promise<string> => {
  const hash = createHash('sha256');
  const into = async (chunk: Uint8Array) => void hash.update(chunk);
  await upstream.download(`${place}/$value` as Path, { into, maxBytes: mostBytes, headers: prefer() });
  return hash.digest('hex');
};

const listed = async ({ upstream }: Reading, list: Path): Promise<z.output<typeof List>['value']> => {
  const found = [];
  let query: Record<string, string> = { $select: 'id,name,contentType,size,isInline' };
  for (let page = 0; page < mostPages; page += 1) {
    const { value, '@odata.nextLink': next } = List.parse(await upstream.get(list, { query, headers: prefer() }));
    found.push(...value);
    if (next === undefined) return found;
    query = Object.fromEntries(pageAfter(next));
  }
  throw new Fault('conflict', 'This mail has more files than can be shown.');
};

/** Of an event the service describes no way to read a file but with all that it says of it. */
export const contentAt = async ({ upstream }: Reading, place: Path): Promise<Uint8Array | undefined> => {
  const { contentBytes } = WithContent.parse(await upstream.get(place, { headers: prefer() }));
  return typeof contentBytes === 'string' ? Buffer.from(contentBytes, 'base64') : undefined;
};

/** Under this name what is attached tells where it is. */
const placeKey = Symbol('place');
export const placeOf = (attached: { [placeKey]: Path }): Path => attached[placeKey];

/** What is attached to a message or an event; `isWhole` reads it whatever its size. */
export const attachmentsOf = async (reading: Reading, of: Path, isWhole: boolean) => {
  const { upstream } = reading;
  const value = await listed(reading, `${of}/attachments` as Path);
  const read = [];
  for (const each of value) {
    const { id, name, contentType, isInline } = each;
    const size = each.size ?? 0;
    const isLarge = size > hashedBytes;
    const place = `${of}/attachments/${encodeURIComponent(id)}` as Path;
    const content = isLarge
      ? undefined
      : WithContent.parse(await upstream.get(place, { headers: prefer() })).contentBytes;
    const source: Source | undefined =
      attachmentOf(each).kind === 'file' ? { at: `${place}/$value` as Path } : undefined;
    read.push({
      [placeKey]: place,
      [sourceKey]: source,
      name,
      contentType,
      isInline: isInline ?? false,
      size: content ? Buffer.byteLength(content, 'base64') : size,
      ...(content ? { sha256: sha256(content) } : { id }),
      ...(isLarge && isWhole && source !== undefined ? { sha256: await digestAt(reading, place) } : {}),
    });
  }
  return read;
};

export type StoredMessage = WireMessage & { attachments: Awaited<ReturnType<typeof attachmentsOf>> };

/**
 * A message as the service holds it, with what is attached to it; `isWhole` reads attachments of any size. It says itself
 * only of some whether they are there: those that count as inside of its text may be in no place of it.
 */
export const readStored = async (reading: Reading, message: Path, isWhole = false): Promise<StoredMessage> => {
  const read = WireMessage.parse(await reading.upstream.get(message, selecting(fields)));
  return { ...read, attachments: await attachmentsOf(reading, message, isWhole) };
};

const selecting = (names: readonly string[]) => ({ query: { $select: names.join(',') }, headers: prefer() });

const Along = z.object({
  from: WireMessage.shape.from,
  sender: WireMessage.shape.sender,
  isReadReceiptRequested: z.boolean().nullish(),
  isDeliveryReceiptRequested: z.boolean().nullish(),
  internetMessageHeaders: z.array(z.unknown()).nullish(),
});
const addressOf = (each: StoredMessage['from']) => each?.emailAddress?.address?.toLowerCase();

/** A draft that is about to leave, with all that it takes along. */
export const readDraft = async (reading: Reading, message: Path, isWhole = false) => {
  const answer = await reading.upstream.get(message, selecting([...fields, ...along]));
  const { sender, from, internetMessageHeaders, ...receipts } = Along.parse(answer);
  return {
    ...WireMessage.omit({ sender: true }).parse(answer),
    ...(addressOf(sender) === addressOf(from) ? {} : { sender }),
    ...Object.fromEntries(Object.entries(receipts).filter(([, asked]) => asked === true)),
    internetMessageHeaders: internetMessageHeaders ?? [],
    attachments: await attachmentsOf(reading, message, isWhole),
  };
};

/** Whether it was thrown away: it is still a draft then, and the service would send it. */
export const liesInDeletedItems = async ({ upstream }: Reading, message: Path, folder: string): Promise<boolean> => {
  const [, mailbox] = /^(\/me|\/users(?:\/[^/]+|\('[^']+'\)))/i.exec(message) ?? [];
  if (mailbox === undefined) return false;
  try {
    const found = await upstream.get(`${mailbox}/mailFolders/deleteditems` as Path, selecting(['id']));
    return WireMessage.pick({ id: true }).parse(found).id === folder;
  } catch (error) {
    // Of another's mailbox only some folders may be open.
    if (error instanceof Fault && ['not_found', 'forbidden', 'upstream_rejected'].includes(error.code)) return false;
    throw error;
  }
};

const Made = WireMessage.pick({ id: true, '@odata.etag': true }).extend({
  from: WireMessage.shape.from,
  importance: WireMessage.shape.importance,
  parentFolderId: WireMessage.shape.parentFolderId,
  body: z.object({ content: z.string() }),
});

/**
 * What somebody else has written into a draft since we did: its text must be the very one that the service made of ours, and
 * its sender and importance still the same. Attaching changes a draft too, and its answer does not say how; but not those.
 */
export const overwrittenIn = (held: StoredMessage, made: readonly unknown[], own: string | undefined): string[] => {
  const answers = made.map((each) => Made.safeParse(each).data);
  const at = answers.findLastIndex((each) => each?.id === held.id);
  const ours = answers[at];
  // Whoever throws it away does not want it sent.
  if (ours?.parentFolderId && ours.parentFolderId !== held.parentFolderId) return ['folder'];
  if (ours?.['@odata.etag'] === undefined || ours['@odata.etag'] === held['@odata.etag']) return [];
  const [sender, was] = [addressOf(held.from), addressOf(ours.from)];
  // Where the answer named no sender, it is the account.
  const isSame = sender === was || (was === undefined && sender === own?.toLowerCase());
  const isLast = at === made.length - 1;
  const isAsUrgent = !ours.importance || held.importance === ours.importance;
  return [
    ...(isSame ? [] : ['from']),
    ...(isAsUrgent ? [] : ['importance']),
    ...(isLast && ours.body.content !== held.body?.content ? ['body'] : []),
  ];
};
