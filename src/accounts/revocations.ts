import { sql } from 'kysely';
import type { Clock } from '#clock';
import type { AuthMethod, Catalogue, Grant, Integration } from '#kit';
import type { Log } from '#log';
import { type Actor, type Database, type Sealer, type Store, Unreadable } from '#store';
import { recordAudit } from '#workspaces';
import { type AccountRow, placeOf } from './account.ts';
import type { Revocation, Revoker } from './revoke.ts';

/** What is to be ended at the services, once each, whichever process lives to do it. */
export type Revocations = {
  /** Keeps what an account was granted, where its service lets it be ended, as its credential is taken out. */
  keep(tx: Database, row: AccountRow, actor: Actor): Promise<void>;
  /** Ends it at the service, records how that went, and forgets it. */
  end(workspaceId: string, accountId: string): Promise<void>;
  /** Goes on with what others have begun. */
  sweep(): Promise<void>;
};

type Left = { workspaceId: string; accountId: string };
type Way = { integration: Integration; method: AuthMethod };

/** Services may keep each waiting for its whole deadline, and other sweeps wait meanwhile. */
const atOnce = 8;

const keptAt = (workspaceId: string, accountId: string) => ({
  workspace: workspaceId,
  table: 'revocations',
  row: accountId,
  column: 'credential',
});

export const createRevocations = (options: {
  store: Store;
  sealer: Sealer;
  clock: Clock;
  catalogue: Catalogue;
  revoker: Revoker;
  log: Log;
}): Revocations => {
  const { store, sealer, clock, catalogue, revoker, log } = options;

  const wayOf = (row: Pick<AccountRow, 'integration' | 'auth_method'>): Way | undefined => {
    const integration = catalogue.integration(row.integration);
    const method = integration?.auth.find(({ type }) => type === row.auth_method);
    return integration === undefined || method === undefined ? undefined : { integration, method };
  };

  const openIfPossible = (sealed: Buffer, place: ReturnType<typeof placeOf>): string | undefined => {
    try {
      return sealer.open(sealed, place);
    } catch (error) {
      if (error instanceof Unreadable) return undefined;
      throw error;
    }
  };

  const find = ({ workspaceId, accountId }: Left) =>
    store
      .of(workspaceId)
      .selectFrom('revocations')
      .innerJoin('accounts', (join) =>
        join
          .onRef('accounts.workspace_id', '=', 'revocations.workspace_id')
          .onRef('accounts.id', '=', 'revocations.account_id'),
      )
      .select(['revocations.credential', 'actor', 'integration', 'auth_method', 'identity_id'])
      .where('revocations.workspace_id', '=', workspaceId)
      .where('revocations.account_id', '=', accountId)
      .executeTakeFirst();

  /** Whoever is first tells how it went. */
  const finish = (left: Left, actor: Actor, outcome: Revocation): Promise<void> =>
    store
      .of(left.workspaceId)
      .transaction()
      .execute(async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('revocations')
          .where('workspace_id', '=', left.workspaceId)
          .where('account_id', '=', left.accountId)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return;
        const action = outcome === 'revoked' ? 'account.revoked' : 'account.not_revoked';
        const details = outcome === 'revoked' ? {} : { reason: outcome };
        const { workspaceId, accountId: target } = left;
        await recordAudit(tx, clock, { workspaceId, actor, action, target, details });
      });

  const end = async (left: Left, { again }: { again: boolean }): Promise<void> => {
    const found = await find(left);
    if (found === undefined) return;
    const way = wayOf(found);
    const text = openIfPossible(found.credential, keptAt(left.workspaceId, left.accountId));
    if (way === undefined || text === undefined) return finish(left, found.actor, 'failed');
    const { method } = way;
    const opened: unknown = JSON.parse(text);
    const grant = method.way === 'oauth2' ? (opened as Grant) : undefined;
    const credential = method.way === 'oauth2' ? method.toCredential(opened as Grant) : opened;
    // One that is over by itself is refused also while what was granted lasts.
    const isOver = grant?.expiresAt !== undefined && grant.expiresAt <= clock.now().getTime();
    const identityId = found.identity_id;
    const outcome = await revoker.revoke({ ...way, credential, identityId, again: again && !isOver });
    await finish(left, found.actor, outcome);
  };

  return {
    keep: async (tx, row, actor) => {
      const method = wayOf(row)?.method;
      if (row.credential === null || method === undefined || method.way === 'typed' || !method.revoke) return;
      const text = openIfPossible(row.credential, placeOf(row.workspace_id, row.id));
      if (text === undefined) return;
      await tx
        .insertInto('revocations')
        .values({
          workspace_id: row.workspace_id,
          account_id: row.id,
          credential: sealer.seal(text, keptAt(row.workspace_id, row.id)),
          actor: JSON.stringify(actor),
        })
        .execute();
    },

    end: (workspaceId, accountId) => end({ workspaceId, accountId }, { again: false }),

    sweep: async () => {
      // Of all workspaces: whoever has left. By then whoever had it has ended it, or is dead.
      const { rows } = await sql<Left>`
        update revocations set take_up_at = clock_timestamp() + interval '1 min'
        where (workspace_id, account_id) in (
          select workspace_id, account_id from revocations where take_up_at < clock_timestamp()
          order by take_up_at limit ${atOnce} for update skip locked)
        returning workspace_id as "workspaceId", account_id as "accountId"`.execute(store.system);
      await Promise.all(
        rows.map((left) =>
          end(left, { again: true }).catch((error: unknown) =>
            log.warn({ err: error, accountId: left.accountId }, 'a grant is not ended yet; the next sweep tries again'),
          ),
        ),
      );
    },
  };
};
