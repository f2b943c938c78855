import { z } from 'zod';
import { type Gathering, placeAt } from '#kit';

const Told = z.union([
  z.object({ attachmentId: z.string() }),
  z.object({ id: z.string() }),
  z.object({ ref: z.object({ attachmentId: z.string() }) }),
]);
const Content = z.union([z.object({ contentBytes: z.unknown() }), z.object({ content: z.unknown() })]);

/** What to do first with an attachment as a message or an event tells of it, or with content itself. */
const nextFor = (given: unknown): string | undefined => {
  if (Content.safeParse(given).success) {
    return 'must be the ref of a stored file, or {"name": "…", "text": "…"}: store other content with POST /v1/files?name=…, and give the ref it answers';
  }
  return Told.safeParse(given).success
    ? 'must be the ref of a stored file: call Get Attachment (get_attachment) with this messageId and attachmentId, and give the ref it answers'
    : undefined;
};

const isAddress = (ref: string): boolean => /^[a-z][a-z\d+.-]*:\/\//i.test(ref);

// Told in words of its own: an address may be that long, but nobody writes paragraphs here.
const longest = 4_000;
const Ref = z
  .string()
  .min(1)
  .refine((ref) => ref.length <= longest, `must have at most ${longest} characters`);

// One shape for both ways: a form could not tell apart which of two an object is.
const Described = z.strictObject({
  ref: Ref.optional().describe('Reference of a stored file, or an https:// address that the file is loaded from.'),
  name: z.string().min(1).max(255).optional().describe('Name to send it under; needed with text.'),
  text: z.string().max(1_000_000).optional().describe('Content of a text file, in place of ref.'),
  contentId: z.string().min(1).max(255).optional().describe('For a picture inside the HTML: used there as cid:….'),
});

const Given = z.union([Ref, Described]).superRefine((given, context) => {
  if (typeof given === 'string') return;
  const { ref, name, text } = given;
  if ((ref === undefined) === (text === undefined)) context.addIssue('needs either ref or text');
  if (text !== undefined && name === undefined) {
    context.addIssue({ code: 'custom', path: ['name'], message: 'is needed with text, such as notes.txt' });
  }
});

const Attachment = z.preprocess((given, context) => {
  const next = nextFor(given);
  if (next !== undefined) context.addIssue(next);
  return given;
}, Given);

/** Files that go along: stored ones by reference, those from the web by their address, and short texts as they are. */
export const Attachments = z.array(Attachment).max(50).default([]);
export type Attachments = z.output<typeof Attachments>;

const textTypes: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  htm: 'text/html',
  html: 'text/html',
  ics: 'text/calendar',
  json: 'application/json',
  md: 'text/markdown',
  svg: 'image/svg+xml',
  tsv: 'text/tab-separated-values',
  vcf: 'text/vcard',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
};

const typeFor = (name: string): string => {
  const [, ending = ''] = /\.([a-z]+)$/i.exec(name) ?? [];
  return (Object.hasOwn(textTypes, ending.toLowerCase()) && textTypes[ending.toLowerCase()]) || 'text/plain';
};

/** Loads what is given by its address, and keeps what is given as text. */
export const gatherAttachments = async <Input extends { attachments: Attachments }>(
  input: Input,
  { fromAddress, fromText }: Gathering,
): Promise<Input> => {
  const stored = async (ref: string, at: number): Promise<string> =>
    isAddress(ref) ? fromAddress(ref, placeAt('attachments', at)) : ref;
  const attachments: Attachments = [];
  for (const [at, each] of input.attachments.entries()) {
    if (typeof each === 'string') {
      attachments.push(await stored(each, at));
      continue;
    }
    const { text, ref = '', ...more } = each;
    const { name = 'text.txt' } = more;
    const kept = text === undefined ? stored(ref, at) : fromText({ name, contentType: typeFor(name), text });
    attachments.push({ ...more, ref: await kept });
  }
  return { ...input, attachments };
};
