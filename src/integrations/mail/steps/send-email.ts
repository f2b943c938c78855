import { z } from 'zod';
import { defineStep, path, wrong } from '#kit';
import { AddressText } from '../addressee.ts';
import { inlined, readAttachments } from '../attach.ts';
import { Attachments, gatherAttachments } from '../attachments.ts';
import { Addressees, Body, BodyFormat, Importance, recipientsOf, refuseCrowd } from '../compose.ts';
import { findMail, makeAnswer, makeDraft, newMessage, sendDraft, sentTo, Written, written } from '../drafts.ts';
import { messageKey } from '../messages.ts';
import { Mailbox, MessageId } from '../shapes.ts';
import { below } from '../wire.ts';

export const sendEmail = defineStep({
  name: 'send_email',
  title: 'Send Email',
  group: 'Email',
  purpose: 'Send an email, new or within a conversation.',
  effect: 'send',
  scopes: [['Mail.ReadWrite'], ['Mail.Send']],
  input: z.object({
    to: Addressees.default([]).describe(
      'Recipients: addresses, with names if you like. May be left out with inReplyTo.',
    ),
    cc: Addressees.default([]).describe('Who gets a copy.'),
    bcc: Addressees.default([]).describe('Who gets a copy that the others do not see.'),
    replyTo: Addressees.default([]).describe('Where answers should go, if not to the sender.'),
    subject: z.string().max(1_000).optional().describe('Subject; with inReplyTo that of the conversation if left out.'),
    body: Body.describe('Text of the mail.'),
    bodyFormat: BodyFormat.describe('Whether the body is plain text or HTML.'),
    attachments: Attachments.describe(
      'Files to attach: references of stored files, https:// addresses that are loaded at once (each up to 150 MB), or {name, text}.',
    ),
    importance: Importance.optional().describe('How urgent it is marked.'),
    from: AddressText(320).optional().describe('Address to send as, where the account has the right to.'),
    inReplyTo: MessageId.optional().describe('Message that this one answers; it is quoted below.'),
    replyAll: z.boolean().default(false).describe('With inReplyTo and without to: answer everybody.'),
    saveToSent: z.boolean().default(true).describe('Keep a copy in Sent Items; without one the mail has no id.'),
    mailbox: Mailbox,
  }),
  output: Written,
  summary: sentTo,
  sends: () => true,
  check: (input) => {
    refuseCrowd(input);
    if (input.inReplyTo !== undefined) return;
    if (input.to.length + input.cc.length + input.bcc.length === 0) {
      throw wrong(['to', 'cc', 'bcc'], 'Nobody is addressed; name somebody in to, cc or bcc.');
    }
    if (input.replyAll) {
      throw wrong(['inReplyTo', 'replyAll'], 'Name the message to answer as inReplyTo, or leave replyAll out.');
    }
    if (input.subject === undefined) throw wrong('subject', 'A new mail needs a subject.');
  },
  gather: gatherAttachments,
  run: async (input, context) => {
    const { mailbox, inReplyTo, body, bodyFormat, saveToSent } = input;
    const { upstream, mark } = context;
    const some = (list: typeof input.to) => (list.length === 0 ? undefined : recipientsOf(list));
    const fields = {
      subject: input.subject,
      toRecipients: some(input.to),
      ccRecipients: some(input.cc),
      bccRecipients: some(input.bcc),
      replyTo: some(input.replyTo),
      importance: input.importance,
      from: input.from === undefined ? undefined : recipientsOf([input.from])[0],
    };
    const text = { content: body, format: bodyFormat };
    const files = await readAttachments(context, mailbox, input.attachments);
    if (!saveToSent && inReplyTo === undefined) {
      const attachments = [];
      for (const file of files) attachments.push(await inlined(context.files, file));
      const message = { ...newMessage(fields, text, mark(1)), attachments };
      await upstream.post(below(mailbox, path`/sendMail`), { body: { message, saveToSentItems: false } });
      const people = recipientsOf([...input.to, ...input.cc, ...input.bcc]);
      return { to: people.map(({ emailAddress }) => emailAddress.address) };
    }
    const draft =
      inReplyTo === undefined
        ? await makeDraft(context, { mailbox }, fields, text, files)
        : await makeAnswer(
            context,
            {
              mailbox,
              original: await messageKey({ upstream, mailbox }, inReplyTo, 'inReplyTo'),
              kind: input.replyAll ? 'replyAll' : 'reply',
            },
            fields,
            text,
            files,
          );
    await sendDraft(context, { mailbox, id: draft.id });
    if (!saveToSent) context.warn('An answer is always kept in Sent Items.');
    return written(draft);
  },
  find: ({ mailbox }, context) => findMail(context, { mailbox }),
});
