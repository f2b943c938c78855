import { type RawBuilder, sql } from 'kysely';
import type { Sealer } from './sealing.ts';
import type { Store } from './store.ts';
import type { AccountState } from './tables.ts';

/** Which accounts are shown in this state: one whose credential is closed to our keys is not shown as connected. */
export const accountsShownAs = async (
  { store, sealer }: { store: Store; sealer: Sealer },
  workspaceId: string,
  state: AccountState,
): Promise<RawBuilder<boolean>> => {
  if (state !== 'connected' && state !== 'needs_reconnect') return sql<boolean>`state = ${state}`;
  // It begins with the number of its key.
  const head = sql<Buffer>`substring(credential from 1 for 5)`;
  const keys = await store
    .of(workspaceId)
    .selectFrom('accounts')
    .select(head.as('head'))
    .distinct()
    .where('workspace_id', '=', workspaceId)
    .where('state', '=', 'connected')
    .where('credential', 'is not', null)
    .execute();
  const lost = keys.map((key) => key.head).filter((key) => !sealer.hasKeyOf(key));
  if (lost.length === 0) return sql<boolean>`state = ${state}`;
  const isClosed = sql<boolean>`(state = 'connected' and coalesce(${head} = any(${lost}::bytea[]), false))`;
  return state === 'connected'
    ? sql<boolean>`state = 'connected' and not ${isClosed}`
    : sql<boolean>`(state = 'needs_reconnect' or ${isClosed})`;
};

/** Those of an end user, or of none: told apart, as no index finds what "is not distinct from" something. */
export const accountsOf = (endUserId: string | null): RawBuilder<boolean> =>
  endUserId === null ? sql<boolean>`end_user_id is null` : sql<boolean>`end_user_id = ${endUserId}`;

/** Those that have left, and of which not everything is erased: in the words of their index, as no others are taken for them. */
export const accountsLeaving = sql<boolean>`state = 'disconnected' and open_runs is distinct from '{}'`;
