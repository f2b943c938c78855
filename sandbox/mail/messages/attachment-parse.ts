import { GraphError, invalidBody } from '../graph-error.ts';
import { newItemId } from '../ids.ts';
import type { Attachment, Mailbox } from '../mailbox.ts';
import { pick, readFlag, readObject, readText } from '../values.ts';

export const threeMegabytes = 3 * 1024 * 1024;

const optionalText = (value: unknown, name: string): string | null =>
  value === undefined || value === null ? null : readText(value, name);

const decodeBase64 = (text: string): Uint8Array => {
  if (text.length % 4 === 1 || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) {
    throw invalidBody("Cannot convert the literal to the expected type 'Edm.Binary'.");
  }
  return Buffer.from(text, 'base64');
};

/** An attachment in JSON, by its `@odata.type`. Files of 3 MB and more need an upload session. */
export const readAttachment = (mailbox: Mailbox, value: unknown, now: number): Attachment => {
  const object = readObject(value, 'attachment');
  const type = readText(object['@odata.type'] ?? '', '@odata.type').toLowerCase();
  const kind = /^#?microsoft\.graph\.(file|item|reference)attachment$/.exec(type)?.[1];
  if (kind === undefined) {
    throw invalidBody(
      "The attachment needs an '@odata.type' of fileAttachment, itemAttachment or referenceAttachment.",
    );
  }
  const base = {
    id: newItemId(mailbox),
    name: readText(pick(object, 'name') ?? '', 'name'),
    contentType: optionalText(pick(object, 'contentType'), 'contentType'),
    isInline: readFlag(pick(object, 'isInline') ?? false, 'isInline'),
    contentId: optionalText(pick(object, 'contentId'), 'contentId'),
    modified: now,
  };
  if (base.name === '') throw new GraphError(400, 'ErrorInvalidRequest', "Required property 'name' is missing.");
  if (kind === 'reference') return { ...base, kind, size: 0 };
  if (kind === 'item') {
    const item = readObject(pick(object, 'item'), 'item');
    return { ...base, kind, item, size: JSON.stringify(item).length };
  }
  const content = decodeBase64(readText(pick(object, 'contentBytes') ?? '', 'contentBytes'));
  if (content.length >= threeMegabytes) {
    throw new GraphError(
      413,
      'RequestEntityTooLarge',
      'The attachment is too large; use an upload session from 3 MB on.',
    );
  }
  const contentType = base.contentType ?? 'application/octet-stream';
  return { ...base, kind: 'file', contentType, content, size: content.length };
};
