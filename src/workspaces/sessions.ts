import { sql } from 'kysely';
import type { Clock } from '#clock';
import { Fault } from '#kit';
import { type Actor, newId, removePast, type Store } from '#store';
import type { Caller } from './access.ts';
import { recordAudit } from './audit.ts';
import type { Budgets } from './budgets.ts';
import { nameHere } from './name-here.ts';
import { passwordMatches } from './passwords.ts';
import { reaches, type VouchedBy } from './reach.ts';
import { hashToken, newToken } from './tokens.ts';

// What one process lets in another must not turn away, so validity goes by the database's time, which all share.
const databaseNow = sql<Date>`clock_timestamp()`;

// A person mistypes a few times; a machine that guesses is slowed to one try in twelve seconds. Others together have more
// tries than one of them: whoever guesses at a password must not shut out the person whose it is.
const perGuesser = { perSecond: 1 / 12, burst: 5 };
const perPerson = { perSecond: 1 / 2, burst: 60 };
const perAddress = { perSecond: 1 / 2, burst: 30 };

/** A browser's way in: by password, or by a one-time link from the terminal or an owner. */
export type Sessions = {
  signIn(credentials: { email: string; password: string; address: string }): Promise<string>;
  /** A link that signs this member in once, within 15 minutes, as far as the maker's word reaches. */
  createLink(
    workspaceId: string,
    personId: string,
    maker: { actor: Actor; vouchedBy: VouchedBy },
  ): Promise<{ token: string; expiresAt: Date }>;
  /** Whether a link could still be used; looking does not use it. */
  linkIsGood(token: string): Promise<boolean>;
  useLink(token: string): Promise<string>;
  find(token: string): Promise<Extract<Caller, { kind: 'member' }> | undefined>;
  /** The same browser, looking at another of the person's workspaces. */
  switchTo(caller: Extract<Caller, { kind: 'member' }>, workspaceId: string): Promise<void>;
  end(sessionId: string): Promise<void>;
  /**
   * Refuses whoever found a browser signed in: a password is replaced by those who know it, or who have just come in by a
   * sign-in link.
   */
  requirePassword(caller: Extract<Caller, { kind: 'member' }>, current: string | undefined): Promise<void>;
  /** Signs this person out everywhere else that the session's word reaches. */
  endOthers(caller: Extract<Caller, { kind: 'member' }>): Promise<void>;
  sweep(): Promise<void>;
};

