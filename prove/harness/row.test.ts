import { expect, test } from 'vitest';
import { holds, type Row, table } from './row.ts';

test('a broken guarantee is told as broken', () => {
  const good: Row = { guarantee: 'g', tried: 5, lost: 0, duplicated: 0, unknown: 0 };
  const bad: Row[] = [
    { ...good, lost: 1 },
    { ...good, duplicated: 1 },
    { ...good, objections: ['too slow'] },
  ];
  expect([good, ...bad].map(holds)).toEqual([true, false, false, false]);
  expect(table([{ ...good, lost: 1, tookMs: 1 }])).toContain('BROKEN');
});
