import { z } from 'zod';
import { definePicker } from '#kit';
import { listFolders } from './folders.ts';
import { readLabels } from './labels.ts';
import { Mailbox } from './shapes.ts';

const InMailbox = z.object({ mailbox: Mailbox });

export const folders = definePicker({
  name: 'folders',
  query: InMailbox,
  options: async ({ mailbox }, { upstream }) => {
    const found = await listFolders({ upstream, mailbox }, { recursive: true, includeHidden: false });
    return found.folders.map(({ id, path, wellKnownName, unreadItemCount }) => ({
      value: wellKnownName ?? id,
      label: path,
      hint: unreadItemCount ? `${unreadItemCount} unread` : undefined,
    }));
  },
});

export const labels = definePicker({
  name: 'labels',
  query: InMailbox,
  options: async ({ mailbox }, { upstream }) =>
    (await readLabels(upstream, mailbox)).map(({ name, color }) => ({ value: name, label: name, hint: color })),
});
