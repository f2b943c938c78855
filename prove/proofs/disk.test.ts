import { expect, test } from 'vitest';
import { holds, tiny } from '../harness/row.ts';
import { disk, mayNot } from './disk.ts';

test('nothing that was taken is lost while the disk is full, where one may be mounted (short form)', {
  timeout: 240_000,
}, async () => {
  const row = await disk.run({ scale: tiny, progress: () => {} }).catch((error: Error) => error);
  if (row instanceof Error) return expect(row.message).toBe(mayNot);
  expect(row.objections).toEqual([]);
  expect({ ...row, holds: holds(row) }).toMatchObject({ stops: 1, lost: 0, duplicated: 0, holds: true });
});