export const createSessions = (options: { store: Store; clock: Clock; budgets: Budgets }): Sessions => {
  const { store, clock, budgets } = options;
  // Sessions are found by their token before any workspace is known, hence the house's own view throughout.
  const db = store.system;

  const start = async (
    workspaceId: string,
    person: { id: string; name: string },
    vouchedBy: VouchedBy,
    by: 'password' | 'link',
  ): Promise<string> => {
    const token = newToken('sbs');
    const now = clock.now();
    await db.transaction().execute(async (tx) => {
      await tx
        .insertInto('sessions')
        .values({
          id: newId('ses', now),
          workspace_id: workspaceId,
          person_id: person.id,
          token_hash: hashToken(token),
          vouched_by: vouchedBy,
          by_link: by === 'link',
          created_at: now,
          expires_at: sql<Date>`clock_timestamp() + interval '30 days'`,
        })
        .execute();
      const actor = { kind: 'member' as const, id: person.id, name: person.name };
      await recordAudit(tx, clock, {
        workspaceId,
        actor,
        action: 'session.started',
        target: person.id,
        details: { by },
      });
    });
    return token;
  };

  const throttle = async (name: string, rate: { perSecond: number; burst: number }): Promise<void> => {
    const retryAfterMs = await budgets.take('*', name, rate);
    if (retryAfterMs > 0)
      throw new Fault('rate_limited', 'Too many attempts to sign in; wait a moment.', { retryAfterMs });
  };

  return {
    signIn: async ({ email, password, address }) => {
      await throttle(`sign-in from ${address}`, perAddress);
      const name = `sign-in as ${hashToken(email).toString('base64')}`;
      await throttle(`${name} from ${address}`, perGuesser);
      await throttle(name, perPerson);
      const person = await db
        .selectFrom('people')
        .innerJoin('members', 'members.person_id', 'people.id')
        .select(['people.id', 'password_hash', 'password_by', 'members.workspace_id', nameHere.as('name')])
        .where('email', '=', email)
        .where(sql<boolean>`(password_by is null or password_by in (members.workspace_id, members.vouched_by))`)
        .orderBy('members.created_at')
        .executeTakeFirst();
      const good = await passwordMatches(password, person?.password_hash);
      if (person === undefined || !good) throw new Fault('unauthenticated', 'Wrong email address or password.');
      return start(person.workspace_id, person, person.password_by, 'password');
    },

    createLink: async (workspaceId, personId, { actor, vouchedBy }) => {
      const token = newToken('sbl');
      const now = clock.now();
      const expiresAt = await db.transaction().execute(async (tx) => {
        const link = await tx
          .insertInto('sign_in_links')
          .values({
            id: newId('sil', now),
            workspace_id: workspaceId,
            person_id: personId,
            token_hash: hashToken(token),
            vouched_by: vouchedBy,
            created_at: now,
            expires_at: sql<Date>`clock_timestamp() + interval '15 minutes'`,
            used_at: null,
          })
          .returning('expires_at')
          .executeTakeFirstOrThrow();
        await recordAudit(tx, clock, { workspaceId, actor, action: 'member.sign_in_link_made', target: personId });
        return link.expires_at;
      });
      return { token, expiresAt };
    },

    linkIsGood: async (token) => {
      const row = await db
        .selectFrom('sign_in_links')
        .select('id')
        .where('token_hash', '=', hashToken(token))
        .where('used_at', 'is', null)
        .where('expires_at', '>', databaseNow)
        .executeTakeFirst();
      return row !== undefined;
    },

    useLink: async (token) => {
      const link = await db
        .updateTable('sign_in_links')
        .set({ used_at: clock.now() })
        .where('token_hash', '=', hashToken(token))
        .where('used_at', 'is', null)
        .where('expires_at', '>', databaseNow)
        .returning(['workspace_id', 'person_id', 'vouched_by'])
        .executeTakeFirst();
      if (link === undefined) {
        throw new Fault('unauthenticated', 'This sign-in link was used or has expired; ask for a new one.');
      }
      const person = await db
        .selectFrom('people')
        .leftJoin('members', (join) =>
          join.onRef('members.person_id', '=', 'people.id').on('members.workspace_id', '=', link.workspace_id),
        )
        .select(['people.id', nameHere.as('name')])
        .where('people.id', '=', link.person_id)
        .executeTakeFirstOrThrow();
      return start(link.workspace_id, person, link.vouched_by, 'link');
    },

    requirePassword: async ({ sessionId, personId }, current) => {
      const { password_hash: stored, fresh } = await db
        .selectFrom('sessions')
        .innerJoin('people', 'people.id', 'sessions.person_id')
        .select('password_hash')
        .select(sql<boolean>`by_link and sessions.created_at > clock_timestamp() - interval '15 minutes'`.as('fresh'))
        .where('sessions.id', '=', sessionId)
        .executeTakeFirstOrThrow();
      if (stored === null || fresh) return;
      if (current !== undefined) await throttle(`password of ${personId}`, perGuesser);
      if (current !== undefined && (await passwordMatches(current, stored))) return;
      const message = current === undefined ? 'is needed to change it' : 'is not your present password';
      const fields = [{ field: 'currentPassword', message }];
      throw new Fault('invalid_input', `currentPassword ${message}.`, { details: { fields } });
    },

    find: async (token) => {
      const row = await db
        .selectFrom('sessions')
        .innerJoin('members', (join) =>
          join
            .onRef('members.workspace_id', '=', 'sessions.workspace_id')
            .onRef('members.person_id', '=', 'sessions.person_id'),
        )
        .innerJoin('people', 'people.id', 'sessions.person_id')
        .select(['sessions.id', 'sessions.workspace_id', 'sessions.person_id', 'members.role', nameHere.as('name')])
        .select('sessions.vouched_by')
        .where('token_hash', '=', hashToken(token))
        .where('expires_at', '>', databaseNow)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      return {
        kind: 'member',
        workspaceId: row.workspace_id,
        actor: { kind: 'member', id: row.person_id, name: row.name },
        personId: row.person_id,
        sessionId: row.id,
        role: row.role,
        vouchedBy: row.vouched_by,
      };
    },

    switchTo: async ({ sessionId, personId, vouchedBy }, workspaceId) => {
      const member = await db
        .selectFrom('members')
        .select('role')
        .where('workspace_id', '=', workspaceId)
        .where('person_id', '=', personId)
        .where(reaches(vouchedBy))
        .executeTakeFirst();
      if (member === undefined) throw new Fault('not_found', 'There is no such workspace.');
      await db.updateTable('sessions').set({ workspace_id: workspaceId }).where('id', '=', sessionId).execute();
    },

    end: async (sessionId) => {
      await db.deleteFrom('sessions').where('id', '=', sessionId).execute();
    },

    endOthers: async ({ personId, sessionId, vouchedBy }) => {
      await db
        .deleteFrom('sessions')
        .where('person_id', '=', personId)
        .where('id', '<>', sessionId)
        .$if(vouchedBy !== null, (query) => query.where('vouched_by', '=', vouchedBy))
        .execute();
    },

    sweep: async () => {
      for (const table of ['sessions', 'sign_in_links'] as const) await removePast(db, table, sql`expires_at < now()`);
    },
  };
};
