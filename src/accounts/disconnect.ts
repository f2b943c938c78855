import { type Clock, orLate } from '#clock';
import { type Catalogue, Fault, type Grant } from '#kit';
import { type Actor, type Sealer, type Store, settleMs, Unreadable } from '#store';
import { recordAudit } from '#workspaces';
import { type AccountRow, placeOf } from './account.ts';
import type { Revoker } from './revoke.ts';
import { methodOf } from './ways.ts';
import type { Wire } from './wire.ts';

/** When it returns, the credential is gone and no call of any process uses it any more. */
export type Disconnect = (workspaceId: string, id: string, kind: AccountRow['kind'], actor: Actor) => Promise<void>;

/** What others do when an account leaves. */
export type Farewell = {
  /** While the credential still works; answers what could not be ended at the service. */
  before(workspaceId: string, accountId: string): Promise<string[]>;
  /** As soon as it is gone: from now on nobody approves what it would have sent. */
  atOnce(workspaceId: string, accountId: string): Promise<void>;
  /** When no call is under way any more. Fails never. */
  after(workspaceId: string, accountId: string): Promise<void>;
};

const patienceMs = 5_000;

export const createDisconnect = (options: {
  store: Store;
  sealer: Sealer;
  clock: Clock;
  catalogue: Catalogue;
  wire: Wire;
  revoker: Revoker;
  farewell: Farewell;
}): Disconnect => {
  const { store, sealer, clock, catalogue, wire, revoker, farewell } = options;

  /** Takes the credential out of the database. `undefined`: it was gone already. */
  const takeOut = (workspaceId: string, id: string, kind: AccountRow['kind'], actor: Actor) =>
    store
      .of(workspaceId)
      .transaction()
      .execute(async (tx): Promise<AccountRow | undefined> => {
        const row = await tx
          .selectFrom('accounts')
          .selectAll()
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id)
          .where('kind', '=', kind)
          .forUpdate()
          .executeTakeFirst();
        if (row === undefined) throw new Fault('not_found', `There is no such ${kind}.`);
        // Disconnecting twice is no mistake.
        if (row.state === 'disconnected') return undefined;
        await tx
          .updateTable('accounts')
          .set({
            state: 'disconnected',
            credential: null,
            reason: null,
            disconnected_at: clock.now(),
            open_runs: null,
            version: row.version + 1,
            refresh_owner: null,
            refresh_until: null,
          })
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id)
          .execute();
        const action = kind === 'account' ? 'account.disconnected' : 'secret.deleted';
        await recordAudit(tx, clock, { workspaceId, actor, action, target: id });
        return row;
      });

  /** Ends at the service what was granted to us, and records how that went. */
  const revoke = async (workspaceId: string, row: AccountRow, actor: Actor): Promise<void> => {
    const integration = catalogue.integration(row.integration);
    if (integration === undefined || row.credential === null) return;
    const method = methodOf(integration, row.auth_method);
    let opened: unknown;
    try {
      opened = JSON.parse(sealer.open(row.credential, placeOf(workspaceId, row.id)));
    } catch (error) {
      if (error instanceof Unreadable) return;
      throw error;
    }
    const credential = method.way === 'oauth2' ? method.toCredential(opened as Grant) : opened;
    const outcome = await revoker.revoke({ integration, method, credential, identityId: row.identity_id });
    if (outcome === 'not_offered') return;
    const action = outcome === 'revoked' ? 'account.revoked' : 'account.not_revoked';
    const details = outcome === 'revoked' ? {} : { reason: outcome };
    await recordAudit(store.of(workspaceId), clock, { workspaceId, actor, action, target: row.id, details });
  };

  /** A service that does not answer keeps nobody from leaving; what it still holds is shown. */
  const sayFarewell = async (workspaceId: string, id: string, actor: Actor): Promise<void> => {
    const late = ['The service did not answer in time.'];
    const failures = await orLate(clock, farewell.before(workspaceId, id), patienceMs, late);
    if (failures.length === 0) return;
    const action = 'account.registrations_left';
    await recordAudit(store.of(workspaceId), clock, { workspaceId, actor, action, target: id, details: { failures } });
  };

  return async (workspaceId, id, kind, actor) => {
    if (kind === 'account') await sayFarewell(workspaceId, id, actor);
    const row = await takeOut(workspaceId, id, kind, actor);
    if (row === undefined) return;
    store.pulse.tell(`account ${id}`);
    wire.end(id);
    await farewell.atOnce(workspaceId, id);
    // Until then a process could still begin a call for which it looked the account up before.
    await clock.sleep(settleMs);
    await revoke(workspaceId, row, actor);
    // Much may have to be erased; it goes on, and is taken up by others should this process end.
    await orLate(clock, farewell.after(workspaceId, id), patienceMs, undefined);
  };
};
