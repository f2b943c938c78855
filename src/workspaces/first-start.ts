import { sql } from 'kysely';
import type { Clock } from '#clock';
import { type Database, newId, type Store } from '#store';
import { recordAudit } from './audit.ts';

export type FirstOwner = { workspaceId: string; personId: string; email: string };

const email = 'owner@switchboard.local';

/** Whom the terminal's sign-in link lets in, and where: the oldest workspace, whoever owns it by now. */
export const firstOwner = async (db: Database): Promise<FirstOwner | undefined> => {
  const row = await db
    .selectFrom('members')
    .innerJoin('people', 'people.id', 'members.person_id')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'members.workspace_id')
    .select(['members.workspace_id', 'people.id', 'people.email'])
    .where('role', '=', 'owner')
    .orderBy('workspaces.created_at')
    .orderBy('members.created_at')
    .executeTakeFirst();
  return row === undefined ? undefined : { workspaceId: row.workspace_id, personId: row.id, email: row.email };
};

/** Makes sure there is a workspace and someone who owns it; answers the first owner. Several processes may ask at once. */
export const ensureFirstOwner = ({ store, clock }: { store: Store; clock: Clock }): Promise<FirstOwner> =>
  store.system.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('switchboard first start', 0))`.execute(tx);
    const known = await firstOwner(tx);
    if (known !== undefined) return known;

    const at = clock.now();
    const workspaceId = newId('ws', at);
    const personId = newId('per', at);
    const person = { id: personId, email, name: email, password_hash: null, created_at: at };
    await tx.insertInto('people').values(person).execute();
    const workspace = { workspace_id: workspaceId, name: 'My workspace', created_at: at, stopped_at: null };
    await tx.insertInto('workspaces').values(workspace).execute();
    const owner = { person_id: personId, role: 'owner' as const, name: 'Owner' };
    await tx
      .insertInto('members')
      .values({ workspace_id: workspaceId, ...owner, created_at: at })
      .execute();
    const actor = { kind: 'system' as const, id: 'system', name: 'First start' };
    await recordAudit(tx, clock, { workspaceId, actor, action: 'workspace.created', target: workspaceId });
    return { workspaceId, personId, email };
  });

/** The member with this address, in the first workspace they joined. */
export const findMember = async (store: Store, address: string): Promise<FirstOwner | undefined> => {
  const row = await store.system
    .selectFrom('members')
    .innerJoin('people', 'people.id', 'members.person_id')
    .select(['members.workspace_id', 'people.id', 'people.email'])
    .where('people.email', '=', address.trim().toLowerCase())
    .orderBy('members.created_at')
    .executeTakeFirst();
  return row === undefined ? undefined : { workspaceId: row.workspace_id, personId: row.id, email: row.email };
};
