import type { Trigger } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useRead } from '../../data/use-read.ts';

/** What the boards of a trigger's account are called, by their ids. Their service is asked for it. */
export const useBoardNames = (
  { accountId, watches, config }: Trigger,
  isWanted = true,
): ReadonlyMap<string, string> => {
  const { may } = useSession();
  const hasBoards = watches.some(({ resource }) => resource.startsWith('board/')) || config['boards'] !== undefined;
  const query = { params: { id: 'boards' }, query: { accountId } };
  const { data } = useRead('GET /v1/options/{id}', query, { enabled: hasBoards && isWanted && may('builder') });
  return new Map(data?.items.map(({ value, label }) => [value, `“${label}”`]));
};

export const boardsOf = ({ config }: Trigger): string[] => {
  const boards: unknown = config['boards'];
  return Array.isArray(boards) ? boards.filter((each) => typeof each === 'string') : [];
};

const mostNamed = 2;

/** What tells a trigger for boards from others of its kind. */
export const useBoardsInWords = (trigger: Trigger, isWanted = true): string | undefined => {
  const boards = boardsOf(trigger);
  const names = useBoardNames(trigger, isWanted && boards.length > 0);
  const named = boards.flatMap((id) => names.get(id) ?? []).slice(0, mostNamed);
  if (named.length === 0) return undefined;
  const more = boards.length - named.length;
  return `on ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
};
