import { z } from 'zod';
import { defineStep, path, quoted, type Upstream, wrong } from '#kit';
import { folderKey } from '../folders.ts';
import { belowMessage, getMessage, messageKey } from '../messages.ts';
import { FolderInput, Mailbox, MessageId, WireMessage } from '../shapes.ts';
import { below, madeBy, prefer } from '../wire.ts';

const Folder = z.object({ id: z.string(), displayName: z.string().nullish() });
const Destination = z.object({ destinationId: z.string() });
const Place = z.object({ id: z.string(), name: z.string() });

const folderAt = async (
  upstream: Upstream,
  mailbox: string | undefined,
  key: string,
): Promise<z.output<typeof Place>> => {
  const query = { $select: 'id,displayName' };
  const { id, displayName } = Folder.parse(
    await upstream.get(below(mailbox, path`/mailFolders/${key}`), { query, headers: prefer() }),
  );
  return { id, name: displayName ?? '' };
};

export const moveEmail = defineStep({
  name: 'move_email',
  title: 'Move Email to Folder',
  group: 'Email',
  purpose: 'Move a message to another folder.',
  effect: 'write',
  scopes: [['Mail.ReadWrite']],
  input: z.object({ messageId: MessageId, folder: FolderInput, mailbox: Mailbox }),
  output: z.object({
    messageId: z.string().describe('Stays the same when the message is moved again.'),
    fromFolder: Place,
    toFolder: Place,
    moved: z.boolean().describe('False if it was there already.'),
  }),
  summary: ({ moved, toFolder }) =>
    `${moved ? 'Moved the mail to' : 'The mail was already in'} ${quoted(toFolder.name)}.`,
  run: async ({ messageId, folder, mailbox }, { upstream, before }) => {
    const where = { upstream, mailbox };
    const key = await folderKey(where, folder);
    if (key === 'outbox') throw wrong('folder', 'Mail is sent with send_draft, not by moving it to the outbox.');
    const message = await getMessage(where, await messageKey(where, messageId), ['id', 'parentFolderId']);
    const toFolder = await folderAt(upstream, mailbox, key);
    const fromFolder = await before(Place, () => folderAt(upstream, mailbox, message.parentFolderId ?? ''));
    if (fromFolder.id === toFolder.id) return { messageId: message.id, fromFolder, toFolder, moved: false };
    const body = { destinationId: toFolder.id };
    const moved = await upstream.post(belowMessage(mailbox, message.id, path`/move`), { body, headers: prefer() });
    return { messageId: WireMessage.parse(moved).id, fromFolder, toFolder, moved: true };
  },
  find: async ({ messageId, mailbox }, { upstream, request, mark }) => {
    const where = { upstream, mailbox };
    const message = await getMessage(where, await messageKey(where, messageId), ['id', 'parentFolderId']);
    const there = message.parentFolderId === Destination.parse(request.body).destinationId;
    return { made: there ? [madeBy(message, message.id, mark(1))] : [] };
  },
});
