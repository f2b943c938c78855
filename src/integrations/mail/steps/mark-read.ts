import { z } from 'zod';
import { defineStep } from '#kit';
import { getMessage, messageKey, messagePath } from '../messages.ts';
import { Mailbox, MessageId, WireMessage } from '../shapes.ts';
import { madeBy, prefer } from '../wire.ts';

const Wanted = z.object({ isRead: z.boolean() });

export const markRead = defineStep({
  name: 'mark_read',
  title: 'Mark as Read',
  group: 'Email',
  purpose: 'Mark a message as read or unread.',
  effect: 'write',
  scopes: [['Mail.ReadWrite']],
  input: z.object({
    messageId: MessageId,
    isRead: z.boolean().default(true).describe('True for read, false for unread.'),
    mailbox: Mailbox,
  }),
  output: z.object({ messageId: z.string(), isRead: z.boolean() }),
  summary: ({ isRead }) => `Marked the mail as ${isRead ? 'read' : 'unread'}.`,
  run: async ({ messageId, isRead, mailbox }, { upstream }) => {
    const id = await messageKey({ upstream, mailbox }, messageId);
    const message = await upstream.patch(messagePath(mailbox, id), { body: { isRead }, headers: prefer() });
    return { messageId: WireMessage.parse(message).id, isRead };
  },
  find: async ({ messageId, mailbox }, { upstream, request, mark }) => {
    const where = { upstream, mailbox };
    const message = await getMessage(where, await messageKey(where, messageId), ['id', 'isRead']);
    const done = message.isRead === Wanted.parse(request.body).isRead;
    return { made: done ? [madeBy(message, message.id, mark(1))] : [] };
  },
});
