import { sql } from 'kysely';
import { type KeyRing, keyRingFromText, keyRingInFolder } from './key-ring.ts';
import { createSealer, type Place, Unreadable, versionOf } from './sealing.ts';
import type { Store } from './store.ts';

/** A sealed value and where it lives. */
export type SealedSample = Place & { sealed: Buffer };

const sampled = [
  ['accounts', 'credential', 'id'],
  ['webhooks', 'secret', 'id'],
  ['agents', 'hook_secret', 'id'],
  ['workspaces', 'model_key', 'workspace_id'],
] as const;

/** A few of the newest sealed values of each kind, of all workspaces. */
export const sealedSamples = sampled
  .map(
    ([table, column, row]) =>
      `(select '${table}' as table, '${column}' as column, workspace_id as workspace, ${row} as row, ${column} as sealed
        from ${table} where ${column} is not null order by ${row} desc limit 8)`,
  )
  .join(' union all ');

export const readSamples = async (store: Store): Promise<SealedSample[]> =>
  (await sql.raw<SealedSample>(sealedSamples).execute(store.system)).rows;

export const keyRingFor = (config: { encryptionKey: string | undefined; dataDir: string }): KeyRing =>
  config.encryptionKey === undefined ? keyRingInFolder(config.dataDir) : keyRingFromText(config.encryptionKey);

/**
 * Whether these keys open what is stored. `wrong`: they open nothing of it, although it was not sealed by keys that an
 * even newer one has replaced.
 */
export const tryKeys = (ring: KeyRing, samples: readonly SealedSample[]): { closed: string[]; wrong: boolean } => {
  const sealer = createSealer(ring);
  const closed: string[] = [];
  let newest = 0;
  for (const { sealed, ...place } of samples) {
    try {
      sealer.open(sealed, place);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      closed.push(`${place.table}.${place.column} of ${place.row}: ${error.message}`);
      newest = Math.max(newest, versionOf(sealed));
    }
  }
  const none = closed.length > 0 && closed.length === samples.length;
  return { closed, wrong: none && newest >= ring.newest().version };
};

/** What to do about it. */
export const otherKey = 'put back the one it was sealed with, and its number, as in "2:<key>"';
