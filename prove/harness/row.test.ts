import { expect, test } from 'vitest';
import { chartOf, reportOf } from './report.ts';
import { holds, type Row, table } from './row.ts';

test('a broken guarantee is told as broken', () => {
  const good: Row = { guarantee: 'g', tried: 5, lost: 0, duplicated: 0, unknown: 0 };
  const bad: Row[] = [
    { ...good, lost: 1 },
    { ...good, duplicated: 1 },
    { ...good, objections: ['too slow'] },
  ];
  expect([good, ...bad].map(holds)).toEqual([true, false, false, false]);
  expect(table([{ ...good, proof: 'p', lost: 1, tookMs: 1 }])).toContain('BROKEN');
});

test('the report adds up what was tried, and says which proof is broken and why', () => {
  const about = { tookMs: 5_000, scale: 1, at: '2026-01-02T03:04:05.000Z', commit: 'abc' };
  const machine = { cores: 2, memoryGb: 24, node: 'v24', postgres: '18.4' };
  const row = {
    guarantee: 'g',
    tried: 5,
    lost: 0,
    duplicated: 0,
    unknown: 1,
    kills: 30,
    events: 600,
    ...about,
    machine,
  };
  const rows = [
    { ...row, proof: 'one', worstRecoveryMs: 1_500 },
    { ...row, proof: 'two', objections: ['a | b < c'] },
  ];
  const text = reportOf(rows);
  expect(text).toContain('60 kills of our processes, 0 times the database was taken away, 1,200 events');
  expect(text).toContain('**two**<br>g | 5 | 30 | – | 0 | 0 | 1 | – | 5 s | **BROKEN**');
  expect(text).toContain('- two: a \\| b &lt; c');
  expect(chartOf(rows)).toContain('1.5 s');
});
