import { z } from 'zod';
import { Fault, type Path, path, type UpstreamAnswer, type WatchContext } from '#kit';
import { readFault } from '../faults.ts';
import { below, prefer } from '../wire.ts';
import { inFilter, Light, lightFields } from './cursor.ts';

type Where = { mailbox: string | undefined; context: WatchContext };

const Page = z.object({
  value: z.array(z.unknown()),
  '@odata.nextLink': z.string().optional(),
  '@odata.deltaLink': z.string().optional(),
});
const Batch = z.object({
  responses: z.array(
    z.object({
      id: z.string(),
      status: z.number(),
      headers: z.record(z.string(), z.string()).optional(),
      body: z.unknown().optional(),
    }),
  ),
});

/** One page of changes. `next` is where to go on, `isLast` whether the round is over. */
export type Changes<T> = { entries: T[]; next: string; isLast: boolean };
/** `expired`: the position is too old, begin anew. `gone`: there is no such folder any more. */
export type Told<T> = Changes<T> | 'expired' | 'gone';

const pageSize = 50;
export const mostAtOnce = 20;

/** A link leads where it likes; only its parameters are used, on our own path. */
const searchOf = (link: string): string => new URL(link, 'http://localhost').search.slice(1);

const encode = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

const decode = (search: string): Record<string, string> =>
  Object.fromEntries(
    search.split('&').map((pair) => {
      const at = pair.indexOf('=');
      return [decodeURIComponent(pair.slice(0, at)), decodeURIComponent(pair.slice(at + 1))];
    }),
  );

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

const get = (context: WatchContext, target: Path, search: string, headers: { prefer: string }) =>
  context.upstream.request({ method: 'GET', path: target, query: decode(search), headers });

const FolderChange = z.object({
  id: z.string(),
  displayName: z.string().nullish(),
  '@removed': z.unknown().optional(),
});

/** Folders that were made, changed or removed; at first all of them, at every level. */
export const folderChanges = async (
  { mailbox, context }: Where,
  position: string | null,
): Promise<Told<z.output<typeof FolderChange>>> => {
  const search = position ?? encode({ $select: 'id,displayName' });
  const headers = prefer('odata.maxpagesize=200');
  return pageOf(await get(context, below(mailbox, path`/mailFolders/delta`), search, headers), FolderChange);
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

const asAnswer = ({ status, headers = {}, body }: z.output<typeof Batch>['responses'][number]): UpstreamAnswer => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  body,
});

/** A page of what came into each of these folders, asked for together. */
export const messageChanges = async (
  { mailbox, context }: Where,
  spots: readonly Spot[],
): Promise<ReadonlyMap<string, Told<Light>>> => {
  const headers = prefer(`odata.maxpagesize=${pageSize}`);
  const targetOf = (folder: string) => below(mailbox, path`/mailFolders/${folder}/messages/delta`);
  const answers = new Map<string, UpstreamAnswer>();
  if (spots.length > 1) {
    const requests = spots.map((spot, index) => ({
      id: String(index),
      method: 'GET',
      url: `${targetOf(spot.folder)}?${searchFor(spot)}`,
      headers: { Prefer: headers.prefer },
    }));
    const { responses } = Batch.parse(await context.upstream.post(path`/$batch`, { body: { requests } }));
    for (const each of responses) answers.set(spots[Number(each.id)]?.folder ?? '', asAnswer(each));
  }
  const found = new Map<string, Told<Light>>();
  for (const spot of spots) {
    const together = answers.get(spot.folder);
    // Parts of a batch are throttled one by one; those are asked for again at the usual pace.
    const isBusy = together === undefined || together.status === 429 || together.status >= 500;
    const answer = isBusy ? await get(context, targetOf(spot.folder), searchFor(spot), headers) : together;
    found.set(spot.folder, pageOf(answer, Light));
  }
  return found;
};
