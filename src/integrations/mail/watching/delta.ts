import { z } from 'zod';
import { Fault, path, type UpstreamAnswer, type WatchContext } from '#kit';
import { readFault } from '../faults.ts';
import { encode, type Read, readAlone, readTogether } from '../together.ts';
import { toldLink } from '../told.ts';
import { below, prefer } from '../wire.ts';
import { inFilter, Light, lightFields } from './cursor.ts';

type Where = { mailbox: string | undefined; context: WatchContext };

const Page = z.object({
  value: z.array(z.unknown()),
  '@odata.nextLink': toldLink,
  '@odata.deltaLink': z.string().optional(),
});

/** One page of changes. `next` is where to go on, `isLast` whether the round is over. */
export type Changes<T> = { entries: T[]; next: string; isLast: boolean };
/** `expired`: the position is too old, begin anew. `gone`: there is no such folder any more. */
export type Told<T> = Changes<T> | 'expired' | 'gone';

const pageSize = 50;
export const mostAtOnce = 20;

/** A link leads where it likes; only its parameters are used, on our own path. */
const searchOf = (link: string): string => new URL(link, 'http://localhost').search.slice(1);

const pageOf = <T>(answer: UpstreamAnswer, shape: z.ZodType<T>): Told<T> => {
  if (answer.status === 410) return 'expired';
  if (answer.status === 404) return 'gone';
  if (answer.status !== 200) throw readFault(answer);
  const page = Page.parse(answer.body);
  const link = page['@odata.nextLink'] ?? page['@odata.deltaLink'];
  if (link === undefined) throw new Fault('upstream_unavailable', 'The mail service does not say where changes go on.');
  const entries = page.value.flatMap((each) => shape.safeParse(each).data ?? []);
  return { entries, next: searchOf(link), isLast: page['@odata.nextLink'] === undefined };
};

const FolderChange = z.object({
  id: z.string(),
  displayName: z.string().nullish(),
  parentFolderId: z.string().nullish(),
  '@removed': z.unknown().optional(),
});

/** Folders that were made, changed or removed; at first all of them, at every level. */
export const folderChanges = async (
  { mailbox, context }: Where,
  position: string | null,
): Promise<Told<z.output<typeof FolderChange>>> => {
  const search = position ?? encode({ $select: 'id,displayName,parentFolderId' });
  const headers = prefer('odata.maxpagesize=200');
  const read = { path: below(mailbox, path`/mailFolders/delta`), search, headers };
  return pageOf(await readAlone(context.upstream, read), FolderChange);
};

/** A folder, and where its changes go on; without a position, from this time on. */
export type Spot = { folder: string; position: string | null; from: string };

const searchFor = ({ position, from }: Spot): string =>
  position ??
  encode({
    $select: lightFields,
    $filter: `receivedDateTime ge ${inFilter(from)}`,
    // Mail that is merely read or flagged is not told again.
    changeType: 'created',
  });

/** A page of what came into each of these folders, asked for together. */
export const messageChanges = async (
  { mailbox, context }: Where,
  spots: readonly Spot[],
): Promise<ReadonlyMap<string, Told<Light>>> => {
  const headers = prefer(`odata.maxpagesize=${pageSize}`);
  const reads = spots.map((spot): [string, Read] => [
    spot.folder,
    { path: below(mailbox, path`/mailFolders/${spot.folder}/messages/delta`), search: searchFor(spot), headers },
  ]);
  const answers = await readTogether(context.upstream, new Map(reads));
  return new Map([...answers].map(([folder, answer]) => [folder, pageOf(answer, Light)]));
};
