import { z } from 'zod';
import { defineStep, path, quoted } from '#kit';
import { readBody } from '../body/read-body.ts';
import { fieldsOf, only, wholeList } from '../collect.ts';
import { Authentication, authenticationOf, isAutomatic, WireHeaders } from '../message-headers.ts';
import { belowMessage, messageKey, messagePath } from '../messages.ts';
import {
  AttachmentSummary,
  attachmentOf,
  fullFields,
  fullOf,
  Mailbox,
  MessageFull,
  MessageId,
  WireAttachment,
  WireMessage,
} from '../shapes.ts';
import { utcZone, ZoneInput } from '../times.ts';
import { prefer } from '../wire.ts';
import { zoneNamed } from '../zones.ts';

const WithHeaders = WireMessage.extend({ internetMessageHeaders: WireHeaders });
const forwarded = /^\s*(?:fwd?|wg|tr|rv|enc|doorst|vb|vs)\s*:/i;

const Output = MessageFull.partial().extend({
  id: z.string(),
  body: z.string().optional(),
  bodyFormat: z.enum(['text', 'html']).optional(),
  bodyLength: z.number().optional().describe('Characters of the whole body.'),
  bodyTruncated: z.boolean().optional().describe('Whether more of the body follows.'),
  quotedRemoved: z.boolean().optional().describe('Whether quoted mails were left out.'),
  attachments: z.array(AttachmentSummary).optional(),
  authentication: Authentication.optional().describe('What the receiving server found out about the sender.'),
  isAutomatic: z.boolean().optional().describe('Set where a machine wrote it, such as an absence note.'),
});

export const getEmail = defineStep({
  name: 'get_email',
  title: 'Get Email',
  group: 'Email',
  purpose: 'Read one message: people, text and a list of its attachments.',
  effect: 'read',
  scopes: [['Mail.Read', 'Mail.ReadWrite']],
  input: z.object({
    messageId: MessageId,
    bodyFormat: z
      .enum(['text', 'html'])
      .default('text')
      .describe('Plain text as a person reads it, or the HTML as it is; text where a mail has no HTML.'),
    maxBodyChars: z.int().min(1).max(100_000).default(10_000).describe('How much of the body to answer at most.'),
    bodyOffset: z
      .int()
      .min(0)
      .default(0)
      .describe('Where in the body to begin: read on with what was answered so far.'),
    includeQuoted: z.boolean().default(false).describe('Keep the earlier mails that the text quotes.'),
    timeZone: ZoneInput.describe('Zone in which times are shown; UTC if left out.'),
    fields: fieldsOf(Output, ''),
    mailbox: Mailbox,
  }),
  output: Output,
  summary: ({ subject }) =>
    subject === undefined ? 'Read the mail.' : `Read the mail ${quoted(subject, 'without a subject')}.`,
  run: async (input, { upstream }) => {
    const { messageId, bodyFormat, maxBodyChars, bodyOffset, includeQuoted, timeZone, fields, mailbox } = input;
    const where = { upstream, mailbox };
    const key = await messageKey(where, messageId);
    const $select = [...fullFields, 'body', 'internetMessageHeaders'].join(',');
    const headers = prefer();
    const message = WithHeaders.parse(await upstream.get(messagePath(mailbox, key), { query: { $select }, headers }));
    // Attachments are asked for without their content, which lists would carry along.
    const query = { $select: 'id,name,contentType,size,isInline' };
    const list = belowMessage(mailbox, key, path`/attachments`);
    const value = await wholeList(upstream, list, query, WireAttachment);
    const body = readBody(message.body ?? {}, {
      format: bodyFormat,
      maxChars: maxBodyChars,
      offset: bodyOffset,
      keepQuoted: includeQuoted || forwarded.test(message.subject ?? ''),
    });
    const { preview, ...head } = fullOf(message, timeZone === undefined ? utcZone : zoneNamed(timeZone));
    const whole = {
      ...head,
      // Beside the body, it says nothing more.
      ...(fields?.includes('preview') ? { preview } : {}),
      body: body.text,
      bodyFormat: body.format,
      bodyLength: body.length,
      bodyTruncated: body.truncated,
      quotedRemoved: body.quotedRemoved,
      attachments: value.map(attachmentOf),
      authentication: authenticationOf(message.internetMessageHeaders),
      ...(isAutomatic(message.internetMessageHeaders, head.from?.address) ? { isAutomatic: true } : {}),
    };
    return only(whole, fields);
  },
});
