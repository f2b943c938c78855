import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createAbreast } from './abreast.ts';

const walk = async (name: string, seen: string[]): Promise<void> => {
  seen.push(`${name} begins`);
  await Promise.resolve();
  seen.push(`${name} goes on`);
};

test('those who come in one turn walk each stretch together, in the order in which they came', async () => {
  const abreast = createAbreast();
  const seen: string[] = [];
  abreast(() => void walk('first', seen));
  abreast(() => void walk('second', seen));
  expect(seen).toEqual([]);
  await nextTurn();
  expect(seen).toEqual(['first begins', 'second begins', 'first goes on', 'second goes on']);
});

test('whoever comes while others go waits for the next turn', async () => {
  const abreast = createAbreast();
  const seen: string[] = [];
  abreast(() => {
    seen.push('first');
    abreast(() => void seen.push('its own'));
  });
  abreast(() => void seen.push('second'));
  await nextTurn();
  expect(seen).toEqual(['first', 'second']);
  await expect.poll(() => seen).toEqual(['first', 'second', 'its own']);
});

test('whoever stumbles holds up nobody behind', async () => {
  const abreast = createAbreast();
  const turns: (() => void)[] = [];
  vi.spyOn(globalThis, 'setImmediate').mockImplementation(((turn: () => void) => turns.push(turn)) as never);
  const seen: string[] = [];
  abreast(() => {
    throw new Error('stumbled');
  });
  abreast(() => void seen.push('behind'));
  vi.restoreAllMocks();
  expect(turns[0]).toThrow('stumbled');
  await expect.poll(() => seen).toEqual(['behind']);
});
