import { z } from 'zod';
import { Fault, type FileRef, type Files, type Path, path, type StepContext, type Upstream, type Verdict } from '#kit';
import type { Attachments } from './attachments.ts';
import { wholeList } from './collect.ts';
import { belowMessage } from './messages.ts';
import { WireAttachment } from './shapes.ts';
import { prefer } from './wire.ts';

/** From here on the service wants an upload session, which takes up to `mostBytes`. */
const inlineBytes = 3 * 1024 * 1024;
const mostBytes = 150 * 1024 * 1024;
const uploading = path`/attachments/createUploadSession`;

export type NewAttachment = FileRef & { contentId: string | undefined };

/** Looks at what is to be attached before anything is written, so that a wrong reference leaves no half-made draft. */
export const readAttachments = async (
  { files, account }: Pick<StepContext, 'files' | 'account'>,
  mailbox: string | undefined,
  given: Attachments,
): Promise<NewAttachment[]> => {
  const { id, address } = account.identity;
  const shared = mailbox !== undefined && ![id, address].some((own) => own?.toLowerCase() === mailbox.toLowerCase());
  const read: NewAttachment[] = [];
  for (const each of given) {
    const { ref = '', name, contentId } = typeof each === 'string' ? { ref: each } : each;
    const file = await files.about(ref);
    if (file.size > mostBytes) {
      throw new Fault('too_large', `"${file.name}" has ${file.size} bytes; an attachment may have 150 MB.`);
    }
    // Upload sessions answer 403 there (known issue of createUploadSession).
    if (shared && file.size >= inlineBytes) {
      const limit = 'in a mailbox that is not the own one, attachments must be smaller than 3 MB';
      throw new Fault('too_large', `"${file.name}" has ${file.size} bytes; ${limit}.`);
    }
    read.push({ ...file, name: name ?? file.name, contentId });
  }
  return read;
};

const inline = ({ contentId }: NewAttachment) => (contentId === undefined ? {} : { contentId, isInline: true });

/** The small ones as the service takes them inside a request. */
export const inlined = async (files: Files, attachment: NewAttachment) => {
  const { ref, name, contentType, size } = attachment;
  if (size >= inlineBytes) {
    throw new Fault(
      'too_large',
      `"${name}" has ${size} bytes; without a copy in Sent Items only 3 MB can be attached.`,
    );
  }
  return {
    '@odata.type': '#microsoft.graph.fileAttachment',
    name,
    contentType,
    contentBytes: (await files.read(ref)).bytes.toString('base64'),
    ...inline(attachment),
  };
};

/** Attaches one after the other to a draft. Only one of them, or a part of a large one, is held at a time. */
export const attach = async (
  { upstream, files }: Pick<StepContext, 'upstream' | 'files'>,
  { mailbox, id }: { mailbox: string | undefined; id: string },
  attachments: readonly NewAttachment[],
): Promise<void> => {
  const headers = prefer();
  for (const each of attachments) {
    const { ref, name, contentType, size } = each;
    if (size < inlineBytes) {
      const body = await inlined(files, each);
      await upstream.post(belowMessage(mailbox, id, path`/attachments`), { body, headers });
      continue;
    }
    const body = { AttachmentItem: { attachmentType: 'file', name, size, contentType, ...inline(each) } };
    const content = { size, slice: (from: number, to: number) => files.slice(ref, from, to) };
    await upstream.upload(belowMessage(mailbox, id, uploading), { body, headers, content });
  }
};

const Inlined = z
  .object({ name: z.string(), contentBytes: z.string() })
  .transform(({ name, contentBytes }) => ({ name, size: Buffer.byteLength(contentBytes, 'base64') }));
const Uploaded = z
  .object({ AttachmentItem: z.object({ name: z.string(), size: z.number() }) })
  .transform(({ AttachmentItem }) => AttachmentItem);

export const isAttaching = (target: Path): boolean => target.endsWith('/attachments') || target.endsWith(uploading);

/** Attachments that an uncertain request may have made: of its name and size. */
export const findAttached = async (upstream: Upstream, target: Path, body: unknown): Promise<Verdict> => {
  const { name, size } = z.union([Inlined, Uploaded]).parse(body);
  const query = { $select: 'id,name,contentType,size,isInline' };
  const list = target.replace(/\/createUploadSession$/, '') as Path;
  const value = await wholeList(upstream, list, query, WireAttachment);
  // The size in the mailbox includes a little of the service's own.
  return { made: value.filter((each) => each.name === name && Math.abs((each.size ?? 0) - size) < 2_048) };
};
