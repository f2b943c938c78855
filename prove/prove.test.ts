import { expect, test } from 'vitest';
import { holds, type Proof, type Row, table } from './harness/row.ts';
import { events } from './proofs/events.ts';
import { gaps } from './proofs/gaps.ts';
import { refresh } from './proofs/refresh.ts';
import { restarts } from './proofs/restarts.ts';
import { rotation } from './proofs/rotation.ts';
import { takeover } from './proofs/takeover.ts';

test.each<[string, Proof]>([
  ['no acknowledged row is lost when every process is killed while writing', restarts],
  ['what a killed process held is finished by another, each effect once', takeover],
  ['rotating keys under load fails no call', rotation],
  ['every mail and board event starts its agent once under lost notifications and kills', events],
  ['what no notification told starts its agent once', gaps],
  ['two processes refresh once per expiry, and a killed one loses no grant', refresh],
])(
  '%s (short form)',
  async (_, proof) => {
    const row = await proof.run({ scale: 0.2, progress: () => {} });
    expect(row.tried).toBeGreaterThan(0);
    expect({ row, holds: holds(row) }).toMatchObject({ holds: true });
  },
  120_000,
);

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
