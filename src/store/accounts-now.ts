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
  const isClosed = sql<boolean>`(state = 'connected' and coalesce(${head} = any(${lost}::bytea[]), false))`;
  return state === 'connected'
    ? sql<boolean>`state = 'connected' and not ${isClosed}`
    : sql<boolean>`(state = 'needs_reconnect' or ${isClosed})`;
};
