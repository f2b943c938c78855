import { z } from 'zod';
import { defineStep } from '#kit';
import { readAttachments } from '../attach.ts';
import { Attachments, gatherAttachments } from '../attachments.ts';
import { Addressees, Body, BodyFormat, Importance, recipientsOf, refuseCrowd } from '../compose.ts';
import { findMail, makeDraft, Written, written } from '../drafts.ts';
import { Mailbox } from '../shapes.ts';

export const createDraft = defineStep({
  name: 'create_draft',
  title: 'Create Draft',
  group: 'Email',
  purpose: 'Write a mail without sending it; a person or send_draft can send it later.',
  effect: 'write',
  scopes: [['Mail.ReadWrite']],
  input: z.object({
    to: Addressees.default([]).describe('Recipients: addresses, with names if you like.'),
    cc: Addressees.default([]).describe('Who gets a copy.'),
    bcc: Addressees.default([]).describe('Who gets a copy that the others do not see.'),
    replyTo: Addressees.default([]).describe('Where answers should go, if not to the sender.'),
    subject: z.string().max(1_000).default('').describe('Subject.'),
    body: Body.default('').describe('Text of the mail.'),
    bodyFormat: BodyFormat.describe('Whether the body is plain text or HTML.'),
    attachments: Attachments.describe(
      'Files to attach: references of stored files, https:// addresses that are loaded at once (each up to 150 MB), or {name, text}.',
    ),
    importance: Importance.optional().describe('How urgent it is marked.'),
    mailbox: Mailbox,
  }),
  output: Written.extend({ webLink: z.string().optional() }),
  summary: () => 'Saved a draft; nothing was sent.',
  gather: gatherAttachments,
  run: async ({ mailbox, body, bodyFormat, attachments, ...input }, context) => {
    refuseCrowd(input);
    const files = await readAttachments(context, mailbox, attachments);
    const fields = {
      subject: input.subject,
      toRecipients: recipientsOf(input.to),
      ccRecipients: recipientsOf(input.cc),
      bccRecipients: recipientsOf(input.bcc),
      replyTo: recipientsOf(input.replyTo),
      importance: input.importance,
    };
    const draft = await makeDraft(context, { mailbox }, fields, { content: body, format: bodyFormat }, files);
    return { ...written(draft), webLink: draft.webLink ?? undefined };
  },
  find: ({ mailbox }, context) => findMail(context, { mailbox }),
});
