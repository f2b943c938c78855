import type { Selectable } from 'kysely';
import { createKept, grouped, type Store, type Tables } from '#store';
import { hashToken } from './tokens.ts';

export type FoundKey = Pick<
  Selectable<Tables['api_keys']>,
  'id' | 'workspace_id' | 'name' | 'hash' | 'scopes' | 'per_second' | 'burst' | 'last_used_at' | 'expires_at'
>;

export type KeyLooks = {
  /** The key's row, as it was at most half a second ago. */
  find(key: string): Promise<FoundKey | undefined>;
};

// Found by their digests before any workspace is known, hence the house's own view.
const look = {
  name: 'look_at_keys',
  text: `select id, workspace_id, name, hash, scopes, per_second, burst, last_used_at, expires_at
    from api_keys where hash = any($1) and revoked_at is null`,
};

/**
 * Looks keys up by their digests. Callers who ask at the same moment share a query, and a look counts until a change is
 * told: a revocation waits until every process has heard of it.
 */
export const createKeyLooks = (store: Store): KeyLooks => {
  const kept = createKept<FoundKey>(store.pulse);

  const findTogether = grouped(async (hashes: Buffer[]) => {
    const rows = await store.planned<FoundKey>(look, [hashes]);
    const byHash = new Map(rows.map((row) => [row.hash.toString('base64'), row]));
    return hashes.map((hash) => byHash.get(hash.toString('base64')));
  });

  return {
    find: async (key) => {
      const hash = hashToken(key);
      const name = hash.toString('base64');
      const known = kept.find(name);
      if (known !== undefined) return known.row;
      const lookedAt = performance.now();
      const row = await findTogether(hash);
      if (row !== undefined) kept.keep(name, row, lookedAt, [`key ${row.id}`]);
      return row;
    },
  };
};
