import type { Selectable } from 'kysely';
import type { Clock } from '#clock';
import {
  afterId,
  type Catalogue,
  Fault,
  type Identity,
  type Integration,
  type Page,
  type PageRequest,
  type TypedAuth,
  toPage,
} from '#kit';
import { type AccountState, type Actor, newId, type Sealer, type Store, type Tables } from '#store';
import { toUpstream } from '#upstream';
import { recordAudit } from '#workspaces';
import type { Caller } from './calls.ts';

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

export type TypedCredential = {
  integration: string;
  auth: { type: string } & Record<string, unknown>;
  name?: string | undefined;
};

/** Connected accounts: connect, look after, disconnect. */
export type Accounts = {
  list(
    workspaceId: string,
    filter: { integration?: string | undefined; permissionType?: string | undefined },
    page: PageRequest,
  ): Promise<Page<Account>>;
  get(workspaceId: string, id: string): Promise<Account>;
  /** Connects by a typed credential, which the service must accept first. A known identity's account is updated. */
  connect(workspaceId: string, credential: TypedCredential, actor: Actor): Promise<Account>;
  rename(workspaceId: string, id: string, name: string, actor: Actor): Promise<Account>;
  setPaused(workspaceId: string, id: string, paused: boolean, actor: Actor): Promise<Account>;
  /** When it returns, the credential is gone and no call of this process uses it any more. */
  disconnect(workspaceId: string, id: string, actor: Actor): Promise<void>;
  /** Asks the service whether the credential still works; a refused one becomes needs_reconnect. */
  test(workspaceId: string, id: string, actor: Actor): Promise<{ works: boolean; account: Account; reason?: string }>;
  /** The account to use: the named one, or the only one that qualifies. Never a guess. */
  choose(workspaceId: string, integration: string, id: string | undefined): Promise<Account>;
};

type Row = Selectable<Tables['accounts']>;

const show = (row: Row): Account => {
  return {
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
  };
};

const live: readonly AccountState[] = ['connected', 'paused', 'needs_reconnect'];

const unknown = () => new Fault('not_found', 'There is no such account.');

