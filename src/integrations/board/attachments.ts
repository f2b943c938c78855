import { z } from 'zod';
import { Fault, path, type StepContext, wrong } from '#kit';
import { formWith } from './multipart.ts';
import { Attachment } from './shapes.ts';

// What the service takes of members without a paid plan; with one it is more.
const mostBytes = 10 * 1024 * 1024;
const longestName = 256;

export const NewAttachment = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .max(4_000)
    .optional()
    .describe('Address of a link.'),
  file: z.string().max(100).optional().describe('Reference of a stored file.'),
  name: z.string().min(1).max(longestName).optional().describe('Name to show.'),
  setCover: z.boolean().default(false).describe('Whether it becomes the cover.'),
});
export type NewAttachment = z.output<typeof NewAttachment>;

/** Also by itself, as models like to write it: an address, or the reference of a stored file. */
export const AnyAttachment = z.preprocess((given) => {
  if (typeof given !== 'string') return given;
  return /^https?:\/\//i.test(given) ? { url: given } : { file: given };
}, NewAttachment);

/** Refuses what is neither a link nor a file, or both, and a file that is not there or too large. */
export const checkAttachment = async (
  { url, file }: NewAttachment,
  { files }: Pick<StepContext, 'files'>,
  /** Where it stands among others. */
  place = '',
): Promise<void> => {
  if ((url === undefined) === (file === undefined)) {
    const fields = [`${place}url`, `${place}file`];
    throw wrong(fields, 'Give either the url of a link or the file reference of a stored file.');
  }
  if (file !== undefined && (await files.about(file)).size > mostBytes) {
    throw new Fault('too_large', 'Files of up to 10 MB can be attached; attach a link to a larger one.');
  }
};

/** Attaches a link or a stored file. `n` is its place among the things this run makes. */
export const attachTo = async (
  idCard: string,
  attachment: NewAttachment,
  { upstream, files, mark }: Pick<StepContext, 'upstream' | 'files' | 'mark'>,
  n = 1,
) => {
  await checkAttachment(attachment, { files });
  const { url, file, name, setCover } = attachment;
  const place = path`/1/cards/${idCard}/attachments`;
  if (file === undefined) {
    // A link without a name goes by its address, which may be longer than a name.
    const body = { url, name: (name ?? url ?? '').slice(0, longestName), setCover };
    return Attachment.parse(await upstream.post(place, { body }));
  }
  const stored = await files.read(file);
  const form = formWith({ ...stored, name: name ?? stored.name }, setCover, mark(n));
  return Attachment.parse(await upstream.post(place, form));
};
