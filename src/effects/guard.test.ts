import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { CallOptions } from '#accounts';
import { Fault, path, type UpstreamAnswer, type UpstreamRequest } from '#kit';
import type { CallingMeans } from './calling.ts';
import { createGuard } from './guard.ts';
import type { Guarded } from './guarded.ts';

const owner = { workspaceId: 'wsp_1', runId: 'run_1' } as unknown as Parameters<
  ReturnType<typeof createGuard>['giveUp']
>[0];

/** A guard whose records and service note what is asked of them. */
const scene = (open: { id: string; account_id: string }[] = []) => {
  const done: string[] = [];
  const means = {
    records: {
      plan: () => ({ id: 'eff_1' }),
      intend: async () => {
        await nextTurn();
        done.push('intended');
        return { id: 'eff_1', intendedAt: new Date(), attempt: 1 };
      },
      renew: async () => {
        await nextTurn();
        done.push('renewed');
      },
      open: async () => {
        done.push('looked for what is open');
        return open;
      },
      settle: async ({ accountId }: { accountId: string }, id: string, { state }: { state: string }) =>
        void done.push(`${id} of ${accountId} is ${state}`),
    },
    caller: {
      asAccount: async (_: string, _id: string, _request: UpstreamRequest, { part }: CallOptions) => {
        done.push(part === undefined ? 'opened' : `sent ${part.from} of ${part.total}`);
        const body = part === undefined ? { address: 'there' } : { next: part.from + part.bytes.length };
        return { status: 200, headers: {}, body, ms: 1, bytes: 1 };
      },
    },
    clock: { sleep: async () => {} },
    intervals: { writeDeadlineMs: 10_000 },
    clearance: {
      writes: () => () => ({ ready: async () => {}, kept: async () => {}, mayAsk: false, held: false }),
    },
  } as unknown as Parameters<typeof createGuard>[0] & CallingMeans;
  const uploads = {
    partBytes: 2,
    addressIn: ({ address }: { address: string }) => address,
    readPart: ({ body }: UpstreamAnswer) => {
      const { next } = body as { next: number };
      return next === 6 ? { made: 'file' } : { next };
    },
  };
  const upstream = { uploads, effectOf: () => 'write', idOf: () => undefined };
  const upstreamFor = (more: Partial<Guarded> = {}) =>
    guard.upstreamFor(
      {
        ...{ accountId: 'acc_1', resumed: false, decided: new Map(), ordinalsFrom: 0, ordinalsTo: 9, lastTry: false },
        begin: async () => {},
        step: { integration: { upstream } },
        ...more,
      } as unknown as Guarded,
      () => {},
    );
  const guard = createGuard(means);
  return { done, guard, upstreamFor };
};

test('an upload is written down before it opens, and says that it goes on before its last part', async () => {
  const { done, upstreamFor } = scene();
  const content = { size: 6, slice: async (from: number, to: number) => new Uint8Array(to - from) };
  expect(await upstreamFor().upstream.upload(path`/upload`, { content })).toBe('file');
  const parts = ['sent 0 of 6', 'sent 2 of 6', 'renewed', 'sent 4 of 6'];
  expect(done).toEqual(['intended', 'opened', ...parts, 'eff_1 of acc_1 is sent']);
});

const away = new Fault('upstream_unavailable', 'Away.');

test.each([
  ['was begun here', { resumed: false }, undefined, false],
  ['goes on and ended', { resumed: true }, undefined, true],
  ['goes on and failed for good', { resumed: true }, new Fault('invalid_input', 'Wrong.'), true],
  ['goes on and is tried again', { resumed: true }, new Fault('unavailable', 'Ending.'), false],
  ['goes on while the service is away', { resumed: true, longestDoubtMs: 60_000 }, away, false],
  ['has been in doubt for long while the service is away', { resumed: true, longestDoubtMs: 1_000 }, away, true],
])('a step that %s: what is open of it is looked for, or not', async (_, more, failure, looks) => {
  const row = { id: 'eff_1', account_id: 'acc_1', state: 'intended', age_ms: 2_000, path: '/1/cards', request: {} };
  const { done, upstreamFor } = scene([row]);
  await upstreamFor(more).settle(failure);
  expect(done.includes('eff_1 of acc_1 is unknown')).toBe(looks);
});

test('what nobody comes back to ends as unknown, each for its account', async () => {
  const { done, guard } = scene([
    { id: 'eff_1', account_id: 'acc_1' },
    { id: 'eff_2', account_id: 'acc_2' },
  ]);
  expect(await guard.giveUp(owner, { ordinalsFrom: 0, ordinalsTo: 9 })).toBe(true);
  expect(done.slice(1)).toEqual(['eff_1 of acc_1 is unknown', 'eff_2 of acc_2 is unknown']);
  expect(await scene().guard.giveUp(owner, { ordinalsFrom: 0, ordinalsTo: 9 })).toBe(false);
});
