import type { Selectable } from 'kysely';
import { Fault, type Identity } from '#kit';
import { type AccountState, type Sealer, sealedByLostKey, type Tables } from '#store';

export type Account = {
  id: string;
  integration: string;
  name: string;
  identity: Identity;
  state: AccountState;
  reason?: string;
  authMethod: string;
  permissionTypes: string[];
  scopes: string[];
  endUserId?: string;
  createdAt: Date;
};

export type AccountRow = Selectable<Tables['accounts']>;

export const showAccount = (
  row: Omit<AccountRow, 'disconnected_at' | 'granted_ever' | 'refresh_owner' | 'refresh_until'>,
): Account => ({
  id: row.id,
  integration: row.integration,
  name: row.name,
  identity: row.identity,
  state: row.state,
  ...(row.reason === null ? {} : { reason: row.reason }),
  authMethod: row.auth_method,
  permissionTypes: row.permission_types,
  scopes: row.scopes,
  ...(row.end_user_id === null ? {} : { endUserId: row.end_user_id }),
  createdAt: row.created_at,
});

/** One whose credential is closed to our keys works as little as one that its service refuses, and says so. */
export const showStanding =
  (sealer: Sealer) =>
  (row: AccountRow): Account => {
    const account = showAccount(row);
    const closed = row.state === 'connected' && row.credential !== null && !sealer.hasKeyOf(row.credential);
    return closed ? { ...account, state: 'needs_reconnect', reason: sealedByLostKey } : account;
  };

/** Another workspace's account looks exactly like this, too. */
export const unknownAccount = () => new Fault('not_found', 'There is no such account.');

/** One of one's own that is known no more than by its name. */
export const leftAccount = (kind: AccountRow['kind']): Fault => {
  const what = kind === 'account' ? 'This account was disconnected' : 'This secret was deleted';
  return new Fault('not_found', `${what}, so nothing is done with it any more; choose another one.`);
};

export const placeOf = (workspaceId: string, accountId: string) => ({
  workspace: workspaceId,
  table: 'accounts',
  row: accountId,
  column: 'credential',
});

/** How a person recognises who this is. */
export const calledBy = (identity: Identity): string => identity.username ?? identity.address ?? identity.name;
