import { caseless, placeOf, type SettleContext, wrong } from '#kit';
import { everydayName, type FolderAt, isEveryday, listFolders } from '../folders.ts';
import { outgoing } from '../watching/delivery.ts';

const same = (text: string): string => caseless(text.trim()).replace(/^\/+|\/+$/g, '');

type Named = { id: string; name: string; path: string; wellKnownName?: string | null | undefined };

/** A folder is named by id, well-known name, exact name or path. */
export const isFolder = ({ id, name, path, wellKnownName }: Named, given: string): boolean => {
  const wanted = same(given);
  return (
    given.trim() === id ||
    wanted === same(name) ||
    wanted === same(path) ||
    wanted.replace(/\s+/g, '') === wellKnownName
  );
};

/** Whether its mail starts nothing. */
export const isSilent = (wellKnownName: string | undefined): boolean =>
  wellKnownName === 'junkemail' || outgoing.has(wellKnownName ?? '');

type Where = Pick<SettleContext, 'upstream' | 'nameOf'> & { mailbox: string | undefined };

const refuseSilent = ({ nameOf }: Where, given: readonly string[], folders: readonly FolderAt[]): void => {
  const silent = given.findIndex((each) => {
    const meant = folders.filter((folder) => isFolder(folder, each)).map(({ wellKnownName }) => wellKnownName);
    return isSilent(everydayName(each)) || (meant.length > 0 && meant.every(isSilent));
  });
  const [named] = given.slice(silent);
  if (silent < 0 || named === undefined) return;
  throw wrong(
    placeOf(['config', 'folders', silent]),
    `Mail in "${nameOf(named) ?? named}" starts nothing: Drafts, Outbox, Sent Items and Junk Email never count. Leave it out, or name another folder.`,
  );
};

/**
 * Folders as they are kept: by their ids, which stay when a folder is renamed or moved, or by a name that every mailbox has.
 * A trigger for a folder that is not there, or whose mail never counts, would never fire.
 */
export const settledFolders = async (where: Where, given: readonly string[]): Promise<string[]> => {
  if (given.every(isEveryday)) {
    refuseSilent(where, given, []);
    return [...given];
  }
  const { folders, truncated } = await listFolders(where, { recursive: true, includeHidden: true });
  refuseSilent(where, given, folders);
  const idsOf = (each: string): string[] =>
    isEveryday(each)
      ? [each]
      : folders.filter((folder) => isFolder(folder, each) && !isSilent(folder.wellKnownName)).map(({ id }) => id);
  const missing = truncated ? -1 : given.findIndex((each) => idsOf(each).length === 0);
  const [gone] = given.slice(missing);
  if (missing < 0 || gone === undefined) {
    // What lies beyond the end of a very long list is known by its name alone.
    return [...new Set(given.flatMap((each) => (idsOf(each).length === 0 ? [each] : idsOf(each))))];
  }
  const candidates = folders.slice(0, 50).map(({ id, path }) => ({ id, path }));
  const name = where.nameOf(gone);
  throw wrong(
    placeOf(['config', 'folders', missing]),
    name === undefined
      ? `There is no folder "${gone}"; use one of the candidates.`
      : `The folder “${name}” is gone; leave it out, or name another one.`,
    { candidates },
  );
};
