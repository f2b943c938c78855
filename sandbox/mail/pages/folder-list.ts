import type { Folder, Mailbox } from '../mailbox.ts';

const order = ['inbox', 'drafts', 'sentitems', 'archive', 'junkemail', 'deleteditems'];

export const folderName = (folder: Folder): string => folder.wellKnown ?? folder.id;

const rank = ({ wellKnown }: Folder): number => {
  const place = order.indexOf(wellKnown ?? '');
  return place === -1 ? order.length : place;
};

/** Visible folders as people expect them: the usual ones first, own ones below, children indented. */
export const foldersOf = (mailbox: Mailbox): { folder: Folder; depth: number }[] => {
  const below = (parent: string, depth: number): { folder: Folder; depth: number }[] =>
    (mailbox.folders.get(parent)?.children ?? [])
      .flatMap((id) => mailbox.folders.get(id) ?? [])
      .filter(
        (folder) => !folder.isHidden && folder.wellKnown !== 'outbox' && folder.wellKnown !== 'conversationhistory',
      )
      .toSorted((a, b) => rank(a) - rank(b) || a.displayName.localeCompare(b.displayName))
      .flatMap((folder) => [{ folder, depth }, ...below(folder.id, depth + 1)]);
  return below(mailbox.wellKnown.get('msgfolderroot') ?? '', 0);
};
