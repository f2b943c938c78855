import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SandboxClock } from './clock.ts';
import { Outgoing } from './outgoing.ts';

/** Sends numbered notifications and notes the attempts; the receiver refuses the first `refusals` of all. */
const bench = (refusals = 0) => {
  const clock = new SandboxClock();
  const outgoing = new Outgoing(clock);
  const attempts: number[] = [];
  const done: [number, boolean][] = [];
  const send = (n: number, retries: number[] = []) =>
    outgoing.send(
      async () => {
        attempts.push(n);
        return attempts.length > refusals;
      },
      retries,
      (accepted) => done.push([n, accepted]),
    );
  const until = async (condition: () => boolean) => {
    while (!condition()) await turn();
  };
  return { clock, outgoing, attempts, done, send, until };
};

test('a refused notification is tried again after the waits, then given up', async () => {
  const { clock, attempts, done, send, until } = bench(2);
  send(1, [60_000, 60_000]);
  for (const expected of [1, 2, 3]) {
    await until(() => attempts.length === expected);
    await turn();
    clock.advance(60_000);
  }
  await until(() => done.length === 1);
  expect(done).toEqual([[1, true]]);

  const stubborn = bench(9);
  stubborn.send(1, []);
  await stubborn.until(() => stubborn.done.length === 1);
  expect(stubborn.done).toEqual([[1, false]]);
});

test('notifications can be dropped, doubled, delayed', async () => {
  const { clock, outgoing, attempts, done, send, until } = bench();
  outgoing.set({ drop: 1 });
  send(1);
  expect(done).toEqual([[1, false]]);
  outgoing.set({ drop: 0, duplicate: 1 });
  send(2);
  await until(() => attempts.length === 2);
  expect(done).toEqual([
    [1, false],
    [2, true],
  ]);
  outgoing.set({ duplicate: 0, delayMs: 60_000 });
  send(3);
  await turn();
  expect(attempts).toEqual([2, 2]);
  clock.advance(60_000);
  await until(() => attempts.length === 3);
});

test('paused notifications wait and leave when the pause ends', async () => {
  const { outgoing, attempts, send, until } = bench();
  outgoing.set({ pause: true });
  send(1);
  send(2);
  await turn();
  expect(attempts).toEqual([]);
  outgoing.set({ pause: false });
  await until(() => attempts.length === 2);
  expect(attempts).toEqual([1, 2]);
});

test('after a reset nothing of before is tried again', async () => {
  const clock = new SandboxClock();
  const outgoing = new Outgoing(clock);
  const attempts: PromiseWithResolvers<boolean>[] = [];
  const post = () => {
    const attempt = Promise.withResolvers<boolean>();
    attempts.push(attempt);
    return attempt.promise;
  };
  outgoing.send(post, [0], () => {});
  while (attempts.length === 0) await turn();
  outgoing.reset();
  attempts[0]?.resolve(false);
  await turn();
  clock.advance(1000);
  await sleep(10);
  expect(attempts).toHaveLength(1);
});
