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
  /** Whether the key that a sealed value needs is in the ring. */
  hasKeyOf(sealed: Buffer): boolean;
};

/** A sealed value that cannot be opened: wrong place, wrong key or changed bytes. Says nothing about its content. */
export class Unreadable extends Error {}

/** What is told of a secret whose key is gone. */
export const sealedByLostKey =
  'The stored credential cannot be opened: the key it was sealed with is not here. Put that key back (see ENCRYPTION_KEY), or connect this account again.';

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

type Box = { iv: Buffer; body: Buffer; tag: Buffer };

const boxOf = (bytes: Buffer): Box => ({
  iv: bytes.subarray(0, 12),
  body: bytes.subarray(12, -16),
  tag: bytes.subarray(-16),
});

const tagged = { authTagLength: 16 };

const decrypt = (key: KeyObject, { iv, body, tag }: Box, place: Buffer): Buffer => {
  const decipher = createDecipheriv('aes-256-gcm', key, iv, tagged).setAAD(place).setAuthTag(tag);
  const plain = decipher.update(body);
  // Nothing is left over, but this checks the tag.
  decipher.final();
  return plain;
};

// JSON keeps the parts apart whatever characters they hold.
const label = ({ workspace, table, row, column }: Place): Buffer =>
  Buffer.from(JSON.stringify([workspace, table, row, column]));

const isSame = (one: Place, other: Place): boolean =>
  one.row === other.row &&
  one.workspace === other.workspace &&
  one.table === other.table &&
  one.column === other.column;

/** A sealed value in use: its key, and the place for which it is opened. */
type InUse = { key: KeyObject; box: Box; place: Place; where: Buffer };

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
  const inUse = new WeakMap<Buffer, InUse>();
  const unwrap = (sealed: Buffer, place: Buffer): { dataKey: Buffer; version: number } => {
    if (sealed.length < head + wrapped + 28 || sealed[0] !== format) throw new Unreadable('not a sealed value');
    const version = versionOf(sealed);
    const key = ring.get(version);
    if (key === undefined) throw new Unreadable(`key version ${version} is not in the key ring`);
    return { dataKey: decrypt(key, boxOf(sealed.subarray(head, head + wrapped)), place), version };
  };
  const find = (sealed: Buffer, place: Place): InUse => {
    const known = inUse.get(sealed);
    if (known !== undefined && isSame(known.place, place)) return known;
    const where = label(place);
    const key = known?.key ?? createSecretKey(unwrap(sealed, where).dataKey);
    return { key, box: boxOf(sealed.subarray(head + wrapped)), place, where };
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
        const found = find(sealed, place);
        const plain = decrypt(found.key, found.box, found.where).toString();
        inUse.set(sealed, found);
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
    hasKeyOf: (sealed) => ring.get(versionOf(sealed)) !== undefined,
  };
};
