import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '#clock';
import { Fault, type Integration, path } from '#kit';
import { createLog, type Log, silentLog } from '#log';
import { freshMs, openStore, Unreadable } from '#store';
import { type CallOptions, createCaller } from './calls.ts';
import type { SeenAccount } from './read-together.ts';
import { createWire } from './wire.ts';

/** A caller whose account, turn at the service and service are this test's to say. */
const benchFor = (
  means: { admit?: () => Promise<void>; open?: () => string; log?: Log; kind?: SeenAccount['kind'] } = {},
) => {
  const store = openStore({ connectionString: 'postgres://nobody@127.0.0.1:1/none', max: 1, log: silentLog });
  const wire = createWire({ store, log: silentLog });
  const sent: string[] = [];
  const { kind = 'account' } = means;
  const account = {
    ...{ id: 'acc_1', workspace_id: 'ws_1', kind },
    ...{ integration: 'notes', state: 'connected', auth_method: 'key' },
  };
  let isThere = true;
  const integration = {
    name: 'notes',
    auth: [{ type: 'key', way: 'typed' }],
    upstream: {
      payersOf: () => [],
      paceOf: () => ({ limits: [] }),
      sign: () => ({}),
      effectOf: () => 'write',
    },
  };
  const caller = createCaller({
    store,
    clock: systemClock(),
    wire,
    services: { notes: { apiBase: new URL('http://127.0.0.1:1/') } },
    catalogue: { integration: () => integration },
    sealer: { open: means.open ?? (() => '{}') },
    log: means.log ?? silentLog,
    pacer: {
      admit: async () => {
        await means.admit?.();
        return { release: () => {} };
      },
    },
    client: {
      ready: () => async () => {
        sent.push('call');
        return { status: 200, headers: {}, body: null };
      },
    },
    read: async () =>
      isThere
        ? ({ ...account, credential: Buffer.from('sealed'), looked_at: performance.now() } as unknown as SeenAccount)
        : undefined,
  } as unknown as Parameters<typeof createCaller>[0]);
  return {
    sent,
    wire,
    tryOut: (how: CallOptions = {}) =>
      caller.withCredential(integration as unknown as Integration, {}, { method: 'GET', path: path`/me` }, how),
    call: (after?: Promise<unknown>) =>
      caller.asAccount('ws_1', 'acc_1', { method: 'POST', path: path`/notes` }, { after }),
    leave: () => {
      isThere = false;
    },
    [Symbol.asyncDispose]: async () => {
      wire.close();
      await store.close();
    },
  };
};

test('a call is sent once all before it has happened', async () => {
  await using bench = benchFor();
  expect([(await bench.call(Promise.resolve())).status, bench.sent]).toEqual([200, ['call']]);
});

test('a process that lacks the key of credentials says so in its log, once for all', async () => {
  const lines: string[] = [];
  const open = () => {
    throw new Unreadable('key version 2 is not in the key ring');
  };
  await using bench = benchFor({ open, log: createLog('warn', { write: (line) => void lines.push(line) }, () => 0) });
  await expect(bench.call()).rejects.toMatchObject({ code: 'reconnect_needed' });
  await expect(bench.call()).rejects.toMatchObject({ code: 'reconnect_needed' });
  expect(lines).toEqual([expect.stringContaining('key version 2 is not in the key ring')]);
});

test('a call whose turn comes late looks again whether its account is there', async () => {
  await using bench = benchFor({ admit: () => pause(freshMs + 100) });
  const call = bench.call();
  // In another process, of which this one has not heard yet.
  bench.leave();
  await expect(call).rejects.toMatchObject({ code: 'not_found' });
  expect(bench.sent).toEqual([]);
});

test.each([
  ['account', 'This account was disconnected'],
  ['secret', 'This secret was deleted'],
] as const)('a call whose %s leaves while its intent is stored does not begin, and says so', async (kind, why) => {
  await using bench = benchFor({ kind });
  const stored = Promise.withResolvers<void>();
  const call = bench.call(stored.promise);
  await pause(20);
  bench.wire.end('acc_1');
  stored.resolve();
  await expect(call).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining(why) });
  expect(bench.sent).toEqual([]);
});

test('a credential that is tried before it is stored is held to the limits, and one that ends is not', async () => {
  const spent = new Fault('rate_limited', 'The budget is spent.');
  await using bench = benchFor({ admit: () => Promise.reject(spent) });
  await expect(bench.tryOut()).rejects.toBe(spent);
  expect(bench.sent).toEqual([]);
  await bench.tryOut({ last: true });
  expect(bench.sent).toEqual(['call']);
});
