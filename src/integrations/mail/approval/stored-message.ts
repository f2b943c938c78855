import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Path, type Reading, type UpstreamRequest } from '#kit';
import { attachmentOf, WireAttachment, WireMessage } from '../shapes.ts';
import { prefer } from '../wire.ts';
import { sha256 } from './message-view.ts';

const fields = [
  ...['id', 'subject', 'body', 'from', 'toRecipients', 'ccRecipients', 'bccRecipients', 'replyTo', 'importance'],
  ...['hasAttachments', 'isDraft'],
];
// Larger ones are known by their name, size and id until they are about to leave.
const hashedBytes = 4 * 1024 * 1024;
const mostBytes = 150 * 1024 * 1024;
const List = z.object({ value: z.array(WireAttachment) });
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

const attachmentsOf = async (reading: Reading, message: Path, isWhole: boolean) => {
  const { upstream } = reading;
  const query = { $select: 'id,name,contentType,size,isInline' };
  const { value } = List.parse(await upstream.get(`${message}/attachments` as Path, { query, headers: prefer() }));
  const read = [];
  for (const each of value) {
    const { id, name, contentType, isInline } = each;
    const size = each.size ?? 0;
    const isLarge = size > hashedBytes;
    const place = `${message}/attachments/${encodeURIComponent(id)}` as Path;
    const content = isLarge
      ? undefined
      : WithContent.parse(await upstream.get(place, { headers: prefer() })).contentBytes;
    read.push({
      name,
      contentType,
      isInline: isInline ?? false,
      size: content ? Buffer.byteLength(content, 'base64') : size,
      ...(content ? { sha256: sha256(content) } : { id }),
      ...(isLarge && isWhole && attachmentOf(each).kind === 'file' ? { sha256: await digestAt(reading, place) } : {}),
    });
  }
  return read;
};

export type StoredMessage = WireMessage & { attachments: Awaited<ReturnType<typeof attachmentsOf>> };

/** A message as the service holds it, with what is attached to it; `isWhole` reads attachments of any size. */
export const readStored = async (reading: Reading, message: Path, isWhole = false): Promise<StoredMessage> => {
  const query = { $select: fields.join(',') };
  const read = WireMessage.parse(await reading.upstream.get(message, { query, headers: prefer() }));
  // Pictures inside the text do not count as attachments there.
  const may = read.hasAttachments === true || /cid:/i.test(read.body?.content ?? '');
  return { ...read, attachments: may ? await attachmentsOf(reading, message, isWhole) : [] };
};

const Made = WireMessage.pick({ id: true, '@odata.etag': true }).extend({
  from: WireMessage.shape.from,
  body: z.object({ content: z.string() }),
});

/**
 * Whether somebody else has written to a draft since we did: then it must be the very text that the service made of ours.
 * Attaching changes a draft too, and its answer does not say how.
 */
export const isOverwritten = (held: StoredMessage, made: readonly unknown[]): boolean => {
  const last = Made.safeParse(made.at(-1));
  if (!last.success || last.data.id !== held.id) return false;
  const { '@odata.etag': etag, from, body } = last.data;
  if (etag === undefined || etag === held['@odata.etag']) return false;
  const sender = (each: StoredMessage['from']) => each?.emailAddress?.address?.toLowerCase();
  return body.content !== held.body?.content || sender(from) !== sender(held.from);
};
