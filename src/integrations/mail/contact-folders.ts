import { z } from 'zod';
import { type Path, path, type StepContext, sameName, wrong } from '#kit';
import { collect, type Source } from './collect.ts';
import { toldText } from './told.ts';
import { below } from './wire.ts';

type Reading = Pick<StepContext, 'upstream'>;

const Folder = z.object({ id: z.string(), displayName: toldText });
type Folder = z.output<typeof Folder>;

const deepest = 5;
const most = 100;

/** All folders of contacts besides the default one, those inside others too. */
export const allFolders = async ({ upstream }: Reading, mailbox: string | undefined): Promise<Folder[]> => {
  const found: Folder[] = [];
  let level = [below(mailbox, path`/contactFolders`)];
  for (let depth = 0; depth < deepest && level.length > 0; depth += 1) {
    const sources: Source[] = level.map((place) => ({ path: place, query: { $select: 'id,displayName', $top: 100 } }));
    const keep = (entry: unknown) => Folder.parse(entry);
    const { items } = await collect(upstream, sources, { limit: most, maxPages: most, keep });
    found.push(...items);
    level = found.length >= most ? [] : items.map(({ id }) => below(mailbox, path`/contactFolders/${id}/childFolders`));
  }
  return found;
};

const looksLikeId = /^[\w=+/-]{50,}$/;

/** The id of a folder that was given by id or exact name; `undefined` for the default one. */
const folderIdOf = async (
  context: Reading,
  mailbox: string | undefined,
  folder: string,
): Promise<string | undefined> => {
  if (looksLikeId.test(folder)) return folder;
  if (folder.toLowerCase() === 'contacts') return undefined;
  const all = await allFolders(context, mailbox);
  const found = all.filter(({ id, displayName }) => id === folder || sameName(displayName, folder));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.id;
  const candidates = [
    ...(found.length > 1 ? [] : [{ id: 'contacts', name: 'Contacts' }]),
    ...(found.length > 1 ? found : all).map(({ id, displayName }) => ({ id, name: displayName })),
  ];
  throw wrong(
    'folder',
    found.length > 1
      ? `Several contact folders are called "${folder}"; use the id of one.`
      : `There is no contact folder "${folder}"; there are ${candidates.map(({ name }) => `"${name}"`).join(', ')}.`,
    { candidates },
  );
};

/** Where the contacts of a folder are. */
const folderPath = async (context: Reading, mailbox: string | undefined, folder: string): Promise<Path> => {
  const id = await folderIdOf(context, mailbox, folder);
  return below(mailbox, id === undefined ? path`/contacts` : path`/contactFolders/${id}/contacts`);
};

/** A contact cannot be moved: it is changed in the folder it is in, or not at all. */
export const refuseOtherFolder = async (
  context: Reading,
  mailbox: string | undefined,
  { parentFolderId }: { parentFolderId?: string | null | undefined },
  folder: string | undefined,
): Promise<void> => {
  if (folder === undefined) return;
  const id = await folderIdOf(context, mailbox, folder);
  const isThere =
    id === undefined
      ? (await allFolders(context, mailbox)).every((other) => other.id !== parentFolderId)
      : id === parentFolderId;
  if (!isThere) throw wrong('folder', 'The contact is in another folder, and the service moves none between folders.');
};

/** Where a new contact goes. */
export const newContactPath = async (
  context: Reading,
  mailbox: string | undefined,
  folder: string | undefined,
): Promise<Path> => (folder === undefined ? below(mailbox, path`/contacts`) : folderPath(context, mailbox, folder));

/** The lists that make up a folder or, if none is named, the whole address book: the default folder shows only itself. */
export const contactPaths = async (
  context: Reading,
  mailbox: string | undefined,
  folder: string | undefined,
): Promise<Path[]> => {
  if (folder !== undefined) return [await folderPath(context, mailbox, folder)];
  const folders = await allFolders(context, mailbox);
  return [
    below(mailbox, path`/contacts`),
    ...folders.map(({ id }) => below(mailbox, path`/contactFolders/${id}/contacts`)),
  ];
};

export const FolderInput = z.string().trim().min(1).max(500).optional().meta({ picker: 'contactFolders' });
