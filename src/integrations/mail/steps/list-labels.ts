import { z } from 'zod';
import { counted, defineStep } from '#kit';
import { Label, readLabels } from '../labels.ts';
import { Mailbox } from '../shapes.ts';

export const listLabels = defineStep({
  name: 'list_labels',
  title: 'List Labels',
  group: 'Email',
  purpose: 'List the labels that the mailbox offers.',
  effect: 'read',
  scopes: [['MailboxSettings.Read', 'MailboxSettings.ReadWrite']],
  input: z.object({ mailbox: Mailbox }),
  output: z.object({ items: z.array(Label) }),
  summary: ({ items }) => counted(items.length, ['label', 'labels']),
  run: async ({ mailbox }, { upstream }) => ({ items: await readLabels(upstream, mailbox) }),
});
