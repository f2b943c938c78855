import { z } from 'zod';
import { defineStep, listed, sameName } from '#kit';
import { changeLabels, findLabels, namesOfLabels } from '../label-changes.ts';
import { LabelNames, Mailbox, MessageId } from '../shapes.ts';

export const removeLabel = defineStep({
  name: 'remove_label',
  title: 'Remove Label',
  group: 'Email',
  purpose: 'Take labels off a message; the others stay.',
  effect: 'write',
  scopes: [['Mail.ReadWrite']],
  input: z.object({
    messageId: MessageId,
    labels: LabelNames.describe('Labels to remove, by name or id.'),
    mailbox: Mailbox,
  }),
  output: z.object({
    labels: z.array(z.string()).describe('All labels of the message now.'),
    removed: z.array(z.string()),
    notPresent: z.array(z.string()),
  }),
  summary: ({ removed }) =>
    removed.length === 0 ? 'The mail did not have the labels.' : `Took ${listed(removed)} off the mail.`,
  run: async ({ messageId, labels, mailbox }, context) => {
    const names = await namesOfLabels(context, mailbox, labels);
    const named = (label: string) => names.some((each) => sameName(each, label));
    const { before, after } = await changeLabels(context, { mailbox, messageId }, (present) =>
      present.filter((label) => !named(label)),
    );
    const notPresent = names.filter((label) => !before.some((each) => sameName(each, label)));
    return { labels: after, removed: before.filter(named), notPresent };
  },
  find: (input, context) => findLabels(input, context),
});
