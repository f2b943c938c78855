import type { Grant } from '#kit';
import { type Sealer, type Store, Unreadable } from '#store';
import { placeOf } from './account.ts';
import type { Where } from './standing.ts';

type Means = { store: Store; sealer: Sealer };

/** Keeps what the service wants to be told at the next sign-in, with the grant that it refused for it. */
export const keepClaims = async (
  { store, sealer }: Means,
  { workspaceId, accountId }: Where,
  version: number,
  grant: Grant,
): Promise<void> => {
  await store
    .of(workspaceId)
    .updateTable('accounts')
    .set({ credential: sealer.seal(JSON.stringify(grant), placeOf(workspaceId, accountId)) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', accountId)
    .where('version', '=', version)
    .where('state', '<>', 'disconnected')
    .execute();
};

/** What the service wants to be told when this account is connected again. */
export const claimsFor = async (
  { store, sealer }: Means,
  { workspaceId, accountId }: Where,
): Promise<string | undefined> => {
  const row = await store
    .of(workspaceId)
    .selectFrom('accounts')
    .select('credential')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', accountId)
    .where('auth_method', '=', 'oauth2')
    .executeTakeFirst();
  if (row?.credential === null || row?.credential === undefined) return undefined;
  try {
    return (JSON.parse(sealer.open(row.credential, placeOf(workspaceId, accountId))) as Grant).claims;
  } catch (error) {
    // It is replaced by what this sign-in brings.
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
};
