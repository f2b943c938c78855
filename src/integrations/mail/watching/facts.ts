import { z } from 'zod';
import { Fault, path, type WatchContext } from '#kit';
import { type FolderAt, listFolders } from '../folders.ts';
import { unlessGone } from '../marker.ts';
import { below, prefer } from '../wire.ts';
import { findZone } from '../zones.ts';
import { type Folder, isUnwanted, outgoing } from './delivery.ts';
import { mailboxId } from './resource.ts';

/** Not everything is told each time. */
type Told = string | null | undefined;
const agrees = (told: Told, known: Told): boolean => told === undefined || told === null || told === known;

/** What is the same for every message of a mailbox. */
export type Facts = {
  /** IANA name; UTC where it cannot be known. */
  zone: string;
  /** Ids of the folders of mail on its way out. */
  outgoing: ReadonlySet<string>;
  /** Whether what was junk may still be. */
  isUnwanted(folderId: string | null | undefined): boolean;
  folder(id: string | null | undefined): Promise<Folder>;
  /** Whether it is called so and lies there, as far as it is known without asking. */
  isAsKnown(folder: { id: string; displayName?: Told; parentFolderId?: Told }): boolean;
};

type Known = { at: number; zone: string; folders: Map<string, Folder>; parents: Map<string, Told> };
type Where = { mailbox: string | undefined; context: WatchContext };

const Setting = z.object({ value: z.string().nullish() });
const Single = z.object({ id: z.string(), displayName: z.string().nullish(), parentFolderId: z.string().nullish() });

const keptMs = 600_000;
const mostKept = 2_000;

const zoneOf = async ({ mailbox, context }: Where): Promise<string> => {
  try {
    const answer = await context.upstream.get(below(mailbox, path`/mailboxSettings/timeZone`));
    return findZone(Setting.parse(answer).value ?? '')?.iana ?? 'UTC';
  } catch (error) {
    // The settings of a shared mailbox, or without the permission, are not ours to read.
    if (error instanceof Fault && ['not_found', 'upstream_rejected'].includes(error.code)) return 'UTC';
    throw error;
  }
};

const folderOf = ({ id, name, path: place, wellKnownName }: FolderAt): Folder => ({
  id,
  name,
  path: place,
  wellKnownName: wellKnownName ?? null,
});

/** One that the list does not have, such as one made a moment ago. */
const readFolder = async ({ mailbox, context }: Where, id: string, known: Known): Promise<Folder> => {
  const query = { $select: 'id,displayName,parentFolderId' };
  const read = context.upstream.get(below(mailbox, path`/mailFolders/${id}`), { query, headers: prefer() });
  const answer = await unlessGone(read);
  if (answer === undefined) return { id, name: '', path: '', wellKnownName: null };
  const { displayName, parentFolderId } = Single.parse(answer);
  const name = displayName ?? '';
  known.parents.set(id, parentFolderId);
  const above = known.folders.get(parentFolderId ?? '')?.path;
  return { id, name, path: above === undefined ? name : `${above}/${name}`, wellKnownName: null };
};

/** Facts of mailboxes, kept for some minutes. */
export const createFacts = () => {
  const mailboxes = new Map<string, Promise<Known>>();
  const keyOf = ({ mailbox, context }: Where): string => `${context.account.id} ${mailboxId(mailbox, context.account)}`;

  const load = async (where: Where): Promise<Known> => {
    const { upstream, now } = where.context;
    const asked = { upstream, mailbox: where.mailbox };
    const { folders } = await listFolders(asked, { recursive: true, includeHidden: true });
    return {
      at: now.getTime(),
      zone: await zoneOf(where),
      folders: new Map(folders.map((each) => [each.id, folderOf(each)])),
      parents: new Map(folders.map(({ id, parentFolderId }) => [id, parentFolderId])),
    };
  };

  const current = async (where: Where): Promise<Known> => {
    const key = keyOf(where);
    const kept = await mailboxes.get(key)?.catch(() => undefined);
    if (kept !== undefined && Math.abs(where.context.now.getTime() - kept.at) < keptMs) return kept;
    const loading = load(where);
    mailboxes.delete(key);
    mailboxes.set(key, loading);
    const [oldest] = mailboxes.keys();
    if (mailboxes.size > mostKept && oldest !== undefined) mailboxes.delete(oldest);
    return loading;
  };

  return {
    async of(where: Where): Promise<Facts> {
      const known = await current(where);
      const all = [...known.folders.values()];
      return {
        zone: known.zone,
        outgoing: new Set(all.flatMap(({ id, wellKnownName }) => (outgoing.has(wellKnownName ?? '') ? [id] : []))),
        isUnwanted: (id) => isUnwanted(known.folders.get(id ?? '')?.wellKnownName),
        async folder(id) {
          const found = known.folders.get(id ?? '');
          if (found !== undefined || !id) return found ?? { id: '', name: '', path: '', wellKnownName: null };
          const read = await readFolder(where, id, known);
          known.folders.set(id, read);
          return read;
        },
        isAsKnown: ({ id, displayName, parentFolderId }) =>
          agrees(displayName, known.folders.get(id)?.name) && agrees(parentFolderId, known.parents.get(id)),
      };
    },
    /** Folders have changed: names are read again. */
    forget: (where: Where): void => void mailboxes.delete(keyOf(where)),
  };
};
export type FactsOf = ReturnType<typeof createFacts>;
