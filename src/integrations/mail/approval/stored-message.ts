import { z } from 'zod';
import { type Path, type Reading, type UpstreamRequest } from '#kit';
import { WireAttachment, WireMessage } from '../shapes.ts';
import { prefer } from '../wire.ts';
import { sha256 } from './message-view.ts';

const fields = [
  ...['id', 'subject', 'body', 'from', 'toRecipients', 'ccRecipients', 'bccRecipients', 'replyTo', 'importance'],
  ...['hasAttachments', 'isDraft'],
];
// Larger ones are known by their name, size and id.
const hashedBytes = 4 * 1024 * 1024;
const List = z.object({ value: z.array(WireAttachment) });
const WithContent = z.object({ contentBytes: z.string().nullish() });

/** Which message below which mailbox a path is about, and what is done with it. Names are read as the service does. */
const about =
  /^(.*\/messages(?:\/[^/]+|\('[^']+'\)))\/(?:microsoft\.graph\.)?(send|reply|replyall|forward|createreply|createreplyall|createforward)\/?$/i;

export type Action = 'send' | 'reply' | 'replyall' | 'forward';

export const actionIn = ({ path }: Pick<UpstreamRequest, 'path'>): { message: Path; action: Action } | undefined => {
  const [, message, action] = about.exec(path) ?? [];
  if (message === undefined || action === undefined) return undefined;
  return { message: message as Path, action: action.toLowerCase().replace('create', '') as Action };
};

const attachmentsOf = async ({ upstream }: Reading, message: Path) => {
  const query = { $select: 'id,name,contentType,size,isInline' };
  const { value } = List.parse(await upstream.get(`${message}/attachments` as Path, { query, headers: prefer() }));
  const read = [];
  for (const each of value) {
    const { id, name, contentType, isInline } = each;
    const size = each.size ?? 0;
    const place = `${message}/attachments/${encodeURIComponent(id)}` as Path;
    const content =
      size > hashedBytes ? undefined : WithContent.parse(await upstream.get(place, { headers: prefer() })).contentBytes;
    read.push({
      name,
      contentType,
      isInline: isInline ?? false,
      size: content ? Buffer.byteLength(content, 'base64') : size,
      ...(content ? { sha256: sha256(content) } : { id }),
    });
  }
  return read;
};

export type StoredMessage = WireMessage & { attachments: Awaited<ReturnType<typeof attachmentsOf>> };

/** A message as the service holds it, with what is attached to it. */
export const readStored = async (reading: Reading, message: Path): Promise<StoredMessage> => {
  const query = { $select: fields.join(',') };
  const read = WireMessage.parse(await reading.upstream.get(message, { query, headers: prefer() }));
  // Pictures inside the text do not count as attachments there.
  const may = read.hasAttachments === true || /cid:/i.test(read.body?.content ?? '');
  return { ...read, attachments: may ? await attachmentsOf(reading, message) : [] };
};
