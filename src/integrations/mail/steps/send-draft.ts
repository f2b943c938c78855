import { z } from 'zod';
import { defineStep } from '#kit';
import { findSent, sendDraft as send, sentTo, Written, written } from '../drafts.ts';
import { unlessRemoved } from '../marker.ts';
import { getMessage, messageKey } from '../messages.ts';
import { Mailbox, MessageId } from '../shapes.ts';

const fields = ['id', 'internetMessageId', 'conversationId', 'toRecipients', 'ccRecipients', 'bccRecipients'];

export const sendDraft = defineStep({
  name: 'send_draft',
  title: 'Send Draft',
  group: 'Email',
  purpose: 'Send a draft as it is.',
  effect: 'send',
  scopes: [['Mail.ReadWrite'], ['Mail.Send']],
  input: z.object({
    draftId: MessageId.describe('Draft: the messageId that Create Draft answered, or its web address.'),
    mailbox: Mailbox,
  }),
  output: Written,
  summary: sentTo,
  run: async ({ draftId, mailbox }, context) => {
    const where = { upstream: context.upstream, mailbox };
    const id = await messageKey(where, draftId, 'draftId');
    // A run that is resumed may meet a draft that has left already, so this look decides nothing.
    const draft = await unlessRemoved(context, getMessage(where, id, fields));
    const told = await context.before(Written, async () => (draft === undefined ? { messageId: id } : written(draft)));
    await send(context, { mailbox, id: draft?.id ?? id });
    return told;
  },
  find: ({ mailbox }, context) => findSent(context, { mailbox }),
});
