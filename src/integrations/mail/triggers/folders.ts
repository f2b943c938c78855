import { caseless, placeOf, type Upstream, wrong } from '#kit';
import { isEveryday, listFolders } from '../folders.ts';

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

/** A trigger for a folder that is not there would never fire. */
export const requireFolders = async (
  where: { upstream: Upstream; mailbox: string | undefined },
  given: readonly string[],
): Promise<void> => {
  if (given.every(isEveryday)) return;
  const { folders, truncated } = await listFolders(where, { recursive: true, includeHidden: true });
  if (truncated) return;
  const missing = given.findIndex((each) => !isEveryday(each) && !folders.some((folder) => isFolder(folder, each)));
  if (missing < 0) return;
  const candidates = folders.slice(0, 50).map(({ id, path }) => ({ id, path }));
  throw wrong(
    placeOf(['config', 'folders', missing]),
    `There is no folder "${given[missing]}"; use one of the candidates.`,
    { candidates },
  );
};
