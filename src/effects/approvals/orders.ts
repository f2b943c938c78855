import type { SelectQueryBuilder } from 'kysely';
import { afterId, cursorAfter, fromListCursor, type PageRequest, type Stretch, toListCursor, wrong } from '#kit';
import type { Tables } from '#store';

/** Newest first, or, of those that wait, what expires soonest first. */
export type ApprovalOrder = 'newest' | 'expiring';

type Placed = { id: string; expires_at: Date };
type Among<O> = SelectQueryBuilder<Tables, 'approvals' | 'accounts', O>;

/** How a list is gone through in an order: by places, each of which leads on to what comes after it. */
type Order = {
  placeOf(row: Placed): string;
  /** Where a page begins; nothing for the first one. */
  placeAfter(page: PageRequest): string | undefined;
  cursorOf(place: string): string;
  /** Up to the first of a stretch, beginning after its other end. */
  between<O>(among: Among<O>, within: Stretch): Among<O>;
};

const newest: Order = {
  placeOf: ({ id }) => id,
  placeAfter: (page) => afterId('apr', page),
  cursorOf: cursorAfter,
  between: (among, { first, after }) =>
    among
      .$if(first !== undefined, (query) => query.where('approvals.id', '>=', first as string))
      .$if(after !== undefined, (query) => query.where('approvals.id', '<', after as string))
      .orderBy('approvals.id', 'desc'),
};

const list = 'approvals, expiring';
const shape = /^(\d{1,15})\.(apr_[0-9a-z]{26})$/;

const momentAndId = (place: string): [Date, string] => {
  const [, ms, id = ''] = shape.exec(place) ?? [];
  return [new Date(Number(ms)), id];
};

const expiring: Order = {
  /** The time belongs to its place: what waits is asked for again with more time, and then stands elsewhere. */
  placeOf: ({ expires_at: at, id }) => `${at.getTime()}.${id}`,
  placeAfter: ({ cursor }) => {
    if (cursor === undefined) return undefined;
    const place = fromListCursor(list, cursor);
    if (shape.test(place)) return place;
    throw wrong('cursor', 'This cursor is not one of this list; use the nextCursor of its last answer.');
  },
  cursorOf: (place) => toListCursor(list, place),
  between: (among, { first, after }) =>
    among
      .$if(first !== undefined, (query) =>
        query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('approvals.expires_at', 'approvals.id'), '<=', tuple(...momentAndId(first as string))),
        ),
      )
      .$if(after !== undefined, (query) =>
        query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('approvals.expires_at', 'approvals.id'), '>', tuple(...momentAndId(after as string))),
        ),
      )
      .orderBy('approvals.expires_at')
      .orderBy('approvals.id'),
};

export const orders: Record<ApprovalOrder, Order> = { newest, expiring };
