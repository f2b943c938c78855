import { z } from 'zod';
import { definePicker, type Upstream } from '#kit';
import { type FolderAt, listFolders } from './folders.ts';
import { readLabels } from './labels.ts';
import { Mailbox } from './shapes.ts';
import { isSilent } from './triggers/folders.ts';

const InMailbox = z.object({ mailbox: Mailbox });

const optionsOf = (folders: readonly FolderAt[]) =>
  folders.map(({ id, path, wellKnownName, unreadItemCount }) => ({
    value: wellKnownName ?? id,
    label: path,
    hint: unreadItemCount ? `${unreadItemCount} unread` : undefined,
    ...(wellKnownName === undefined ? {} : { id }),
  }));

const shownFolders = async (mailbox: string | undefined, upstream: Upstream): Promise<readonly FolderAt[]> =>
  (await listFolders({ upstream, mailbox }, { recursive: true, includeHidden: false })).folders;

export const folders = definePicker({
  name: 'folders',
  query: InMailbox,
  options: async ({ mailbox }, { upstream }) => optionsOf(await shownFolders(mailbox, upstream)),
});

/** Those whose mail starts something. */
export const incomingFolders = definePicker({
  name: 'incoming_folders',
  query: InMailbox,
  options: async ({ mailbox }, { upstream }) =>
    optionsOf((await shownFolders(mailbox, upstream)).filter(({ wellKnownName }) => !isSilent(wellKnownName))),
});

export const labels = definePicker({
  name: 'labels',
  query: InMailbox,
  options: async ({ mailbox }, { upstream }) =>
    (await readLabels(upstream, mailbox)).map(({ name, color }) => ({ value: name, label: name, hint: color })),
});
