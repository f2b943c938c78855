import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '#clock';
import { createTurns } from './turns.ts';

/** Notifications of one watch: what each is about, and by which way it went, in the order in which they began. */
const scene = () => {
  const turns = createTurns(systemClock());
  const begun: string[] = [];
  const come = (name: string, subject?: string, isQuick = true) => {
    const stored = Promise.withResolvers<void>();
    const way = (which: string) => async () => {
      begun.push(`${name} ${which}`);
      await stored.promise;
      return name;
    };
    const quick = isQuick ? way('quickly') : async () => undefined;
    return { answer: turns({ watch: 'watch', subject }, { quick, usual: way('usually') }), stored: stored.resolve };
  };
  return { come, begun };
};

const settle = async () => {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
};

test('what happened to one subject begins only when what came before has ended', async () => {
  const { come, begun } = scene();
  const first = come('first', 'card');
  const second = come('second', 'card');
  await settle();
  expect(begun).toEqual(['first quickly']);
  first.stored();
  second.stored();
  expect(await Promise.all([first.answer, second.answer])).toEqual(['first', 'second']);
  expect(begun).toEqual(['first quickly', 'second quickly']);
});

test('what happened to different subjects of a watch does not wait for each other', async () => {
  const { come, begun } = scene();
  come('one', 'card 1');
  come('other', 'card 2');
  await settle();
  expect(begun).toEqual(['one quickly', 'other quickly']);
});

test('what may be about any subject waits for all, and all wait for it', async () => {
  const { come, begun } = scene();
  const before = come('before', 'card 1');
  const any = come('any');
  const after = come('after', 'card 2');
  await settle();
  expect(begun).toEqual(['before quickly']);
  before.stored();
  await expect.poll(() => begun).toContain('any quickly');
  any.stored();
  after.stored();
  expect(await after.answer).toBe('after');
  expect(begun).toEqual(['before quickly', 'any quickly', 'after quickly']);
});

test('while one goes the usual way, all of its watch go that way', async () => {
  const { come, begun } = scene();
  const unknown = come('unknown', undefined, false);
  await settle();
  const known = come('known', 'card');
  await settle();
  expect(begun).toEqual(['unknown usually', 'known usually']);
  unknown.stored();
  known.stored();
  await Promise.all([unknown.answer, known.answer]);
  const later = come('later', 'card 2');
  later.stored();
  await later.answer;
  expect(begun.at(-1)).toBe('later quickly');
});
