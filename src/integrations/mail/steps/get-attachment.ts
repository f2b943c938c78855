import { z } from 'zod';
import { defineStep, path, quoted, sameName, type Upstream, wrong } from '#kit';
import { wholeList } from '../collect.ts';
import { belowMessage, messageKey } from '../messages.ts';
import { attachmentOf, Mailbox, MessageId, WireAttachment } from '../shapes.ts';
import { prefer } from '../wire.ts';

const inlined = 100_000;
const mostBytes = 150 * 1024 * 1024;
const readable = /^(?:text\/|application\/(?:json|xml|.*\+(?:json|xml))\b)/i;

const find = async (
  upstream: Upstream,
  where: { mailbox: string | undefined; message: string },
  given: string,
): Promise<ReturnType<typeof attachmentOf>> => {
  const query = { $select: 'id,name,contentType,size,isInline' };
  const list = belowMessage(where.mailbox, where.message, path`/attachments`);
  const all = (await wholeList(upstream, list, query, WireAttachment)).map(attachmentOf);
  const byId = all.find(({ id }) => id === given);
  const found = byId === undefined ? all.filter(({ name }) => sameName(name, given)) : [byId];
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const candidates = (found.length > 1 ? found : all).map(({ id, name, size }) => ({ id, name, size }));
  const message =
    found.length > 1
      ? `Several attachments are called "${given}"; use the id of one.`
      : `This message has no attachment "${given}".`;
  throw wrong('attachmentId', message, { candidates });
};

export const getAttachment = defineStep({
  name: 'get_attachment',
  title: 'Get Attachment',
  group: 'Email',
  purpose: 'Store an attachment of a message and answer a reference to it; short texts are answered too.',
  effect: 'read',
  scopes: [['Mail.Read', 'Mail.ReadWrite']],
  input: z.object({
    messageId: MessageId,
    attachmentId: z.string().trim().min(1).max(1_500).describe('Attachment, by id or exact name.'),
    filename: z.string().min(1).max(255).optional().describe('Name to store it under; its own if left out.'),
    mailbox: Mailbox,
  }),
  output: z.object({
    id: z.string(),
    name: z.string(),
    contentType: z.string(),
    size: z.number(),
    ref: z.string().describe('Reference of the stored file, kept for 7 days; other steps take it as an attachment.'),
    text: z.string().optional().describe('The content, where it is text and not long.'),
  }),
  summary: ({ name }) => `Stored the attachment ${quoted(name)}.`,
  run: async ({ messageId, attachmentId, filename, mailbox }, { upstream, files }) => {
    const message = await messageKey({ upstream, mailbox }, messageId);
    const { id, name, kind, contentType } = await find(upstream, { mailbox, message }, attachmentId);
    if (kind === 'link') {
      throw wrong('attachmentId', `"${name}" is a link to a file elsewhere, which is not in the mailbox.`);
    }
    const type = kind === 'item' ? 'message/rfc822' : (contentType ?? 'application/octet-stream');
    const file = files.create({ name: filename ?? (name === '' ? 'attachment' : name), contentType: type });
    await upstream.download(belowMessage(mailbox, message, path`/attachments/${id}/$value`), {
      headers: prefer(),
      into: file.write,
      maxBytes: mostBytes,
    });
    const stored = await file.keep();
    const short = readable.test(type) && stored.size <= inlined;
    return { id, ...stored, ...(short ? { text: (await files.read(stored.ref)).bytes.toString('utf8') } : {}) };
  },
});
