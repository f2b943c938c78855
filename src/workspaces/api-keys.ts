import type { Selectable } from 'kysely';
import type { Clock } from '#clock';
import { afterId, Fault, type Page, type PageRequest, toPage, wrong } from '#kit';
import { type Actor, newId, type Store, settleMs, type Tables } from '#store';
import { scopes as allScopes, type Caller, type Scope } from './access.ts';
import { recordAudit } from './audit.ts';
import type { Rate } from './budgets.ts';
import { createKeyLooks } from './key-looks.ts';
import { hashToken, newToken } from './tokens.ts';

export type ApiKey = {
  id: string;
  name: string;
  hint: string;
  scopes: string[];
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
};

const usual: Rate = { perSecond: 50, burst: 200 };
const noteUseEveryMs = 60_000;

/** Server-to-server credentials: shown once, stored as digests. */
export type ApiKeys = {
  list(workspaceId: string, page: PageRequest): Promise<Page<ApiKey>>;
  create(
    workspaceId: string,
    key: { name: string; scopes: readonly Scope[]; expiresAt?: Date | undefined },
    actor: Actor,
  ): Promise<ApiKey & { key: string }>;
  /** When it returns, no process accepts the key any more. */
  revoke(workspaceId: string, id: string, actor: Actor): Promise<void>;
  find(key: string): Promise<{ caller: Extract<Caller, { kind: 'key' }>; rate: Rate } | undefined>;
  /** Stores a key whose value the operator chose, once; every scope, no expiry. */
  bootstrap(workspaceId: string, key: string): Promise<void>;
};

const show = (row: Selectable<Tables['api_keys']>): ApiKey => ({
  id: row.id,
  name: row.name,
  hint: row.hint,
  scopes: row.scopes,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
});

const starter: Actor = { kind: 'system', id: 'system', name: 'BOOTSTRAP_API_KEY' };

export const createApiKeys = ({ store, clock }: { store: Store; clock: Clock }): ApiKeys => {
  const looks = createKeyLooks(store);

  const row = (workspaceId: string, key: string, name: string, scopes: readonly Scope[], createdBy: string) => {
    const createdAt = clock.now();
    return {
      id: newId('key', createdAt),
      workspace_id: workspaceId,
      name,
      hash: hashToken(key),
      hint: `…${key.slice(-4)}`,
      scopes: [...new Set(scopes)],
      per_second: usual.perSecond,
      burst: usual.burst,
      created_by: createdBy,
      created_at: createdAt,
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
    };
  };

  return {
    list: async (workspaceId, page) => {
      const after = afterId('key', page);
      const rows = await store
        .of(workspaceId)
        .selectFrom('api_keys')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .$if(after !== undefined, (query) => query.where('id', '<', after as string))
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return toPage(rows, page, show);
    },

    create: async (workspaceId, { name, scopes, expiresAt }, actor) => {
      if (expiresAt !== undefined && expiresAt <= clock.now()) {
        throw wrong('expiresAt', 'expiresAt lies in the past.');
      }
      const key = newToken('sbk');
      const values = { ...row(workspaceId, key, name, scopes, actor.id), expires_at: expiresAt ?? null };
      await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          await tx.insertInto('api_keys').values(values).execute();
          const details = { name, scopes: values.scopes };
          await recordAudit(tx, clock, { workspaceId, actor, action: 'api_key.created', target: values.id, details });
        });
      return { ...show(values), key };
    },

    revoke: async (workspaceId, id, actor) => {
      await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const found = await tx
            .updateTable('api_keys')
            .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(clock.now())) }))
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', id)
            .returning('name')
            .executeTakeFirst();
          if (found === undefined) throw new Fault('not_found', 'There is no such API key.');
          const details = { name: found.name };
          await recordAudit(tx, clock, { workspaceId, actor, action: 'api_key.revoked', target: id, details });
        });
      store.pulse.tell(`key ${id}`);
      await clock.sleep(settleMs);
    },

    find: async (key) => {
      const found = await looks.find(key);
      const now = clock.now();
      if (found === undefined || (found.expires_at !== null && found.expires_at <= now)) return undefined;
      if (found.last_used_at === null || now.getTime() - found.last_used_at.getTime() > noteUseEveryMs) {
        found.last_used_at = now;
        await store.system.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', found.id).execute();
      }
      const actor = { kind: 'key' as const, id: found.id, name: found.name };
      return {
        caller: { kind: 'key', workspaceId: found.workspace_id, actor, keyId: found.id, scopes: found.scopes },
        rate: { perSecond: found.per_second, burst: found.burst },
      };
    },

    bootstrap: async (workspaceId, key) => {
      const values = row(workspaceId, key, 'Bootstrap key', allScopes, 'system');
      await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const made = await tx
            .insertInto('api_keys')
            .values(values)
            .onConflict((on) => on.column('hash').doNothing())
            .returning('id')
            .executeTakeFirst();
          if (made === undefined) return;
          const details = { name: values.name, scopes: values.scopes };
          await recordAudit(tx, clock, {
            workspaceId,
            actor: starter,
            action: 'api_key.created',
            target: made.id,
            details,
          });
        });
    },
  };
};
