import { z } from 'zod';
import { defineStep, listed, sameName } from '#kit';
import { changeLabels, findLabels, offeredLabels } from '../label-changes.ts';
import { LabelNames, Mailbox, MessageId } from '../shapes.ts';

export const addLabel = defineStep({
  name: 'add_label',
  title: 'Add Label',
  group: 'Email',
  purpose: 'Add labels to a message; those it has already stay.',
  effect: 'write',
  scopes: [['Mail.ReadWrite']],
  input: z.object({
    messageId: MessageId,
    labels: LabelNames.describe('Labels to add, by name or id.'),
    createMissing: z.boolean().default(false).describe('Make labels that the mailbox does not offer yet.'),
    mailbox: Mailbox,
  }),
  output: z.object({
    labels: z.array(z.string()).describe('All labels of the message now.'),
    added: z.array(z.string()),
    alreadyPresent: z.array(z.string()),
  }),
  summary: ({ added }) =>
    added.length === 0 ? 'The mail had the labels already.' : `Put ${listed(added)} on the mail.`,
  run: async ({ messageId, labels, createMissing, mailbox }, context) => {
    const names = await offeredLabels(context, mailbox, labels, createMissing);
    const missing = (present: readonly string[]) =>
      names.filter((name) => !present.some((each) => sameName(each, name)));
    const { before, after } = await changeLabels(context, { mailbox, messageId }, (present) => [
      ...present,
      ...missing(present),
    ]);
    const added = missing(before);
    return { labels: after, added, alreadyPresent: names.filter((name) => !added.includes(name)) };
  },
  find: (input, context) => findLabels(input, context),
});
