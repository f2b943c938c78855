import { sql } from 'kysely';
import type { Clock } from '#clock';
import { Fault } from '#kit';
import { type Actor, type Database, newId, type Role, type Store } from '#store';
import { recordAudit } from './audit.ts';
import { nameHere } from './name-here.ts';
import { hashPassword } from './passwords.ts';
import type { VouchedBy } from './reach.ts';

export type Member = { id: string; email: string; name: string; role: Role; hasPassword: boolean; createdAt: Date };

/** The people of a workspace. */
export type Members = {
  list(workspaceId: string): Promise<Member[]>;
  get(workspaceId: string, personId: string): Promise<Member>;
  /** Adds a person, known or new; a member already there is a conflict. */
  add(
    workspaceId: string,
    person: { email: string; name?: string | undefined; role: Role },
    actor: Actor,
  ): Promise<Member>;
  changeRole(workspaceId: string, personId: string, role: Role, actor: Actor): Promise<Member>;
  remove(workspaceId: string, personId: string, actor: Actor): Promise<void>;
  /** Refused when the password was chosen under another's word: it opens more than the one asking may. */
  setPassword(personId: string, password: string, vouchedBy: VouchedBy): Promise<void>;
};

const unknown = () => new Fault('not_found', 'There is no such member.');

export const createMembers = ({ store, clock }: { store: Store; clock: Clock }): Members => {
  // People are shared between workspaces and readable only by the house; the join is bounded by the workspace.
  const find = (db: Database, workspaceId: string) =>
    db
      .selectFrom('members')
      .innerJoin('people', 'people.id', 'members.person_id')
      .select(['people.id', 'email', nameHere.as('name'), 'role', 'password_hash', 'members.created_at'])
      .where('members.workspace_id', '=', workspaceId);

  const show = (row: Awaited<ReturnType<ReturnType<typeof find>['executeTakeFirstOrThrow']>>): Member => ({
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    hasPassword: row.password_hash !== null,
    createdAt: row.created_at,
  });

  const one = async (db: Database, workspaceId: string, personId: string): Promise<Member> => {
    const row = await find(db, workspaceId).where('people.id', '=', personId).executeTakeFirst();
    if (row === undefined) throw unknown();
    return show(row);
  };

  /** Changes members while holding the workspace's row, so that two changes cannot remove the last two owners. */
  const change = <T>(workspaceId: string, work: (tx: Database) => Promise<T>): Promise<T> =>
    store.system.transaction().execute(async (tx) => {
      await tx.selectFrom('workspaces').select('name').where('workspace_id', '=', workspaceId).forUpdate().execute();
      const result = await work(tx);
      const owner = await tx
        .selectFrom('members')
        .select('person_id')
        .where('workspace_id', '=', workspaceId)
        .where('role', '=', 'owner')
        .executeTakeFirst();
      if (owner === undefined)
        throw new Fault('conflict', 'A workspace needs an owner; make someone else owner first.');
      return result;
    });

  return {
    get: (workspaceId, personId) => one(store.system, workspaceId, personId),

    list: async (workspaceId) =>
      (await find(store.system, workspaceId).orderBy('members.created_at', 'desc').execute()).map(show),

    add: (workspaceId, { email, name, role }, actor) =>
      change(workspaceId, async (tx) => {
        const createdAt = clock.now();
        const { id } = await tx
          .insertInto('people')
          .values({
            id: newId('per', createdAt),
            email,
            name: email,
            password_hash: null,
            created_at: createdAt,
          })
          .onConflict((on) => on.column('email').doUpdateSet({ email: sql`excluded.email` }))
          .returning('id')
          .executeTakeFirstOrThrow();
        const added = await tx
          .insertInto('members')
          .values({ workspace_id: workspaceId, person_id: id, role, name: name ?? email, created_at: createdAt })
          .onConflict((on) => on.doNothing())
          .returning('person_id')
          .executeTakeFirst();
        if (added === undefined)
          throw new Fault('conflict', 'This person is a member already; change the role instead.');
        await recordAudit(tx, clock, {
          workspaceId,
          actor,
          action: 'member.added',
          target: id,
          details: { email, role },
        });
        return one(tx, workspaceId, id);
      }),

    changeRole: (workspaceId, personId, role, actor) =>
      change(workspaceId, async (tx) => {
        const before = await one(tx, workspaceId, personId);
        await tx
          .updateTable('members')
          .set({ role })
          .where('workspace_id', '=', workspaceId)
          .where('person_id', '=', personId)
          .execute();
        const details = { from: before.role, to: role };
        await recordAudit(tx, clock, { workspaceId, actor, action: 'member.role_changed', target: personId, details });
        return { ...before, role };
      }),

    remove: (workspaceId, personId, actor) =>
      change(workspaceId, async (tx) => {
        const { email } = await one(tx, workspaceId, personId);
        await tx
          .deleteFrom('members')
          .where('workspace_id', '=', workspaceId)
          .where('person_id', '=', personId)
          .execute();
        await tx
          .updateTable('people')
          .set({ password_hash: null, password_by: null })
          .where('id', '=', personId)
          .where('password_by', '=', workspaceId)
          .execute();
        await recordAudit(tx, clock, {
          workspaceId,
          actor,
          action: 'member.removed',
          target: personId,
          details: { email },
        });
      }),

    setPassword: async (personId, password, vouchedBy) => {
      const passwordHash = await hashPassword(password);
      const changed = await store.system
        .updateTable('people')
        .set({ password_hash: passwordHash, password_by: vouchedBy })
        .where('id', '=', personId)
        .$if(vouchedBy !== null, (query) =>
          query.where((eb) => eb.or([eb('password_hash', 'is', null), eb('password_by', '=', vouchedBy)])),
        )
        .returning('id')
        .executeTakeFirst();
      if (changed === undefined) {
        throw new Fault('forbidden', 'Your password also opens another workspace; sign in with it, then change it.');
      }
    },
  };
};
