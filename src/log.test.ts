import { expect, test } from 'vitest';
import { createLog } from './log.ts';

test('a warning that only repeats is told twice a minute, with how often it was met meanwhile; others are told at once', () => {
  let now = 0;
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) }, () => now);
  const away = () => log.warn({ job: 'a', err: new Error('refused') }, 'cannot be fetched');
  for (; now < 30_000; now += 1_000) away();
  log.warn({ job: 'b', err: new Error('refused') }, 'cannot be fetched');
  log.warn({ job: 'a', err: new Error('too slow') }, 'cannot be fetched');
  for (let n = 0; n < 2; n += 1) log.error({ job: 'a' }, 'a defect');
  away();
  now += 30_000;
  away();

  const told = lines.map((line) => JSON.parse(line) as { job: string; err?: { message: string }; repeated?: number });
  expect(told.map(({ job, err, repeated }) => [job, err?.message, repeated])).toEqual([
    ['a', 'refused', undefined],
    ['b', 'refused', undefined],
    ['a', 'too slow', undefined],
    ['a', undefined, undefined],
    ['a', undefined, undefined],
    ['a', 'refused', 29],
    ['a', 'refused', undefined],
  ]);
});

test('warnings that differ only inside a field are different warnings', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) }, () => 0);
  const ring: { name: string; self?: unknown } = { name: 'ring' };
  ring.self = ring;
  for (let n = 0; n < 2; n += 1) {
    for (const board of ['a', 'b']) log.warn({ watch: { board } }, 'cannot be looked at');
    log.warn({ err: new Error('refused', { cause: new Error('by the door') }) }, 'cannot be looked at');
    log.warn({ watch: ring }, 'cannot be looked at');
    log.warn({ ids: [1n, Symbol('x'), undefined] }, 'cannot be looked at');
  }
  expect(lines.length).toBe(5);
});

test('a failure of the database is told without the row that it was about', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) }, () => 0);
  const about = {
    detail: 'Failing row contains (a secret)',
    where: 'JSON data: {"subject":"a secret"}',
    code: '23502',
  };
  log.error({ err: Object.assign(new Error('null value in column "key"'), about) }, 'a defect');
  expect(lines.join()).toContain('"code":"23502"');
  expect(lines.join()).not.toContain('a secret');
});
