import { expect, test, vi } from 'vitest';
import { systemClock } from '#clock';
import { silentLog } from '#log';
import { createRegistrar } from './registrar.ts';

/** A process without an address that services reach meets a watch that another registered. */
const unreachable = (isReachedElsewhere: boolean) => {
  const watch = {
    id: 'wat_1',
    workspace_id: 'wsp_1',
    integration: 'mail',
    resource: 'inbox',
    registration: { id: 'sub_1' },
  };
  const remove = vi.fn(() => Promise.resolve());
  const records = { setRegistration: vi.fn(() => Promise.resolve()), release: vi.fn(() => Promise.resolve()) };
  const registrar = createRegistrar({
    reader: { byId: () => Promise.resolve(watch) } as never,
    records: records as never,
    watchers: { of: () => ({ watching: { push: { remove } }, context: () => ({}) }) } as never,
    clock: systemClock(),
    intervals: { checkMs: 600_000 } as never,
    log: silentLog,
    callbackBase: undefined,
    isReachedElsewhere: () => Promise.resolve(isReachedElsewhere),
  });
  return { remove, records, tend: () => registrar.tend({ id: 'wat_1' } as never) };
};

test('a process that services do not reach leaves a registration alone while others are reached, and looks', async () => {
  const { remove, records, tend } = unreachable(true);
  await tend();
  expect(remove).not.toHaveBeenCalled();
  expect(records.setRegistration).not.toHaveBeenCalled();
  expect(records.release).toHaveBeenCalledOnce();
});

test('a registration that tells nobody is removed where no process is reached', async () => {
  const { remove, records, tend } = unreachable(false);
  await tend();
  expect(remove).toHaveBeenCalledOnce();
  expect(records.setRegistration).toHaveBeenCalledWith({ workspaceId: 'wsp_1', watchId: 'wat_1' }, null);
});
