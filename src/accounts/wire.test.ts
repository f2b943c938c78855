import { expect, test } from 'vitest';
import { silentLog } from '#log';
import { openStore } from '#store';
import { createWire } from './wire.ts';

test('without the database, calls that could be of a disconnected account are ended', async () => {
  const nowhere = openStore({ connectionString: 'postgres://nobody@127.0.0.1:1/none', max: 1, log: silentLog });
  const wire = createWire({ store: nowhere, log: silentLog });
  const call = wire.open('acc_1');
  expect(call.signal.aborted).toBe(false);
  await expect.poll(() => call.signal.aborted).toBe(true);
  // Nobody said that the account is gone: a run waits for storage instead of ending.
  expect([call.blind(), call.disconnected()]).toEqual([true, false]);
  call.close();
  wire.close();
  await nowhere.close();
});

test('ending an account ends its calls alone', async () => {
  const nowhere = openStore({ connectionString: 'postgres://nobody@127.0.0.1:1/none', max: 1, log: silentLog });
  const wire = createWire({ store: nowhere, log: silentLog });
  const [one, two, other] = [wire.open('acc_1'), wire.open('acc_1'), wire.open('acc_2')];
  two.close();
  wire.end('acc_1');
  expect([one, two, other].map(({ signal }) => signal.aborted)).toEqual([true, false, false]);
  wire.close();
  await nowhere.close();
});

test('whoever stops many calls stops those that are open, and later ones at once', async () => {
  const nowhere = openStore({ connectionString: 'postgres://nobody@127.0.0.1:1/none', max: 1, log: silentLog });
  const wire = createWire({ store: nowhere, log: silentLog });
  const ending = new AbortController();
  const [open, closed, others] = [
    wire.open('acc_1', ending.signal),
    wire.open('acc_1', ending.signal),
    wire.open('acc_1'),
  ];
  closed.close();
  const real = open.signal.toAbortSignal();
  ending.abort();
  const late = wire.open('acc_2', ending.signal);
  expect([open, closed, others, late].map(({ signal }) => signal.aborted)).toEqual([true, false, false, true]);
  expect([real.aborted, open.disconnected()]).toEqual([true, false]);
  wire.close();
  await nowhere.close();
});
