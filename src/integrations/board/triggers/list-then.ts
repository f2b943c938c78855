import { z } from 'zod';
import { path, type WatchContext } from '#kit';
import { unlessGone } from '../faults.ts';
import { firstIdAt } from '../ids.ts';
import { type Acted, Named } from './action.ts';

/* Some actions name no list, and by the time that their card is read it may lie elsewhere. */

/** Asked for along with a card: how it was moved. */
export const movesOfCard = { actions: 'updateCard:idList,moveCardToBoard', actions_limit: 1000 };

const Move = z.object({
  id: z.string(),
  date: z.string(),
  data: z.object({ card: z.object({ id: z.string() }), listBefore: Named.optional(), list: Named.optional() }),
});

/** What happened first to the card after this was told, of some that the service lists. */
const nextOf = ({ id, date, told, data }: Acted, actions: readonly unknown[]) =>
  actions
    .flatMap((each) => Move.safeParse(each).data ?? [])
    .filter((move) => move.data.card.id === data.card?.id && (told === undefined ? move.id > id : move.date > date))
    .sort((a, b) => (a.id < b.id ? -1 : 1))[0];

/** The list in which the card was when this happened; without `now` it is gone. `null`: nobody can tell any more. */
export const listThen = async (
  delivery: Acted,
  now: { list: Named; actions: readonly unknown[] } | undefined,
  upstream: WatchContext['upstream'],
): Promise<Named | null> => {
  const { id, date, told, data } = delivery;
  const next = now && nextOf(delivery, now.actions);
  if (now !== undefined && next === undefined) return now.list;
  if (next?.data.listBefore !== undefined) return next.data.listBefore;
  // Of a card that was deleted or went to another board, the board that it left tells from which list.
  const query = {
    filter: 'updateCard:idList,moveCardFromBoard,deleteCard',
    since: told === undefined ? id : firstIdAt(new Date(date)),
    limit: 1000,
  };
  const listed = z
    .array(z.unknown())
    .safeParse(await unlessGone(upstream.get(path`/1/boards/${data.board.id}/actions`, { query }))).data;
  const left = nextOf(delivery, listed ?? [])?.data;
  return left?.listBefore ?? left?.list ?? null;
};
