import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';

/** Where a sealed value lives. It opens only there: moved to another row, column or workspace it is unreadable. */
export type Place = { workspace: string; table: string; row: string; column: string };

/** Seals secrets for one place: a fresh key for each value, wrapped by the ring's newest key. */
export type Sealer = {
  seal(plain: string, place: Place): Buffer;
  open(sealed: Buffer, place: Place): string;
  /** The same secret under the ring's newest key; `undefined` when it already is. */
  rewrap(sealed: Buffer, place: Place): Buffer | undefined;
};

/** A sealed value that cannot be opened: wrong place, wrong key or changed bytes. Says nothing about its content. */
export class Unreadable extends Error {}

// Layout: format (1) | key version (4) | wrapped key: iv 12, body 32, tag 16 | iv 12, body, tag 16
const format = 1;
const head = 5;
const wrapped = 12 + 32 + 16;

// Keys are key objects: as bytes each use of one costs four times as much.
const encrypt = (key: KeyObject, plain: Buffer, place: Buffer): Buffer => {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(place);
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
};

const decrypt = (key: KeyObject, box: Buffer, place: Buffer): Buffer => {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, 12), { authTagLength: 16 })
    .setAAD(place)
    .setAuthTag(box.subarray(-16));
  const plain = decipher.update(box.subarray(12, -16));
  // Nothing is left over, but this checks the tag.
  decipher.final();
  return plain;
};

// JSON keeps the parts apart whatever characters they hold.
const label = ({ workspace, table, row, column }: Place): Buffer =>
  Buffer.from(JSON.stringify([workspace, table, row, column]));

const header = (version: number): Buffer => {
  const bytes = Buffer.alloc(head);
  bytes.writeUInt8(format, 0);
  bytes.writeUInt32BE(version, 1);
  return bytes;
};

/** Which key of the ring it was sealed with. */
export const versionOf = (sealed: Buffer): number => (sealed.length < head ? 0 : sealed.readUInt32BE(1));

export const createSealer = (ring: KeyRing): Sealer => {
  // Of sealed values that are in use: known as long as these are. The values themselves are opened each time and never kept.
  const dataKeys = new WeakMap<Buffer, KeyObject>();
  const unwrap = (sealed: Buffer, place: Buffer): { dataKey: Buffer; version: number } => {
    if (sealed.length < head + wrapped + 28 || sealed[0] !== format) throw new Unreadable('not a sealed value');
    const version = versionOf(sealed);
    const key = ring.get(version);
    if (key === undefined) throw new Unreadable(`key version ${version} is not in the key ring`);
    return { dataKey: decrypt(key, sealed.subarray(head, head + wrapped), place), version };
  };
  const guarded = <T>(open: () => T): T => {
    try {
      return open();
    } catch (error) {
      if (error instanceof Unreadable) throw error;
      throw new Unreadable('a sealed value does not belong to this place or was changed');
    }
  };

  return {
    seal: (plain, place) => {
      const where = label(place);
      const dataKey = randomBytes(32);
      const { version, key } = ring.newest();
      return Buffer.concat([
        header(version),
        encrypt(key, dataKey, where),
        encrypt(createSecretKey(dataKey), Buffer.from(plain), where),
      ]);
    },
    open: (sealed, place) =>
      guarded(() => {
        const where = label(place);
        const key = dataKeys.get(sealed) ?? createSecretKey(unwrap(sealed, where).dataKey);
        const plain = decrypt(key, sealed.subarray(head + wrapped), where).toString();
        dataKeys.set(sealed, key);
        return plain;
      }),
    rewrap: (sealed, place) =>
      guarded(() => {
        const where = label(place);
        const { dataKey, version } = unwrap(sealed, where);
        const newest = ring.newest();
        if (newest.version === version) return undefined;
        const rest = sealed.subarray(head + wrapped);
        return Buffer.concat([header(newest.version), encrypt(newest.key, dataKey, where), rest]);
      }),
  };
};
