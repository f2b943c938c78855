import { z } from 'zod';
import { defineStep } from '#kit';
import { readAttachments } from '../attach.ts';
import { Attachments, gatherAttachments } from '../attachments.ts';
import { Addressees, Body, BodyFormat, recipientsOf, refuseCrowd } from '../compose.ts';
import { findMail, makeAnswer, sendDraft, sentTo, Written, written } from '../drafts.ts';
import { messageKey } from '../messages.ts';
import { Mailbox, MessageId } from '../shapes.ts';

export const reply = defineStep({
  name: 'reply',
  title: 'Reply',
  group: 'Email',
  purpose: 'Answer a message; what is answered is quoted below.',
  effect: 'send',
  scopes: [['Mail.ReadWrite'], ['Mail.Send']],
  input: z.object({
    messageId: MessageId,
    body: Body.describe('Text of the answer.'),
    bodyFormat: BodyFormat.describe('Whether the body is plain text or HTML.'),
    replyAll: z.boolean().default(false).describe('Answer everybody, not only the sender.'),
    to: Addressees.default([]).describe('Recipients instead of those who would get the answer.'),
    cc: Addressees.default([]).describe('Who gets a copy, instead of those who would get one.'),
    bcc: Addressees.default([]).describe('Who gets a copy that the others do not see.'),
    attachments: Attachments.describe(
      'Files to attach: references of stored files, https:// addresses that are loaded at once (each up to 150 MB), or {name, text}.',
    ),
    asDraft: z.boolean().default(false).describe('Only make the draft; send it later with send_draft.'),
    mailbox: Mailbox,
  }),
  output: Written.extend({ sent: z.boolean() }),
  summary: (output) => (output.sent ? sentTo(output) : 'Saved the reply as a draft; nothing was sent.'),
  sends: ({ asDraft }) => !asDraft,
  gather: gatherAttachments,
  run: async (input, context) => {
    const { mailbox, body, bodyFormat, replyAll, asDraft } = input;
    refuseCrowd(input);
    const files = await readAttachments(context, mailbox, input.attachments);
    const original = await messageKey({ upstream: context.upstream, mailbox }, input.messageId);
    const some = (list: typeof input.to) => (list.length === 0 ? undefined : recipientsOf(list));
    const fields = { toRecipients: some(input.to), ccRecipients: some(input.cc), bccRecipients: some(input.bcc) };
    const draft = await makeAnswer(
      context,
      { mailbox, original, kind: replyAll ? 'replyAll' : 'reply' },
      fields,
      { content: body, format: bodyFormat },
      files,
    );
    if (!asDraft) await sendDraft(context, { mailbox, id: draft.id });
    return { ...written(draft), sent: !asDraft };
  },
  find: ({ mailbox }, context) => findMail(context, { mailbox }),
});
