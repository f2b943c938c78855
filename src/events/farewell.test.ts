import { expect, test } from 'vitest';
import { silentLog } from '#log';
import { createFarewell } from './farewell.ts';

test('an account that cannot be erased keeps no other one from it, and whoever disconnects is not refused for it', async () => {
  const done: string[] = [];
  const { farewell, sweep } = createFarewell({
    approvals: () => ({ leave: () => Promise.reject(new Error('no')) }),
    leaving: () => ({
      deregister: async () => [],
      callOff: async () => {},
      unfinished: async () => ['broken', 'whole'].map((accountId) => ({ workspaceId: 'ws', accountId })),
      erase: async (_, accountId) => {
        if (accountId === 'broken') throw new Error('no');
        done.push(accountId);
      },
      eraseEnded: async () => void done.push('ended'),
    }),
    log: silentLog,
  });
  await sweep();
  expect(done).toEqual(['whole', 'ended']);
  await expect(farewell.atOnce('ws', 'broken')).resolves.toBeUndefined();
  await expect(farewell.after('ws', 'broken')).resolves.toBeUndefined();
});
