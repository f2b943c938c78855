import { z } from 'zod';
import { Fault, type Files, type Path, path, type Upstream, type Verdict } from '#kit';
import { belowMessage } from './messages.ts';
import { WireAttachment } from './shapes.ts';
import { prefer } from './wire.ts';

/** Files of ours that go along, by reference. */
export const Attachments = z
  .array(
    z.union([
      z.string().min(1).max(100),
      z.object({
        ref: z.string().min(1).max(100).describe('Reference of a stored file.'),
        name: z.string().min(1).max(255).optional().describe('Name to send it under.'),
        contentId: z
          .string()
          .min(1)
          .max(255)
          .optional()
          .describe('For a picture inside the HTML: used there as cid:….'),
      }),
    ]),
  )
  .max(50)
  .default([]);

/** From here on the service wants an upload session. */
const inlineBytes = 3 * 1024 * 1024;

/** Reads what is to be attached before anything is written, so that a wrong reference leaves no half-made draft. */
export const readAttachments = async (files: Files, given: z.output<typeof Attachments>) => {
  const read = [];
  for (const each of given) {
    const { ref, name, contentId } = typeof each === 'string' ? { ref: each } : each;
    const file = await files.read(ref);
    if (file.size >= inlineBytes) {
      throw new Fault('too_large', `"${file.name}" has ${file.size} bytes; an attachment must be smaller than 3 MB.`);
    }
    read.push({
      '@odata.type': '#microsoft.graph.fileAttachment',
      name: name ?? file.name,
      contentType: file.contentType,
      contentBytes: file.bytes.toString('base64'),
      ...(contentId === undefined ? {} : { contentId, isInline: true }),
    });
  }
  return read;
};
export type NewAttachment = Awaited<ReturnType<typeof readAttachments>>[number];

export const attach = async (
  upstream: Upstream,
  { mailbox, id }: { mailbox: string | undefined; id: string },
  files: readonly NewAttachment[],
): Promise<void> => {
  const target = belowMessage(mailbox, id, path`/attachments`);
  for (const body of files) await upstream.post(target, { body, headers: prefer() });
};

const List = z.object({ value: z.array(WireAttachment) });
const Attached = z.object({ name: z.string(), contentBytes: z.string() });

/** Attachments that an uncertain request may have made: of its name and size. */
export const findAttached = async (upstream: Upstream, target: Path, body: unknown): Promise<Verdict> => {
  const { name, contentBytes } = Attached.parse(body);
  const size = Buffer.byteLength(contentBytes, 'base64');
  const query = { $select: 'id,name,contentType,size,isInline' };
  const { value } = List.parse(await upstream.get(target, { query, headers: prefer() }));
  // The size in the mailbox includes a little of the service's own.
  return { made: value.filter((each) => each.name === name && Math.abs((each.size ?? 0) - size) < 2_048) };
};
