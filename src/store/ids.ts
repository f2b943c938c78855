import { createHash } from 'node:crypto';
import { someRandom } from './random.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Whatever is said to be before 1970 is so far back that nothing is older. */
const encodeTime = (at: Date): string => {
  let text = '';
  for (let rest = Math.max(0, at.getTime()); text.length < 10; rest = Math.floor(rest / 32))
    text = alphabet[rest % 32] + text;
  return text;
};

/** The first 80 bits as 16 characters of 5 bits each. */
const encodeEighty = (bytes: Buffer): string => {
  let text = '';
  for (let n = 0; n < 16; n += 1) {
    const bit = n * 5;
    const two = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    text += alphabet[(two >> (11 - (bit & 7))) & 31];
  }
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
  | 'pau'
  | 'evt'
  | 'whk'
  | 'ntc'
  | 'dlv'
  | 'cli'
  | 'grt';

/** An opaque id: creation time first, so that newest first is an index scan, then 80 random bits. */
export const newId = (prefix: IdPrefix, at: Date): string =>
  `${prefix}_${encodeTime(at)}${encodeEighty(someRandom(10))}`;

/** An id whose end is the same for the same thing, whenever it is made. */
export const derivedId = (prefix: IdPrefix, at: Date, thing: string): string => {
  const digest = createHash('sha256').update(thing).digest();
  return `${prefix}_${encodeTime(at)}${encodeEighty(digest)}`;
};

/**
 * What the marks of a run begin with: the end of its id, which is the same in all ids that are derived from one thing, such
 * as an occurrence that is met again after a restored backup.
 */
export const markOf = (runId: string): string => `run_${runId.slice(-16)}-`;

/** The moment that an id begins with. */
export const timeOfId = (id: string): Date => {
  const [, text = ''] = id.split('_');
  return new Date(
    text
      .slice(0, 10)
      .split('')
      .reduce((sum, letter) => sum * 32 + alphabet.indexOf(letter), 0),
  );
};

/** An id that sorts before all that were made from that moment on. */
export const firstIdAt = (prefix: IdPrefix, at: Date): string => `${prefix}_${encodeTime(at)}${'0'.repeat(16)}`;
