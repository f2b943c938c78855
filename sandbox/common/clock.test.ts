import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SandboxClock } from './clock.ts';

const until = async (condition: () => boolean) => {
  while (!condition()) await sleep(1);
};

test('time moves when told to and timers follow it in order', async () => {
  const clock = new SandboxClock();
  const fired: string[] = [];
  clock.after(120_000, () => fired.push('second'));
  clock.after(60_000, () => fired.push('first'));
  clock.after(180_000, () => fired.push('never'));
  const before = clock.now();
  clock.advance(120_000);
  expect(clock.now() - before).toBeGreaterThanOrEqual(120_000);
  await until(() => fired.length === 2);
  expect(fired).toEqual(['first', 'second']);
});

test('the clock can be set, and a timer called off never fires', async () => {
  const clock = new SandboxClock();
  const fired: string[] = [];
  const callOff = clock.after(1000, () => fired.push('called off'));
  clock.after(2000, () => fired.push('kept'));
  callOff();
  clock.set(Date.parse('2040-01-01T00:00:00Z'));
  expect(clock.date().toISOString()).toMatch(/^2040-01-01T00:00:0/);
  await until(() => fired.length > 0);
  expect(fired).toEqual(['kept']);
});

test('a reset forgets timers and returns to real time', () => {
  const clock = new SandboxClock();
  clock.after(0, () => {
    throw new Error('must not fire');
  });
  clock.advance(1e9);
  clock.reset();
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1000);
});

test('a wait longer than a timer can hold is waited for in steps', () => {
  const clock = new SandboxClock();
  const callOff = clock.after(2 ** 40, () => {});
  expect(callOff).toBeTypeOf('function');
  callOff();
});