export const createAccounts = (options: {
  store: Store;
  sealer: Sealer;
  clock: Clock;
  catalogue: Catalogue;
  caller: Caller;
}): Accounts => {
  const { store, sealer, clock, catalogue, caller } = options;

  const find = (workspaceId: string) =>
    store.of(workspaceId).selectFrom('accounts').selectAll().where('workspace_id', '=', workspaceId);

  const get = async (workspaceId: string, id: string): Promise<Account> => {
    const row = await find(workspaceId).where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw unknown();
    return show(row);
  };

  const integrationOf = (name: string): Integration => {
    const integration = catalogue.integration(name);
    if (integration !== undefined) return integration;
    const known = catalogue.integrations.map((each) => each.name).join(', ');
    throw new Fault('invalid_input', `There is no integration "${name}"; there are: ${known}.`);
  };

  const methodOf = (integration: Integration, type: string): TypedAuth => {
    const typed = integration.auth.filter((each) => each.way === 'typed');
    const method = typed.find((each) => each.type === type);
    if (method !== undefined) return method;
    const known = typed.map((each) => each.type).join(', ');
    throw new Fault('invalid_input', `${integration.title} cannot be connected by "${type}"; use one of: ${known}.`);
  };

  const parseCredential = (method: TypedAuth, given: Record<string, unknown>): Record<string, unknown> => {
    const parsed = method.credential.strict().safeParse(given);
    if (parsed.success) return parsed.data;
    const fields = parsed.error.issues.map(({ path, message }) => ({ field: ['auth', ...path].join('.'), message }));
    throw new Fault('invalid_input', 'The credential is incomplete or malformed.', { details: { fields } });
  };

  const change = async (
    workspaceId: string,
    id: string,
    values: { name?: string; state?: AccountState; reason?: string | null },
    allowedFrom: readonly AccountState[],
    record: { actor: Actor; action: string; details?: Record<string, unknown> },
  ): Promise<Account> =>
    store
      .of(workspaceId)
      .transaction()
      .execute(async (tx) => {
        const row = await tx
          .updateTable('accounts')
          .set(values)
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id)
          .where('state', 'in', allowedFrom)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) {
          const { state } = await get(workspaceId, id);
          throw new Fault('conflict', `This account is ${state.replace('_', ' ')}, so this cannot be done now.`);
        }
        await recordAudit(tx, clock, { workspaceId, target: id, ...record });
        return show(row);
      });

  return {
    get,

    list: async (workspaceId, { integration, permissionType }, page) => {
      const after = afterId(page);
      const rows = await find(workspaceId)
        .where('state', '<>', 'disconnected')
        .$if(integration !== undefined, (query) => query.where('integration', '=', integration as string))
        .$if(permissionType !== undefined, (query) => query.where('permission_types', '@>', [permissionType as string]))
        .$if(after !== undefined, (query) => query.where('id', '<', after as string))
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return toPage(rows, page, show);
    },

    connect: async (workspaceId, { integration: name, auth: { type, ...given }, name: label }, actor) => {
      const integration = integrationOf(name);
      const method = methodOf(integration, type);
      const credential = parseCredential(method, given);
      const upstream = toUpstream(
        (request) => caller.withCredential(integration, credential, request),
        integration.upstream.readFault,
      );
      const identity = await method.identify(upstream).catch((error: unknown) => {
        if (!(error instanceof Fault && error.code === 'reconnect_needed')) throw error;
        const message = 'The service does not accept this credential; check that it was copied whole.';
        throw new Fault('invalid_input', message, { details: error.details ?? {} });
      });
      const createdAt = clock.now();
      return store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const known = await tx
            .selectFrom('accounts')
            .select(['id', 'name'])
            .where('workspace_id', '=', workspaceId)
            .where('integration', '=', name)
            .where('identity_id', '=', identity.id)
            .where('end_user_id', 'is', null)
            .where('state', '<>', 'disconnected')
            .forUpdate()
            .executeTakeFirst();
          const id = known?.id ?? newId('acc', createdAt);
          const place = { workspace: workspaceId, table: 'accounts', row: id, column: 'credential' };
          const values = {
            name: label ?? known?.name ?? identity.username ?? identity.address ?? identity.name,
            identity: JSON.stringify(identity),
            state: 'connected' as const,
            reason: null,
            auth_method: type,
            permission_types: ['standard'],
            scopes: [...method.scopes],
            credential: sealer.seal(JSON.stringify(credential), place),
          };
          const fixed = {
            id,
            workspace_id: workspaceId,
            integration: name,
            identity_id: identity.id,
            end_user_id: null,
            created_at: createdAt,
            disconnected_at: null,
          };
          const row = await (known === undefined
            ? tx
                .insertInto('accounts')
                .values({ ...fixed, ...values })
                .returningAll()
            : tx
                .updateTable('accounts')
                .set(values)
                .where('workspace_id', '=', workspaceId)
                .where('id', '=', id)
                .returningAll()
          ).executeTakeFirstOrThrow();
          const action = known === undefined ? 'account.connected' : 'account.reconnected';
          const details = {
            integration: name,
            by: type,
            identity: identity.username ?? identity.address ?? identity.id,
          };
          await recordAudit(tx, clock, { workspaceId, actor, action, target: id, details });
          return show(row);
        });
    },

    rename: (workspaceId, id, name, actor) =>
      change(workspaceId, id, { name }, live, {
        actor,
        action: 'account.renamed',
        details: { name },
      }),

    setPaused: (workspaceId, id, paused, actor) =>
      paused
        ? change(workspaceId, id, { state: 'paused' }, ['connected', 'paused'], { actor, action: 'account.paused' })
        : change(workspaceId, id, { state: 'connected' }, ['connected', 'paused'], {
            actor,
            action: 'account.resumed',
          }),

    disconnect: async (workspaceId, id, actor) => {
      await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const gone = await tx
            .updateTable('accounts')
            .set({ state: 'disconnected', credential: null, reason: null, disconnected_at: clock.now() })
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', id)
            .where('state', '<>', 'disconnected')
            .returning('id')
            .executeTakeFirst();
          // Disconnecting twice is no mistake, an id nobody knows is.
          if (gone === undefined) return void (await get(workspaceId, id));
          await recordAudit(tx, clock, { workspaceId, actor, action: 'account.disconnected', target: id });
        });
      caller.endCalls(id);
    },

    test: async (workspaceId, id, actor) => {
      const account = await get(workspaceId, id);
      if (account.state === 'disconnected') throw unknown();
      const integration = integrationOf(account.integration);
      const method = methodOf(integration, account.authMethod);
      const upstream = toUpstream(
        (request) => caller.asAccount(workspaceId, id, request, { evenIfIdle: true }),
        integration.upstream.readFault,
      );
      try {
        await method.identify(upstream);
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'reconnect_needed') throw error;
        const reason = error.message;
        const values = { state: 'needs_reconnect' as const, reason };
        const record = { actor, action: 'account.needs_reconnect', details: { reason } };
        return { works: false, account: await change(workspaceId, id, values, live, record), reason };
      }
      if (account.state !== 'needs_reconnect') return { works: true, account };
      const values = { state: 'connected' as const, reason: null };
      const restored = await change(workspaceId, id, values, live, { actor, action: 'account.works_again' });
      return { works: true, account: restored };
    },

    choose: async (workspaceId, integration, id) => {
      if (id !== undefined) {
        const account = await get(workspaceId, id);
        if (account.state === 'disconnected') throw unknown();
        if (account.integration !== integration) {
          throw new Fault(
            'invalid_input',
            `This account belongs to "${account.integration}", the step needs "${integration}".`,
          );
        }
        return account;
      }
      const rows = await find(workspaceId)
        .where('integration', '=', integration)
        .where('state', '<>', 'disconnected')
        .orderBy('id', 'desc')
        .limit(20)
        .execute();
      const [only, ...others] = rows;
      if (only === undefined) {
        throw new Fault('invalid_input', `No ${integration} account is connected; connect one first.`);
      }
      if (others.length === 0) return show(only);
      const candidates = rows.map((row) => ({ id: row.id, name: row.name }));
      throw new Fault('invalid_input', 'Several accounts qualify; name one of the candidates as accountId.', {
        details: { candidates },
      });
    },
  };
};
