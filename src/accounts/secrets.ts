import type { Clock } from '#clock';
import { afterId, type Catalogue, type Identity, type Page, type PageRequest, toPage } from '#kit';
import { type Actor, newId, type Sealer, type Store } from '#store';
import { recordAudit } from '#workspaces';
import { type AccountRow, calledBy, placeOf } from './account.ts';
import type { Caller } from './calls.ts';
import type { Disconnect } from './disconnect.ts';
import { proveTyped, type TypedCredential } from './typed.ts';

export type Secret = { id: string; integration: string; name: string; identity: Identity; createdAt: Date };

/** Credentials for step configuration. They are used like accounts and never read back. */
export type Secrets = {
  list(workspaceId: string, page: PageRequest): Promise<Page<Secret>>;
  /** Stores a typed credential, which the service must accept first. */
  create(workspaceId: string, credential: TypedCredential, actor: Actor): Promise<Secret>;
  remove(workspaceId: string, id: string, actor: Actor): Promise<void>;
};

const show = ({ id, integration, name, identity, created_at }: AccountRow): Secret => ({
  id,
  integration,
  name,
  identity,
  createdAt: created_at,
});

export const createSecrets = (options: {
  store: Store;
  sealer: Sealer;
  clock: Clock;
  catalogue: Catalogue;
  caller: Caller;
  disconnect: Disconnect;
}): Secrets => {
  const { store, sealer, clock, disconnect } = options;
  return {
    list: async (workspaceId, page) => {
      const after = afterId('sec', page);
      const rows = await store
        .of(workspaceId)
        .selectFrom('accounts')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('kind', '=', 'secret')
        .where('state', '<>', 'disconnected')
        .$if(after !== undefined, (query) => query.where('id', '<', after as string))
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return toPage(rows, page, show);
    },

    create: async (workspaceId, given, actor) => {
      const { integration, method, credential, identity } = await proveTyped(options, given);
      const now = clock.now();
      const id = newId('sec', now);
      return store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const row = await tx
            .insertInto('accounts')
            .values({
              id,
              workspace_id: workspaceId,
              kind: 'secret',
              integration: integration.name,
              name: given.name ?? calledBy(identity),
              identity: JSON.stringify(identity),
              identity_id: identity.id,
              state: 'connected',
              auth_method: method.type,
              permission_types: ['standard'],
              scopes: [...method.scopes],
              credential: sealer.seal(JSON.stringify(credential), placeOf(workspaceId, id)),
              created_at: now,
            })
            .returningAll()
            .executeTakeFirstOrThrow();
          const details = { integration: integration.name, identity: calledBy(identity) };
          await recordAudit(tx, clock, { workspaceId, actor, action: 'secret.created', target: id, details });
          return show(row);
        });
    },

    remove: (workspaceId, id, actor) => disconnect(workspaceId, id, 'secret', actor),
  };
};
