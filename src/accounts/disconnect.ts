import { type Clock, orLate } from '#clock';
import { Fault } from '#kit';
import { type Actor, type Store, settleMs } from '#store';
import { recordAudit } from '#workspaces';
import type { AccountRow } from './account.ts';
import type { Revocations } from './revocations.ts';
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
  clock: Clock;
  wire: Wire;
  revocations: Revocations;
  farewell: Farewell;
}): Disconnect => {
  const { store, clock, wire, revocations, farewell } = options;

  /** Takes the credential out of the account. False: it was gone already. */
  const takeOut = (workspaceId: string, id: string, kind: AccountRow['kind'], actor: Actor) =>
    store
      .of(workspaceId)
      .transaction()
      .execute(async (tx): Promise<boolean> => {
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
        if (row.state === 'disconnected') return false;
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
        const details = { integration: row.integration, name: row.name };
        await recordAudit(tx, clock, { workspaceId, actor, action, target: id, details });
        await revocations.keep(tx, row, actor);
        return true;
      });

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
    if (!(await takeOut(workspaceId, id, kind, actor))) return;
    store.pulse.tell(`account ${id}`);
    wire.end(id);
    await farewell.atOnce(workspaceId, id);
    // Until then a process could still begin a call for which it looked the account up before.
    await clock.sleep(settleMs);
    await revocations.end(workspaceId, id);
    // Much may have to be erased; it goes on, and is taken up by others should this process end.
    await orLate(clock, farewell.after(workspaceId, id), patienceMs, undefined);
  };
};
