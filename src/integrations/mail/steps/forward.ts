import { z } from 'zod';
import { defineStep } from '#kit';
import { readAttachments } from '../attach.ts';
import { Attachments, gatherAttachments } from '../attachments.ts';
import { Addressees, Body, BodyFormat, recipientsOf, refuseCrowd } from '../compose.ts';
import { findMail, makeAnswer, sendDraft, sentTo, Written, written } from '../drafts.ts';
import { messageKey } from '../messages.ts';
import { Mailbox, MessageId } from '../shapes.ts';

export const forward = defineStep({
  name: 'forward',
  title: 'Forward',
  group: 'Email',
  purpose: 'Pass a message with its attachments on to others.',
  effect: 'send',
  scopes: [['Mail.ReadWrite'], ['Mail.Send']],
  input: z.object({
    messageId: MessageId,
    to: Addressees.min(1).describe('To whom.'),
    cc: Addressees.default([]).describe('Who gets a copy.'),
    bcc: Addressees.default([]).describe('Who gets a copy that the others do not see.'),
    comment: Body.default('').describe('Text above the forwarded message.'),
    bodyFormat: BodyFormat.describe('Whether the comment is plain text or HTML.'),
    attachments: Attachments.describe(
      'Further files: references of stored files, https:// addresses that are loaded at once (each up to 150 MB), or {name, text}.',
    ),
    asDraft: z.boolean().default(false).describe('Only make the draft; send it later with send_draft.'),
    mailbox: Mailbox,
  }),
  output: Written.extend({ sent: z.boolean() }),
  summary: (output) => (output.sent ? sentTo(output) : 'Saved the forward as a draft; nothing was sent.'),
  sends: ({ asDraft }) => !asDraft,
  gather: gatherAttachments,
  run: async (input, context) => {
    const { mailbox, comment, bodyFormat, asDraft } = input;
    refuseCrowd(input);
    const files = await readAttachments(context, mailbox, input.attachments);
    const original = await messageKey({ upstream: context.upstream, mailbox }, input.messageId);
    const fields = {
      toRecipients: recipientsOf(input.to),
      ccRecipients: input.cc.length === 0 ? undefined : recipientsOf(input.cc),
      bccRecipients: input.bcc.length === 0 ? undefined : recipientsOf(input.bcc),
    };
    const text = { content: comment, format: bodyFormat };
    const draft = await makeAnswer(context, { mailbox, original, kind: 'forward' }, fields, text, files);
    if (!asDraft) await sendDraft(context, { mailbox, id: draft.id });
    return { ...written(draft), sent: !asDraft };
  },
  find: ({ mailbox }, context) => findMail(context, { mailbox }),
});
