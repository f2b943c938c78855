import type { Selectable } from 'kysely';
import { freshMs, grouped, type Store, type Tables } from '#store';
import { hashToken } from './tokens.ts';

export type FoundKey = Pick<
  Selectable<Tables['api_keys']>,
  'id' | 'workspace_id' | 'name' | 'hash' | 'scopes' | 'per_second' | 'burst' | 'last_used_at' | 'expires_at'
>;

export type KeyLooks = {
  /** The key's row, as it was at most `freshMs` ago. */
  find(key: string): Promise<FoundKey | undefined>;
  /** This process looks again. */
  forget(hash: Buffer): void;
};

const most = 10_000;

// Found by their digests before any workspace is known, hence the house's own view.
const look = {
  name: 'look_at_keys',
  text: `select id, workspace_id, name, hash, scopes, per_second, burst, last_used_at, expires_at
    from api_keys where hash = any($1) and revoked_at is null`,
};

/**
 * Looks keys up by their digests. Callers who ask at the same moment share a query, and a look counts for half a second:
 * a revocation waits until no process goes by an older one.
 */
export const createKeyLooks = (store: Store): KeyLooks => {
  const looks = new Map<string, { row: FoundKey; at: number }>();

  const findTogether = grouped(async (hashes: Buffer[]) => {
    const rows = await store.planned<FoundKey>(look, [hashes]);
    const byHash = new Map(rows.map((row) => [row.hash.toString('base64'), row]));
    return hashes.map((hash) => byHash.get(hash.toString('base64')));
  });

  return {
    find: async (key) => {
      const hash = hashToken(key);
      const name = hash.toString('base64');
      const now = performance.now();
      const known = looks.get(name);
      if (known !== undefined && now - known.at < freshMs) return known.row;
      const row = await findTogether(hash);
      if (looks.size >= most) looks.clear();
      if (row === undefined) looks.delete(name);
      else looks.set(name, { row, at: now });
      return row;
    },
    forget: (hash) => void looks.delete(hash.toString('base64')),
  };
};
