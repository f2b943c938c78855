import { type StepContext, sameName } from '#kit';
import { conditionsOf, FilterFault, parseFilter } from './filter/index.ts';
import { settingsReadable } from './label-changes.ts';
import { readLabels } from './labels.ts';

const elsewhere =
  'Folder, label, read state and exact times have inputs of their own: folder, label, isRead, receivedAfter.';

const allNeeded =
  'Nothing was found: a mail has to hold all of these words. Give fewer, or put OR between them in query; those within one keyword or in quotes must stand next to each other.';

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

/** Words that a search query asks for wherever they stand; none where one of several is enough. */
const wordsIn = (query: string): string[] => {
  try {
    const { clause } = parseFilter(query);
    const parts = clause.kind === 'and' ? clause.parts : [clause];
    return parts.flatMap((each) => (each.kind === 'word' ? each.text.split(/\s+/) : []));
  } catch {
    return [];
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
    keywords,
    label,
  }: {
    mailbox: string | undefined;
    query?: string | undefined;
    keywords: readonly string[];
    label: string | undefined;
  },
): Promise<void> => {
  const odd = query.trim() === '' ? undefined : oddity(query);
  if (odd !== undefined) warn(odd);
  const words = [...wordsIn(query), ...keywords.flatMap((each) => each.trim().split(/\s+/))];
  if (odd === undefined && words.length > 1) warn(allNeeded);
  const labels = [...labelsIn(query), ...(label === undefined ? [] : [label])];
  if (labels.length === 0 || !settingsReadable(account.scopes)) return;
  // That nothing was found is true also where the labels cannot be looked at.
  const offered = await readLabels(upstream, mailbox).catch(() => undefined);
  if (offered === undefined) return;
  const unknown = labels.filter((each) => !offered.some(({ name }) => sameName(name, each)));
  for (const each of new Set(unknown)) {
    warn(`This mailbox has no label "${each}"; it has ${offered.map(({ name }) => `"${name}"`).join(', ') || 'none'}.`);
  }
};
