import type { Attachment, Json } from '../mailbox.ts';
import { wireTime } from '../text.ts';

const made = new TextEncoder().encode('Sandbox attachment. ');

/** The bytes of a file; a seeded one of which only the size is known repeats a sentence. */
export const contentOf = (attachment: Attachment): Uint8Array => {
  if (attachment.content !== undefined) return attachment.content;
  const content = new Uint8Array(attachment.size);
  for (let at = 0; at < content.length; at++) content[at] = made[at % made.length] as number;
  return content;
};

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

/** As on the wire: a file brings its content, an item only when expanded. */
export const attachmentView = (attachment: Attachment, options: { item?: boolean; content?: boolean } = {}): Json => {
  const common = {
    '@odata.type': `#microsoft.graph.${attachment.kind}Attachment`,
    '@odata.mediaContentType': attachment.contentType ?? 'application/octet-stream',
    id: attachment.id,
    lastModifiedDateTime: wireTime(attachment.modified),
    name: attachment.name,
    contentType: attachment.contentType,
    size: attachment.size,
    isInline: attachment.isInline,
  };
  if (attachment.kind === 'item') return options.item ? { ...common, item: attachment.item ?? null } : common;
  if (attachment.kind === 'reference') return common;
  return {
    ...common,
    contentId: attachment.contentId,
    contentLocation: null,
    ...(options.content === false ? {} : { contentBytes: base64(contentOf(attachment)) }),
  };
};
