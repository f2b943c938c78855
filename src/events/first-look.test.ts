import { expect, test } from 'vitest';
import { systemClock } from '#clock';
import { silentLog } from '#log';
import { createFirstLook } from './first-look.ts';
import type { HeldWatch } from './watch-records.ts';

const held: HeldWatch = {
  lease_owner: 'us/1',
  id: 'wch_1',
  workspace_id: 'ws',
  cursor: null,
  failures: 0,
  lapses: 0,
  caught_up_at: null,
  look_due: '',
  glance_due: null,
  check_due: '',
};

test('triggers made at the same moment share a look that has not begun, and none shares one that has', async () => {
  const done: string[] = [];
  const under: (() => void)[] = [];
  let isHeld = true;
  const firstLook = createFirstLook({
    clock: systemClock(),
    log: silentLog,
    records: {
      claimOne: async () => (isHeld ? undefined : held),
      holding: (_, work) => work(),
    },
    looks: {
      glance: async () => {},
      look: async () => {
        done.push('look');
        await new Promise<void>((resolve) => under.push(resolve));
      },
    },
    registrar: { tend: async () => void done.push('tend') },
  });
  const made = () => firstLook('ws', ['wch_1']);

  const together = [made(), made(), made()];
  isHeld = false;
  await expect.poll(() => done).toEqual(['look']);
  const later = made();
  await expect.poll(() => done).toEqual(['look', 'look']);
  for (const end of under) end();
  await Promise.all([...together, later]);

  expect(done.toSorted()).toEqual(['look', 'look', 'tend', 'tend']);
});
