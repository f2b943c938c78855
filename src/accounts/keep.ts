import { sql } from 'kysely';
import type { Clock } from '#clock';
import type { Identity, PermissionType } from '#kit';
import { type Actor, type Database, newId, type Sealer } from '#store';
import { recordAudit } from '#workspaces';
import { type AccountRow, calledBy, placeOf } from './account.ts';
import type { Where } from './standing.ts';

/** A credential that the service has accepted, and whose it is. */
export type Proven = {
  workspaceId: string;
  integration: string;
  method: string;
  identity: Identity;
  credential: unknown;
  scopes: readonly string[];
  permissionTypes: readonly PermissionType[];
  endUserId: string | undefined;
  name: string | undefined;
  actor: Actor;
};

/** Told in the transaction in which a known account gets another credential, perhaps with more granted. */
export type OnReconnected = (tx: Database, account: Where) => Promise<void>;

/** Stores a proven credential: in the account of this identity where there is one, in a new account otherwise. */
export const keepAccount = async (
  tx: Database,
  { clock, sealer, onReconnected }: { clock: Clock; sealer: Sealer; onReconnected: OnReconnected },
  { workspaceId, integration, method, identity, credential, name, endUserId, actor, ...granted }: Proven,
): Promise<AccountRow> => {
  const now = clock.now();
  // Two people who connect the same identity at the same moment share one account.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`connect ${workspaceId} ${integration} ${identity.id}`}, 0))`.execute(
    tx,
  );
  const known = await tx
    .selectFrom('accounts')
    .select(['id', 'name', 'version', 'granted_ever', 'identity', 'state', 'paused_at'])
    .where('workspace_id', '=', workspaceId)
    .where('integration', '=', integration)
    .where('identity_id', '=', identity.id)
    .where('kind', '=', 'account')
    .where('end_user_id', endUserId === undefined ? 'is' : '=', endUserId ?? null)
    .where('state', '<>', 'disconnected')
    .forUpdate()
    .executeTakeFirst();
  const isPaused = known?.state === 'paused' || (known?.state === 'needs_reconnect' && known.paused_at !== null);
  const id = known?.id ?? newId('acc', now);
  const values = {
    name: name ?? known?.name ?? calledBy(identity),
    identity: JSON.stringify({ ...known?.identity, ...identity }),
    // Who paused it resumes it: others may hold a link that connects it again.
    state: isPaused ? ('paused' as const) : ('connected' as const),
    reason: null,
    auth_method: method,
    permission_types: [...granted.permissionTypes],
    granted_ever: [...new Set([...(known?.granted_ever ?? []), ...granted.permissionTypes])],
    scopes: [...granted.scopes],
    credential: sealer.seal(JSON.stringify(credential), placeOf(workspaceId, id)),
    version: (known?.version ?? 0) + 1,
    refresh_owner: null,
    refresh_until: null,
  };
  const fixed = {
    id,
    workspace_id: workspaceId,
    integration,
    identity_id: identity.id,
    end_user_id: endUserId ?? null,
    created_at: now,
    disconnected_at: null,
  };
  const row = await (known === undefined
    ? tx
        .insertInto('accounts')
        .values({ ...fixed, ...values })
        .returningAll()
    : tx.updateTable('accounts').set(values).where('workspace_id', '=', workspaceId).where('id', '=', id).returningAll()
  ).executeTakeFirstOrThrow();
  const action = known === undefined ? 'account.connected' : 'account.reconnected';
  const details = { integration, by: method, identity: calledBy(identity) };
  await recordAudit(tx, clock, { workspaceId, actor, action, target: id, details });
  if (known !== undefined) await onReconnected(tx, { workspaceId, accountId: id });
  return row;
};
