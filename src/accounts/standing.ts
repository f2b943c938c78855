import { sql } from 'kysely';
import type { Clock } from '#clock';
import type { Actor, Database, Store } from '#store';
import { recordAudit } from '#workspaces';

export type Where = { workspaceId: string; accountId: string };

/** What the house does by itself. */
export const house: Actor = { kind: 'system', id: 'system', name: 'Switchboard' };

export type NeedsReconnect = Where & { integration: string; name: string; endUserId?: string; reason: string };

/** Told in the transaction in which an account is marked, so that nobody is told of what did not happen. */
export type OnNeedsReconnect = (tx: Database, account: NeedsReconnect) => Promise<void>;

/** Marks an account whose credential of this version the service refuses. A newer credential is not blamed. */
export const markRefused = (
  { store, clock, onNeedsReconnect }: { store: Store; clock: Clock; onNeedsReconnect: OnNeedsReconnect },
  { workspaceId, accountId }: Where,
  version: number,
  reason: string,
): Promise<void> =>
  store
    .of(workspaceId)
    .transaction()
    .execute(async (tx) => {
      const marked = await tx
        .updateTable('accounts')
        .set({
          state: 'needs_reconnect',
          // A pause outlives that.
          paused_at: sql<Date | null>`case when state = 'paused' then paused_at end`,
          reason,
          refresh_owner: null,
          refresh_until: null,
        })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', accountId)
        .where('version', '=', version)
        .where('state', 'in', ['connected', 'paused'])
        .returning(['integration', 'name', 'end_user_id'])
        .executeTakeFirst();
      if (marked === undefined) return;
      const record = { workspaceId, actor: house, action: 'account.needs_reconnect' as const, target: accountId };
      await recordAudit(tx, clock, { ...record, details: { reason } });
      const { integration, name, end_user_id: endUserId } = marked;
      const told = { workspaceId, accountId, integration, name, reason };
      await onNeedsReconnect(tx, endUserId === null ? told : { ...told, endUserId });
    })
    .then(() => store.pulse.tell(`account ${accountId}`));
