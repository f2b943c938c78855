import { type RawBuilder, sql, type UpdateObject } from 'kysely';
import type { Clock } from '#clock';
import {
  type AuditAction,
  afterId,
  type Catalogue,
  type CatalogueStep,
  Fault,
  type Page,
  type PageRequest,
  toPage,
  wrong,
} from '#kit';
import {
  type AccountState,
  type Actor,
  accountsOf,
  accountsShownAs,
  type Database,
  holds,
  type Sealer,
  type Store,
  settleMs,
  type Tables,
} from '#store';
import { toUpstream, understood } from '#upstream';
import { recordAudit, stopped } from '#workspaces';
import { type Account, leftAccount, showAccount, showStanding, unknownAccount } from './account.ts';
import { type Called, type CalledHow, createCalled, createIdOf } from './by-name.ts';
import type { Caller } from './calls.ts';
import type { Disconnect } from './disconnect.ts';
import { keepAccount, type OnReconnected } from './keep.ts';
import { endPause, type OnResumed, stateAfterRefusal } from './pausing.ts';
import type { ReadAccount, SeenAccount } from './read-together.ts';
import { lackedBy } from './readiness.ts';
import { proveTyped, type TypedCredential } from './typed.ts';
import { integrationOf, methodOf } from './ways.ts';

/** An account as it was chosen. The row itself is out of reach of whatever writes objects down. */
export type Chosen = Account & { seen(): SeenAccount };

export type AccountFilter = {
  integration?: string | undefined;
  permissionType?: string | undefined;
  /** Null: those of no end user. */
  endUserId?: string | null | undefined;
  /** As it is shown. */
  state?: Exclude<AccountState, 'disconnected'> | undefined;
  /** A part of its name or of who it is. */
  query?: string | undefined;
};

/** Connected accounts: connect, look after, disconnect. */
export type Accounts = {
  list(workspaceId: string, filter: AccountFilter, page: PageRequest): Promise<Page<Account>>;
  /** For an end user, another's account looks like an unknown one. `within`: whoever holds a transaction asks through it. */
  get(workspaceId: string, id: string, endUserId?: string, within?: Database): Promise<Account>;
  /** Those that are called so, by their exact name or address. */
  called(workspaceId: string, given: string, how: Omit<CalledHow, 'field'>): Promise<Called[]>;
  /** The id of what is named by its id, its exact name or its address; several that are called so are refused. */
  idOf(workspaceId: string, given: string, how: CalledHow): Promise<string>;
  /** Connects by a typed credential, which the service must accept first. A known identity's account is updated. */
  connect(workspaceId: string, credential: TypedCredential, actor: Actor): Promise<Account>;
  rename(workspaceId: string, id: string, name: string, actor: Actor): Promise<Account>;
  setPaused(workspaceId: string, id: string, paused: boolean, actor: Actor): Promise<Account>;
  /** When it returns, the credential is gone and no call of any process uses it any more. */
  disconnect(workspaceId: string, id: string, actor: Actor): Promise<void>;
  /** Asks the service whether the credential still works; a refused one becomes needs_reconnect. */
  test(workspaceId: string, id: string, actor: Actor): Promise<{ works: boolean; account: Account; reason?: string }>;
  /** Whom a run acts as: the named account or secret, or the only account that qualifies. Never a guess. */
  choose(
    workspaceId: string,
    step: CatalogueStep,
    named: { accountId?: string | undefined; secretId?: string | undefined; endUserId?: string | undefined },
  ): Promise<Chosen>;
  /** Whom a run acts as, by the id it was begun with: an account or a secret. */
  holder(workspaceId: string, id: string): Promise<Account>;
};

/** Without an end user the whole workspace is meant. */
const isFor = (row: { end_user_id: string | null }, endUserId: string | undefined): boolean =>
  endUserId === undefined || row.end_user_id === endUserId;

/** By what people know an account. */
const known = sql`concat_ws(' ', name, identity ->> 'name', identity ->> 'address', identity ->> 'username')`;

const live: readonly AccountState[] = ['connected', 'paused', 'needs_reconnect'];

