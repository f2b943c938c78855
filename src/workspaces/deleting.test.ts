import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
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

test('who joins another workspace while theirs is deleted is a member there', async () => {
  await using opened = await freshStore();
  const { system } = opened.store;
  const { first, second, asOwner, join, members, deleting } = await house(opened.store);
  const person = await join(second, 'joins@house.test');
  const { deleted } = await system.transaction().execute(async (tx) => {
    // As adding a member does it.
    await sql`update people set email = email where id = ${person}`.execute(tx);
    await sql`insert into members (workspace_id, person_id, role, name, created_at)
      values (${first}, ${person}, 'viewer', 'Joins', now())`.execute(tx);
    const begun = deleting.begin(second, asOwner());
    await vi.waitFor(async () => {
      const waiting = await sql`select from pg_locks w where not granted and exists (
        select from pg_locks l join pg_database d on d.oid = l.database
        where l.pid = w.pid and d.datname = current_database())`.execute(tx);
      expect(waiting.rows).not.toEqual([]);
    }, 45_000);
    return { deleted: begun };
  });
  await deleted;

  expect(await members.get(first, person)).toMatchObject({ email: 'joins@house.test' });
  await expect(members.get(second, person)).rejects.toMatchObject({ code: 'not_found' });
});

test('a service that does not let an account go holds up no other sweep, and is asked once at a time', async () => {
  await using opened = await freshStore();
  const { store } = opened;
  const asked: string[] = [];
  const { promise: answer, resolve: letGo } = Promise.withResolvers<void>();
  const { second, asOwner, deleting } = await house(store, ({ id }) => {
    asked.push(id);
    return answer;
  });
  await sql`insert into accounts (id, workspace_id, integration, name, identity, identity_id, state, auth_method,
      permission_types, scopes, credential, created_at)
    values ('acc_1', ${second}, 'board', 'Ada', '{}', '1', 'connected', 'token', '{}', '{}', '', now())`.execute(
    store.system,
  );
  await deleting.begin(second, asOwner());
  await expect.poll(() => asked).toEqual(['acc_1']);

  await deleting.sweep();
  await deleting.sweep();

  expect(asked).toEqual(['acc_1']);
  letGo();
  await vi.waitFor(async () => {
    await deleting.sweep();
    expect(asked.length).toBeGreaterThan(1);
  }, 45_000);
});

test('a workspace is gone only when all that it was granted is ended at the services', async () => {
  await using opened = await freshStore();
  const { store } = opened;
  const { second, asOwner, deleting } = await house(store);
  await sql`insert into revocations (workspace_id, account_id, credential, actor)
    values (${second}, 'acc_1', '', '{}')`.execute(store.system);
  await deleting.begin(second, asOwner());
  await sql`update workspaces set deleted_at = deleted_at - interval '1 hour' where workspace_id = ${second}`.execute(
    store.system,
  );
  const isThere = async () => {
    await deleting.sweep();
    return (await sql`select from workspaces where workspace_id = ${second}`.execute(store.system)).rows.length === 1;
  };
  expect(await isThere()).toBe(true);

  await sql`delete from revocations`.execute(store.system);

  await expect.poll(isThere).toBe(false);
});
