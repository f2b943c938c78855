import { sql } from 'kysely';
import { type KeyRing, keyRingFromText, keyRingInFolder } from './key-ring.ts';
import { createSealer, type Place, type Sealer, Unreadable, versionOf } from './sealing.ts';
import type { Store } from './store.ts';

/** A sealed value and where it lives. */
export type SealedSample = Place & { sealed: Buffer };

const sampled = [
  ['house', 'sign', undefined],
  ['accounts', 'credential', 'id'],
  ['webhooks', 'secret', 'id'],
  ['agents', 'hook_secret', 'id'],
  ['workspaces', 'model_key', 'workspace_id'],
] as const;

const signPlace: Place = { workspace: '', table: 'house', row: '', column: 'sign' };

/**
 * The house's own sign, and a few of the newest sealed values of each kind, of all workspaces. Until it is migrated a
 * database of an older version lacks some of the columns; without any, this is empty.
 */
export const sealedSamples = (isThere: (column: string) => boolean = () => true): string =>
  sampled
    .filter(([table, column]) => isThere(`${table}.${column}`))
    .map(([table, column, row]) => {
      const owner = row === undefined ? `'' as workspace, '' as row` : `workspace_id as workspace, ${row} as row`;
      const newest = row === undefined ? '' : `order by ${row} desc limit 8`;
      return `(select '${table}' as table, '${column}' as column, ${owner}, ${column} as sealed
        from ${table} where ${column} is not null ${newest})`;
    })
    .join(' union all ');

/**
 * Seals the house's sign by the newest key: at the first start, when all else was brought under that key, and in the
 * place of one that only a key could open which nothing else needs.
 */
export const leaveSign = async ({ system }: Store, sealer: Sealer, over?: Buffer | 'any'): Promise<void> => {
  const sign = sealer.seal('Switchboard', signPlace);
  const old = over === 'any' ? sql`true` : sql`sign is null or sign = ${over ?? null}::bytea`;
  await sql`update house set sign = ${sign} where ${old}`.execute(system);
};

export const keyRingFor = (config: { encryptionKey: string | undefined; dataDir: string }): KeyRing =>
  config.encryptionKey === undefined ? keyRingInFolder(config.dataDir) : keyRingFromText(config.encryptionKey);

/**
 * What is closed to a key ring, and whether that is because it is another one. `staleSign`: all that is left of the keys
 * before these is the house's own sign.
 */
type Tried = { closed: string[]; wrong: boolean; staleSign?: Buffer };

/**
 * Whether these keys open what is stored. `wrong`: they open nothing of it, although it was not sealed by keys that an
 * even newer one has replaced.
 */
export const tryKeys = (ring: KeyRing, samples: readonly SealedSample[]): Tried => {
  const sealer = createSealer(ring);
  const closed: string[] = [];
  let newest = 0;
  let sign: Buffer | undefined;
  for (const { sealed, ...place } of samples) {
    try {
      sealer.open(sealed, place);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const owner = place.row === '' ? '' : ` of ${place.row}`;
      closed.push(`${place.table}.${place.column}${owner}: ${error.message}`);
      newest = Math.max(newest, versionOf(sealed));
      if (place.table === signPlace.table) sign = sealed;
    }
  }
  const older = newest < ring.newest().version;
  if (sign !== undefined && closed.length === 1 && older) return { closed: [], wrong: false, staleSign: sign };
  const none = closed.length > 0 && closed.length === samples.length;
  return { closed, wrong: none && !older };
};

/** Whether this process has the keys of the house. Of several that come to an empty one, the first decides which these are. */
export const checkKeys = async (store: Store, ring: KeyRing): Promise<Tried> => {
  const found = await checkStored(store, ring);
  if (found.wrong) return found;
  await leaveSign(store, createSealer(ring), found.staleSign);
  return checkStored(store, ring);
};

const checkStored = async ({ system }: Store, ring: KeyRing): Promise<Tried> =>
  tryKeys(ring, (await sql.raw<SealedSample>(sealedSamples()).execute(system)).rows);

/** What to do about it; a key that was made here may be none of those that others were given. */
export const otherKey = (encryptionKey: string | undefined): string =>
  encryptionKey === undefined
    ? 'put back the file secrets/keys that it was sealed with, or set ENCRYPTION_KEY as the other processes have it'
    : 'put back the one it was sealed with, and its number, as in "2:<key>"';
