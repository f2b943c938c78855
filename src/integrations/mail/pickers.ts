import { z } from 'zod';
import { definePicker, path, type Upstream } from '#kit';
import { everydayName, type FolderAt, isEveryday, listFolders } from './folders.ts';
import { readLabels } from './labels.ts';
import { Mailbox } from './shapes.ts';
import { type Read, readTogether } from './together.ts';
import { isSilent } from './triggers/folders.ts';
import { below } from './wire.ts';

const InMailbox = z.object({ mailbox: Mailbox });

const optionsOf = (folders: readonly FolderAt[]) =>
  folders.map(({ id, path: label, wellKnownName, unreadItemCount }) => ({
    value: wellKnownName ?? id,
    label,
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

type Where = { upstream: Upstream; mailbox: string | undefined };
type Names = (readonly [string, string])[];

const Called = z.object({ displayName: z.string() });

/** A folder that every mailbox has is kept by its name in English, and may be called otherwise. */
const namesOfEveryday = async ({ upstream, mailbox }: Where, chosen: readonly string[]): Promise<Names> => {
  if (chosen.length === 0) return [];
  const reads = chosen.map((each): [string, Read] => [
    each,
    { path: below(mailbox, path`/mailFolders/${everydayName(each) ?? each}`), search: '$select=displayName' },
  ]);
  const answers = await readTogether(upstream, new Map(reads));
  return [...answers].flatMap(([each, { body }]) => {
    const { data } = Called.safeParse(body);
    return data === undefined ? [] : [[each, data.displayName]];
  });
};

const pathsOf = async (where: Where, ids: readonly string[]): Promise<Names> => {
  if (ids.length === 0) return [];
  const { folders: all } = await listFolders(where, { recursive: true, includeHidden: true });
  return all.filter(({ id }) => ids.includes(id)).map(({ id, path: place }) => [id, place]);
};

/** Those whose mail starts something. */
export const incomingFolders = definePicker({
  name: 'incoming_folders',
  query: InMailbox,
  options: async ({ mailbox }, { upstream }) =>
    optionsOf((await shownFolders(mailbox, upstream)).filter(({ wellKnownName }) => !isSilent(wellKnownName))),
  named: async (values, { mailbox }, { upstream }) => {
    const where = { upstream, mailbox };
    const everyday = values.filter(isEveryday);
    const others = values.filter((each) => !isEveryday(each));
    return new Map([...(await namesOfEveryday(where, everyday)), ...(await pathsOf(where, others))]);
  },
});

export const labels = definePicker({
  name: 'labels',
  query: InMailbox,
  options: async ({ mailbox }, { upstream }) =>
    (await readLabels(upstream, mailbox)).map(({ name, color }) => ({ value: name, label: name, hint: color })),
});
