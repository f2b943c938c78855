import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Clock, systemClock } from '#clock';
import { silentLog } from '#log';
import type { Store } from '#store';
import { freshStore } from '../../test/fresh-store.ts';
import type { Caller } from './access.ts';
import { createDeleting, type Held } from './deleting.ts';
import { ensureFirstOwner } from './first-start.ts';
import { createMembers } from './members.ts';
import { createWorkspaces } from './workspaces.ts';

/** Nobody waits for anything. */
const clock: Clock = {
  ...systemClock(),
  sleep: async () => {},
  after: (_, act) => {
    const soon = setImmediate(act);
    return () => clearImmediate(soon);
  },
};
const actor = { kind: 'system', id: 'system', name: 'Test' } as const;

/** The first workspace with its owner, and one that they made. */
const house = async (store: Store, leave: (held: Held) => Promise<void> = async () => {}) => {
  const { workspaceId: first, personId } = await ensureFirstOwner({ store, clock });
  const owner = { personId, actor, vouchedBy: null };
  const { id: second } = await createWorkspaces({ store, clock }).create('Second', owner);
  const asOwner = (id = personId): Extract<Caller, { kind: 'member' }> => ({
    ...{ kind: 'member', workspaceId: second, actor, personId: id, sessionId: 'ses_1', role: 'owner', vouchedBy: null },
  });
  const members = createMembers({ store, clock });
  const join = async (workspaceId: string, email: string) =>
    (await members.add(workspaceId, { email, role: 'owner' }, actor)).id;
  return {
    first,
    second,
    personId,
    asOwner,
    members,
    join,
    deleting: createDeleting({ store, clock, log: silentLog, leave }),
  };
};

test('the first workspace stays the first when others own it, and is not deleted', async () => {
  await using opened = await freshStore();
  const { store } = opened;
  const { first, personId, asOwner, join, members, deleting } = await house(store);
  const later = await join(first, 'later@house.test');
  await members.remove(first, personId, actor);

  expect(await ensureFirstOwner({ store, clock })).toMatchObject({ workspaceId: first, personId: later });
  await expect(deleting.begin(first, asOwner(later))).rejects.toMatchObject({ code: 'conflict' });
});
