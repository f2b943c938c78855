import type { Selectable } from 'kysely';
import { createKept, grouped, type Store, type Tables } from '#store';
import { tokenDigest } from './tokens.ts';

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

  const findTogether = grouped(async (digests: string[]) => {
    const rows = await store.planned<FoundKey>(look, [digests.map((digest) => Buffer.from(digest, 'base64'))]);
    const byDigest = new Map(rows.map((row) => [row.hash.toString('base64'), row]));
    return digests.map((digest) => byDigest.get(digest));
  });

  return {
    find: async (key) => {
      const digest = tokenDigest(key);
      const known = kept.find(digest);
      if (known !== undefined) return known.row;
      const lookedAt = performance.now();
      const row = await findTogether(digest);
      if (row !== undefined) kept.keep(digest, row, lookedAt, [`key ${row.id}`]);
      return row;
    },
  };
};
