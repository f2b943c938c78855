import type { Call } from '../call.ts';
import type { Board, List } from '../model.ts';
import { invalidValue } from '../refusal.ts';

/** The lists of a board by `all`, `open`, `closed` or `none`. */
export const listsOf = (call: Call, board: Board, filter: string): List[] => {
  const lists = call.world.listsIn(board.id);
  if (filter === 'all') return [...lists];
  if (filter === 'none') return [];
  if (filter !== 'open' && filter !== 'closed') throw invalidValue('filter');
  return lists.filter(({ closed }) => closed === (filter === 'closed'));
};
