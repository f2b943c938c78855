import type { Clock } from '#clock';
import { Fault } from '#kit';
import { newId, type Store } from '#store';
import type { Caller } from './access.ts';
import { recordAudit } from './audit.ts';
import type { Budgets } from './budgets.ts';
import { passwordMatches } from './passwords.ts';
import { hashToken, newToken } from './tokens.ts';

const day = 24 * 60 * 60 * 1000;
const sessionLife = 30 * day;
const linkLife = 15 * 60 * 1000;

// A person mistypes a few times; a machine that guesses is slowed to one try in twelve seconds.
const perPerson = { perSecond: 1 / 12, burst: 5 };
const perAddress = { perSecond: 1 / 2, burst: 30 };

/** A browser's way in: by password, or by a one-time link from the terminal or an owner. */
export type Sessions = {
  signIn(credentials: { email: string; password: string; address: string }): Promise<string>;
  /** A link that signs this member in once, within 15 minutes. */
  createLink(workspaceId: string, personId: string): Promise<{ token: string; expiresAt: Date }>;
  /** Whether a link could still be used; looking does not use it. */
  linkIsGood(token: string): Promise<boolean>;
  useLink(token: string): Promise<string>;
  find(token: string): Promise<Extract<Caller, { kind: 'member' }> | undefined>;
  /** The same browser, looking at another of the person's workspaces. */
  switchTo(caller: Extract<Caller, { kind: 'member' }>, workspaceId: string): Promise<void>;
  end(sessionId: string): Promise<void>;
  /** Signs this person out everywhere else. */
  endOthers(personId: string, sessionId: string): Promise<void>;
  sweep(): Promise<void>;
};

export const createSessions = (options: { store: Store; clock: Clock; budgets: Budgets }): Sessions => {
  const { store, clock, budgets } = options;
  // Sessions are found by their token before any workspace is known, hence the house's own view throughout.
  const db = store.system;

  const start = async (workspaceId: string, personId: string): Promise<string> => {
    const token = newToken('sbs');
    const now = clock.now();
    await db
      .insertInto('sessions')
      .values({
        id: newId('ses', now),
        workspace_id: workspaceId,
        person_id: personId,
        token_hash: hashToken(token),
        created_at: now,
        expires_at: new Date(now.getTime() + sessionLife),
      })
      .execute();
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
      await throttle(`sign-in as ${hashToken(email).toString('base64')}`, perPerson);
      const person = await db
        .selectFrom('people')
        .innerJoin('members', 'members.person_id', 'people.id')
        .select(['people.id', 'password_hash', 'members.workspace_id', 'people.name'])
        .where('email', '=', email)
        .orderBy('members.created_at')
        .executeTakeFirst();
      const good = await passwordMatches(password, person?.password_hash);
      if (person === undefined || !good) throw new Fault('unauthenticated', 'Wrong email address or password.');
      await recordAudit(db, clock, {
        workspaceId: person.workspace_id,
        actor: { kind: 'member', id: person.id, name: person.name },
        action: 'session.started',
        target: person.id,
        details: { by: 'password' },
      });
      return start(person.workspace_id, person.id);
    },

    createLink: async (workspaceId, personId) => {
      const token = newToken('sbl');
      const now = clock.now();
      const expiresAt = new Date(now.getTime() + linkLife);
      await db
        .insertInto('sign_in_links')
        .values({
          id: newId('sil', now),
          workspace_id: workspaceId,
          person_id: personId,
          token_hash: hashToken(token),
          created_at: now,
          expires_at: expiresAt,
          used_at: null,
        })
        .execute();
      return { token, expiresAt };
    },

    linkIsGood: async (token) => {
      const row = await db
        .selectFrom('sign_in_links')
        .select('id')
        .where('token_hash', '=', hashToken(token))
        .where('used_at', 'is', null)
        .where('expires_at', '>', clock.now())
        .executeTakeFirst();
      return row !== undefined;
    },

    useLink: async (token) => {
      const link = await db
        .updateTable('sign_in_links')
        .set({ used_at: clock.now() })
        .where('token_hash', '=', hashToken(token))
        .where('used_at', 'is', null)
        .where('expires_at', '>', clock.now())
        .returning(['workspace_id', 'person_id'])
        .executeTakeFirst();
      if (link === undefined) {
        throw new Fault('unauthenticated', 'This sign-in link was used or has expired; ask for a new one.');
      }
      return start(link.workspace_id, link.person_id);
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
        .select(['sessions.id', 'sessions.workspace_id', 'sessions.person_id', 'members.role', 'people.name'])
        .where('token_hash', '=', hashToken(token))
        .where('expires_at', '>', clock.now())
        .executeTakeFirst();
      if (row === undefined) return undefined;
      return {
        kind: 'member',
        workspaceId: row.workspace_id,
        actor: { kind: 'member', id: row.person_id, name: row.name },
        personId: row.person_id,
        sessionId: row.id,
        role: row.role,
      };
    },

    switchTo: async ({ sessionId, personId }, workspaceId) => {
      const member = await db
        .selectFrom('members')
        .select('role')
        .where('workspace_id', '=', workspaceId)
        .where('person_id', '=', personId)
        .executeTakeFirst();
      if (member === undefined) throw new Fault('not_found', 'There is no such workspace.');
      await db.updateTable('sessions').set({ workspace_id: workspaceId }).where('id', '=', sessionId).execute();
    },

    end: async (sessionId) => {
      await db.deleteFrom('sessions').where('id', '=', sessionId).execute();
    },

    endOthers: async (personId, sessionId) => {
      await db.deleteFrom('sessions').where('person_id', '=', personId).where('id', '<>', sessionId).execute();
    },

    sweep: async () => {
      await db.deleteFrom('sessions').where('expires_at', '<', clock.now()).execute();
      await db.deleteFrom('sign_in_links').where('expires_at', '<', clock.now()).execute();
    },
  };
};
