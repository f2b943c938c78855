import { createHash, randomBytes } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

const encode = (value: bigint, length: number): string => {
  let text = '';
  for (let rest = value; text.length < length; rest >>= 5n) text = alphabet[Number(rest & 31n)] + text;
  return text;
};

export type IdPrefix =
  | 'ws'
  | 'per'
  | 'ses'
  | 'sil'
  | 'key'
  | 'aud'
  | 'acc'
  | 'sec'
  | 'con'
  | 'run'
  | 'apr'
  | 'eff'
  | 'file'
  | 'tool'
  | 'agt'
  | 'trg'
  | 'wch'
  | 'arr'
  | 'gap'
  | 'evt'
  | 'whk'
  | 'ntc'
  | 'dlv'
  | 'cli'
  | 'grt';

/** An opaque id: creation time first, so that newest first is an index scan, then 80 random bits. */
export const newId = (prefix: IdPrefix, at: Date): string =>
  `${prefix}_${encode(BigInt(at.getTime()), 10)}${encode(BigInt(`0x${randomBytes(10).toString('hex')}`), 16)}`;

/** The same id for the same thing, whenever it is made: an occurrence met again after a restored backup has its old name. */
export const derivedId = (prefix: IdPrefix, at: Date, thing: string): string => {
  const digest = createHash('sha256').update(thing).digest('hex').slice(0, 20);
  return `${prefix}_${encode(BigInt(Math.max(0, at.getTime())), 10)}${encode(BigInt(`0x${digest}`), 16)}`;
};

/** The moment that an id begins with. */
export const timeOfId = (id: string): Date => {
  const [, text = ''] = id.split('_');
  return new Date(text.slice(0, 10).split('').reduce((sum, letter) => sum * 32 + alphabet.indexOf(letter), 0));
};

/** An id that sorts before all that were made from that moment on. */
export const firstIdAt = (prefix: IdPrefix, at: Date): string =>
  `${prefix}_${encode(BigInt(at.getTime()), 10)}${'0'.repeat(16)}`;
