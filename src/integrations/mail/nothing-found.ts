import type { StepContext } from '#kit';
import { conditionsOf, FilterFault, parseFilter } from './filter/index.ts';
import { sameLabel, settingsReadable } from './label-changes.ts';
import { readLabels } from './labels.ts';

const elsewhere =
  'Folder, label, read state and exact times have inputs of their own: folder, label, isRead, receivedAfter.';

/** What is odd about a search query, which the service takes without a word and finds nothing by. */
const oddity = (query: string): string | undefined => {
  try {
    parseFilter(query);
    return undefined;
  } catch (error) {
    if (!(error instanceof FilterFault)) throw error;
    return `Nothing was found, perhaps because of the query. ${error.message} ${elsewhere}`;
  }
};

/** Labels that a search query asks for by their whole names. */
const labelsIn = (query: string): string[] => {
  try {
    const asked = conditionsOf(parseFilter(query).clause);
    return asked.flatMap((each) => (each.kind === 'category' && each.match === 'equals' ? [each.text] : []));
  } catch {
    return [];
  }
};

/** Where nothing was found: says what there is not, or what the service may have understood in another way. */
export const explainNothing = async (
  { upstream, account, warn }: Pick<StepContext, 'upstream' | 'account' | 'warn'>,
  {
    mailbox,
    query = '',
    label,
  }: { mailbox: string | undefined; query?: string | undefined; label: string | undefined },
): Promise<void> => {
  const odd = query.trim() === '' ? undefined : oddity(query);
  if (odd !== undefined) warn(odd);
  const labels = [...labelsIn(query), ...(label === undefined ? [] : [label])];
  if (labels.length === 0 || !settingsReadable(account.scopes)) return;
  // That nothing was found is true also where the labels cannot be looked at.
  const offered = await readLabels(upstream, mailbox).catch(() => undefined);
  if (offered === undefined) return;
  const unknown = labels.filter((each) => !offered.some(({ name }) => sameLabel(name, each)));
  for (const each of new Set(unknown)) {
    warn(`This mailbox has no label "${each}"; it has ${offered.map(({ name }) => `"${name}"`).join(', ') || 'none'}.`);
  }
};
