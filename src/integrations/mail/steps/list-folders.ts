import { z } from 'zod';
import { counted, defineStep } from '#kit';
import { mentions } from '../collect.ts';
import { folderKey, listFolders as readFolders } from '../folders.ts';
import { FolderInput, Mailbox } from '../shapes.ts';

export const listFolders = defineStep({
  name: 'list_folders',
  title: 'List Folders',
  group: 'Email',
  purpose: 'List the mail folders with their paths and how much is in them.',
  effect: 'read',
  scopes: [['Mail.ReadBasic', 'Mail.Read', 'Mail.ReadWrite']],
  input: z.object({
    parent: FolderInput.optional().describe('Only folders inside this one: id, well-known name, exact name or path.'),
    recursive: z.boolean().default(true).describe('Also folders inside folders.'),
    includeHidden: z.boolean().default(false).describe('Also folders that mail programs hide.'),
    name: z.string().trim().min(1).max(255).optional().describe('Only folders whose name holds these words.'),
    mailbox: Mailbox,
  }),
  output: z.object({
    items: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        displayName: z.string().describe('The same as name, as the mail service calls it.'),
        path: z.string(),
        wellKnownName: z.string().optional(),
        parentFolderId: z.string().nullish(),
        childFolderCount: z.number().nullish(),
        totalItemCount: z.number().nullish(),
        unreadItemCount: z.number().nullish(),
        isHidden: z.literal(true).optional(),
      }),
    ),
    truncated: z.boolean(),
  }),
  summary: ({ items, truncated }) => counted(items.length, ['folder', 'folders'], truncated),
  run: async ({ parent, recursive, includeHidden, name, mailbox }, { upstream }) => {
    const where = { upstream, mailbox };
    const key = parent === undefined ? undefined : await folderKey(where, parent, 'parent');
    const { folders, truncated } = await readFolders(where, { parent: key, recursive, includeHidden });
    const items = folders
      .filter((folder) => name === undefined || mentions(name, [folder.name]))
      .map(({ isHidden, ...folder }) => ({ ...folder, displayName: folder.name, ...(isHidden ? { isHidden } : {}) }));
    return { items, truncated };
  },
});
