import { randomFillSync } from 'node:crypto';

// Asking the system for a few bytes costs as much as for a page of them.
const pool = Buffer.alloc(4096);
let used = pool.length;

/** Random bytes for ids, not for secrets: they stay in memory after their use. Valid until the next turn. */
export const someRandom = (length: number): Buffer => {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += length;
  return pool.subarray(used - length, used);
};