export const createAccounts = (options: {
  store: Store;
  sealer: Sealer;
  clock: Clock;
  catalogue: Catalogue;
  caller: Caller;
  disconnect: Disconnect;
  read: ReadAccount;
  onReconnected: OnReconnected;
  onResumed: OnResumed;
}): Accounts => {
  const { store, sealer, clock, catalogue, caller, disconnect, read, onReconnected, onResumed } = options;
  const show = showStanding(sealer);

  const holders = (workspaceId: string, db: Database = store.of(workspaceId)) =>
    db.selectFrom('accounts').selectAll().where('workspace_id', '=', workspaceId);
  const find = (workspaceId: string, db?: Database) => holders(workspaceId, db).where('kind', '=', 'account');

  const get: Accounts['get'] = async (workspaceId, id, endUserId, within) => {
    const row = await find(workspaceId, within).where('id', '=', id).executeTakeFirst();
    if (row === undefined || !isFor(row, endUserId)) throw unknownAccount();
    return show(row);
  };

  const change = async (
    workspaceId: string,
    id: string,
    values: UpdateObject<Tables, 'accounts'>,
    allowedFrom: readonly AccountState[],
    record: { actor: Actor; action: AuditAction; details?: Record<string, unknown> },
    before?: (tx: Database) => Promise<void>,
  ): Promise<Account> => {
    const account = await store
      .of(workspaceId)
      .transaction()
      .execute(async (tx) => {
        await before?.(tx);
        const row = await tx
          .updateTable('accounts')
          .set(values)
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id)
          .where('kind', '=', 'account')
          .where('state', 'in', allowedFrom)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) {
          const { state } = await get(workspaceId, id, undefined, tx);
          const standing = state === 'needs_reconnect' ? 'must be connected again' : `is ${state}`;
          throw new Fault('conflict', `This account ${standing}, so this cannot be done now.`);
        }
        await recordAudit(tx, clock, { workspaceId, target: id, ...record });
        return show(row);
      });
    store.pulse.tell(`account ${id}`);
    return account;
  };

  const named = async (
    { workspaceId, id, endUserId }: { workspaceId: string; id: string; endUserId?: string | undefined },
    kind: 'account' | 'secret',
    step: CatalogueStep,
  ): Promise<Chosen> => {
    const where = { workspaceId, accountId: id };
    const isTheirs = (row: SeenAccount | undefined): row is SeenAccount => row?.kind === kind && isFor(row, endUserId);
    let row = await read(where);
    const fits =
      isTheirs(row) && row.stopped_at === null && row.state === 'connected' && lackedBy(row, step).length === 0;
    if (!fits) row = await read(where, { anew: true });
    if (!isTheirs(row)) throw new Fault('not_found', `There is no such ${kind}.`);
    if (row.state === 'disconnected') throw leftAccount(kind);
    const integration = step.integration.name;
    if (row.integration !== integration) {
      throw wrong(`${kind}Id`, `This ${kind} belongs to "${row.integration}", the step needs "${integration}".`);
    }
    if (row.stopped_at !== null) throw stopped();
    const seen = row;
    return { ...showAccount(seen), seen: () => seen };
  };

  const called = createCalled(store);

  return {
    get,
    called,
    idOf: createIdOf(called),

    holder: async (workspaceId, id) => {
      const row = await holders(workspaceId).where('id', '=', id).executeTakeFirst();
      if (row === undefined) throw unknownAccount();
      return showAccount(row);
    },

    list: async (workspaceId, { integration, permissionType, endUserId, state, query: part }, page) => {
      const after = afterId('acc', page);
      const isShownSo = state === undefined ? undefined : await accountsShownAs(options, workspaceId, state);
      const rows = await find(workspaceId)
        .where('state', '<>', 'disconnected')
        .$if(isShownSo !== undefined, (query) => query.where(isShownSo as RawBuilder<boolean>))
        .$if(part !== undefined, (query) => query.where(holds(known, part as string)))
        .$if(integration !== undefined, (query) => query.where('integration', '=', integration as string))
        .$if(endUserId !== undefined, (query) => query.where(accountsOf(endUserId as string | null)))
        .$if(permissionType !== undefined, (query) =>
          query.where(sql<boolean>`permission_types @> array[${permissionType}::text]`),
        )
        .$if(after !== undefined, (query) => query.where('id', '<', after as string))
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return toPage(rows, page, show);
    },

    connect: async (workspaceId, given, actor) => {
      const { integration, method, credential, identity } = await proveTyped({ catalogue, caller }, given);
      const proven = {
        workspaceId,
        integration: integration.name,
        method: method.type,
        identity,
        credential,
        scopes: method.scopes,
        permissionTypes: ['standard'] as const,
        endUserId: undefined,
        name: given.name,
        actor,
      };
      const row = await store
        .of(workspaceId)
        .transaction()
        .execute((tx) => keepAccount(tx, { clock, sealer, onReconnected }, proven));
      store.pulse.tell(`account ${row.id}`);
      return showAccount(row);
    },

    rename: (workspaceId, id, name, actor) =>
      change(workspaceId, id, { name }, live, {
        actor,
        action: 'account.renamed',
        details: { name },
      }),

    setPaused: async (workspaceId, id, paused, actor) => {
      const at = clock.now();
      const record = { actor, action: paused ? ('account.paused' as const) : ('account.resumed' as const) };
      const values = paused
        ? {
            state: 'paused' as const,
            paused_at: sql<Date>`case when state = 'paused' then paused_at else ${at}::timestamptz end`,
          }
        : { state: 'connected' as const, paused_at: null };
      const account = await change(workspaceId, id, values, ['connected', 'paused'], record, async (tx) => {
        if (!paused) await endPause(tx, { workspaceId, accountId: id }, at, onResumed);
      });
      // Until then a process could still begin a call by an older look.
      if (paused) await clock.sleep(settleMs);
      return account;
    },

    disconnect: (workspaceId, id, actor) => disconnect(workspaceId, id, 'account', actor),

    test: async (workspaceId, id, actor) => {
      const account = await get(workspaceId, id);
      if (account.state === 'disconnected') throw unknownAccount();
      const integration = integrationOf(catalogue, account.integration);
      const upstream = toUpstream(
        (request) => caller.asAccount(workspaceId, id, request, { evenIfIdle: true }),
        integration.upstream.readFault,
      );
      try {
        await understood(methodOf(integration, account.authMethod).identify(upstream));
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'reconnect_needed') throw error;
        return { works: false, account: await get(workspaceId, id), reason: error.message };
      }
      const { state } = await get(workspaceId, id);
      if (state !== 'needs_reconnect') return { works: true, account: await get(workspaceId, id) };
      const values = { state: stateAfterRefusal, reason: null };
      const restored = await change(workspaceId, id, values, live, { actor, action: 'account.works_again' });
      return { works: true, account: restored };
    },

    choose: async (workspaceId, step, { accountId, secretId, endUserId }) => {
      if (accountId !== undefined && secretId !== undefined) {
        throw wrong(['accountId', 'secretId'], 'Give accountId or secretId, not both.');
      }
      if (secretId !== undefined) return named({ workspaceId, id: secretId }, 'secret', step);
      if (accountId !== undefined) return named({ workspaceId, id: accountId, endUserId }, 'account', step);
      const integration = step.integration.name;
      const rows = await find(workspaceId)
        .where('integration', '=', integration)
        .where('state', '<>', 'disconnected')
        // An end user's account is used by its name alone, and never offered to others.
        .where(accountsOf(endUserId ?? null))
        .orderBy('id', 'desc')
        .limit(20)
        .execute();
      const [only, ...others] = rows;
      if (only === undefined) {
        const all = find(workspaceId).where('integration', '=', integration).where('state', '<>', 'disconnected');
        if (endUserId === undefined && (await all.limit(1).executeTakeFirst()) !== undefined) {
          const way = 'name the one to act for as endUserId, or connect an account without an end user.';
          throw wrong('endUserId', `The ${integration} accounts here belong to end users; ${way}`);
        }
        const whose = endUserId === undefined ? '' : ' for this end user';
        throw new Fault('invalid_input', `No ${integration} account is connected${whose}; connect one first.`, {
          details: { connect: { integration, ...(endUserId === undefined ? {} : { endUserId }) } },
        });
      }
      if (others.length === 0) return named({ workspaceId, id: only.id }, 'account', step);
      const candidates = rows.map(({ id, name, state }) => ({ id, name, ...(state === 'connected' ? {} : { state }) }));
      throw wrong('accountId', 'Several accounts qualify; name one of the candidates as accountId.', { candidates });
    },
  };
};
