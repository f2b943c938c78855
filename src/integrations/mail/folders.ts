import { z } from 'zod';
import { caseless, Fault, path, type Upstream, wrong } from '#kit';
import { wholeList } from './collect.ts';
import { type Read, readTogether } from './together.ts';
import { below, prefer } from './wire.ts';

const Folder = z.object({
  id: z.string(),
  displayName: z.string().nullish(),
  parentFolderId: z.string().nullish(),
  childFolderCount: z.number().nullish(),
  totalItemCount: z.number().nullish(),
  unreadItemCount: z.number().nullish(),
  isHidden: z.boolean().nullish(),
});
type Folder = z.output<typeof Folder>;
export type FolderAt = Folder & { name: string; path: string; wellKnownName?: string };

const everyday = ['inbox', 'drafts', 'sentitems', 'deleteditems', 'archive', 'junkemail', 'outbox'] as const;
/** Names that the service understands in place of an id, whatever the language of the mailbox. */
const wellKnown = new Set<string>([
  ...everyday,
  'clutter',
  'conversationhistory',
  'msgfolderroot',
  'recoverableitemsdeletions',
  'scheduled',
  'searchfolders',
  'syncissues',
  'conflicts',
  'localfailures',
  'serverfailures',
]);

const compactOf = (given: string): string => given.toLowerCase().replace(/\s+/g, '');

/** The name of a folder that every mailbox has, whatever it is called there. */
export const everydayName = (given: string): string | undefined => everyday.find((name) => name === compactOf(given));
export const isEveryday = (given: string): boolean => everydayName(given) !== undefined;

const looksLikeId = /^[\w=+/-]{40,}$/;
const mostFolders = 1_000;
const mostLevels = 12;
const pageSize = 100;

type Where = { upstream: Upstream; mailbox: string | undefined };
type Options = { parent?: string | undefined; recursive: boolean; includeHidden: boolean };

const Named = z.object({ id: z.string() });

/** Well-known names by id, asked for together. A mailbox may lack some of them. */
const knownIds = async ({ upstream, mailbox }: Where): Promise<Map<string, string>> => {
  const reads = everyday.map((name): [string, Read] => [
    name,
    { path: below(mailbox, path`/mailFolders/${name}`), search: '$select=id' },
  ]);
  const answers = await readTogether(upstream, new Map(reads));
  return new Map(
    [...answers].flatMap(([name, { status, body }]) => (status === 200 ? [[Named.parse(body).id, name] as const] : [])),
  );
};

const childrenOf = ({ upstream, mailbox }: Where, parent: string | undefined, hidden: boolean): Promise<Folder[]> => {
  const list = parent === undefined ? path`/mailFolders` : path`/mailFolders/${parent}/childFolders`;
  const query = { $top: pageSize, ...(hidden ? { includeHiddenFolders: 'true' } : {}) };
  return wholeList(upstream, below(mailbox, list), query, Folder);
};

/** Where a folder lies, as far up as may be read: of a shared mailbox it may be the only one. */
const pathTo = async ({ upstream, mailbox }: Where, key: string): Promise<string> => {
  const read = async (one: string): Promise<Folder | undefined> => {
    const query = { $select: 'id,displayName,parentFolderId' };
    try {
      return Folder.parse(await upstream.get(below(mailbox, path`/mailFolders/${one}`), { query, headers: prefer() }));
    } catch (error) {
      if (error instanceof Fault && ['not_found', 'upstream_rejected'].includes(error.code)) return undefined;
      throw error;
    }
  };
  const top = await read('msgfolderroot');
  const names: string[] = [];
  let folder = await read(key);
  while (folder !== undefined && folder.id !== top?.id && names.length < mostLevels) {
    names.unshift(folder.displayName ?? '');
    folder = folder.parentFolderId ? await read(folder.parentFolderId) : undefined;
  }
  return names.join('/');
};

/** The folders of a mailbox with their paths. The service answers one level at a time. */
export const listFolders = async (
  where: Where,
  { parent, recursive, includeHidden }: Options,
): Promise<{ folders: FolderAt[]; truncated: boolean }> => {
  const known = await knownIds(where);
  const folders: FolderAt[] = [];
  const at = (folder: Folder, above: string): FolderAt => {
    const name = folder.displayName ?? '';
    const wellKnownName = known.get(folder.id);
    return {
      ...folder,
      name,
      path: above === '' ? name : `${above}/${name}`,
      ...(wellKnownName ? { wellKnownName } : {}),
    };
  };
  const first = await childrenOf(where, parent, includeHidden);
  const above = parent === undefined || first.length === 0 ? '' : await pathTo(where, parent);
  let level = first.map((folder) => at(folder, above));
  for (let depth = 0; level.length > 0; depth += 1) {
    folders.push(...level);
    if (!recursive) break;
    if (folders.length >= mostFolders || depth >= mostLevels)
      return { folders: folders.slice(0, mostFolders), truncated: true };
    const next: FolderAt[] = [];
    for (const folder of level.filter(({ childFolderCount }) => (childFolderCount ?? 1) > 0)) {
      next.push(...(await childrenOf(where, folder.id, includeHidden)).map((child) => at(child, folder.path)));
      if (folders.length + next.length >= mostFolders) break;
    }
    level = next;
  }
  return { folders, truncated: false };
};

const short = ({ id, path: place }: FolderAt) => ({ id, path: place });

/** What the service takes for a folder that was named by id, well-known name, exact name or path. */
export const folderKey = async (where: Where, given: string, field = 'folder'): Promise<string> => {
  const plain = given.trim();
  const compact = compactOf(plain);
  if (wellKnown.has(compact)) return compact;
  if (looksLikeId.test(plain)) return plain;
  const { folders } = await listFolders(where, { recursive: true, includeHidden: false });
  const wanted = caseless(plain).replace(/^\/+|\/+$/g, '');
  const byPath = folders.filter((folder) => caseless(folder.path) === wanted);
  const found = byPath.length > 0 ? byPath : folders.filter(({ name }) => caseless(name) === wanted);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.id;
  const candidates = (found.length > 1 ? found : folders).slice(0, 50).map(short);
  throw wrong(
    field,
    found.length > 1
      ? `Several folders are called "${given}"; use the id or path of one.`
      : `There is no folder "${given}"; use one of the candidates.`,
    { candidates },
  );
};
