import { expect, test } from 'vitest';
import { type Effect, Fault, type UpstreamRequest } from '#kit';
import type { Clearance } from './approvals/clearance.ts';
import type { Calling } from './calling.ts';
import { writerFor } from './writer.ts';

const request = { method: 'POST', path: '/me/sendMail' } as unknown as UpstreamRequest;

/** Writes of one run. `kept` is asked once each is written down, and sees what the ones before have made. */
const scene = (kept: (made: readonly unknown[]) => Promise<void>) => {
  const done: string[] = [];
  const calling = {
    records: {
      plan: (_: unknown, ordinal: number) => ({ id: `eff_${ordinal}` }),
      intend: async (_: unknown, { id }: { id: string }) => {
        done.push(`intended ${id}`);
        return { id, intendedAt: new Date(), attempt: 1 };
      },
      settle: async (_: unknown, id: string, { state, reason }: { state: string; reason?: string }) => {
        done.push(`${state} ${id}${reason === undefined ? '' : `: ${reason}`}`);
      },
    },
    work: {
      ordinalsFrom: 0,
      resumed: false,
      begin: async () => {},
      step: { integration: { upstream: { idOf: () => 'x' } } },
    },
    onCall: () => {},
    writeDeadlineMs: 10_000,
    isRestored: () => false,
  } as unknown as Calling;
  const clearance = {
    writes: () => (_: UpstreamRequest, _effect: Effect, _ordinal: number, made: readonly unknown[]) => ({
      ...{ ready: async () => {}, mayAsk: false, held: false },
      kept: () => kept(made),
    }),
  } as unknown as Clearance;
  const { write } = writerFor(calling, clearance);
  const send = (body: string) =>
    write(request, 'send', async (_, { intended }) => {
      await intended;
      done.push(`left ${body}`);
      return { status: 200, headers: {}, body, ms: 1, bytes: 1 };
    });
  return { done, send };
};

test.each([
  [new Fault('conflict', 'One too many.'), 'One too many.'],
  [new Error('parked'), 'it waits for a person'],
])('what is one too many once it is written down does not leave, and is known as not sent', async (why, reason) => {
  const { done, send } = scene(() => Promise.reject(why));
  await expect(send('mail')).rejects.toBe(why);
  expect(done).toEqual(['intended eff_1', `not_sent eff_1: ${reason}`]);
});

test('a write is judged by what the ones before it have made', async () => {
  const seen: unknown[][] = [];
  const { done, send } = scene(async (made) => void seen.push([...made]));
  await send('draft');
  await send('mail');
  expect(seen).toEqual([[], ['draft']]);
  expect(done.filter((each) => each.startsWith('left'))).toEqual(['left draft', 'left mail']);
});
