import { hash } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Clock } from '#clock';
import { afterId, Fault, type Page, type PageRequest, toPage } from '#kit';
import { type Actor, type Database, newId, removePast, type Store, type Tables } from '#store';
import { type Caller, roles } from '../access.ts';
import { recordAudit } from '../audit.ts';
import { hashToken, newToken } from '../tokens.ts';
import type { Client } from './clients.ts';
import { OAuthError } from './errors.ts';

export const clientScopes = ['read', 'run'] as const;
export type ClientScope = (typeof clientScopes)[number];

type Member = Extract<Caller, { kind: 'member' }>;

export type ClientRequest = {
  client: Client;
  redirectUri: string;
  state: string | undefined;
  /** The SHA-256 of the program's secret for this one exchange. */
  challenge: string;
  scopes: ClientScope[];
  resource: string;
};

export type ClientGrant = {
  id: string;
  clientName: string;
  person: { id: string; name: string };
  scopes: string[];
  resource: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
};

export type ClientTokens = { accessToken: string; refreshToken: string; expiresIn: number; scopes: string[] };

/** What people let programs do for them over MCP. */
export type ClientGrants = {
  /** Remembers what a person is being asked; the word that comes back with the answer. */
  ask(member: Member, request: ClientRequest): Promise<string>;
  /** The answer, given once, in the session that was asked: where the browser goes next. */
  decide(
    member: Member,
    word: string,
    allowed: boolean,
  ): Promise<{ redirectUri: string; answer: Record<string, string> }>;
  exchange(given: { code: string; clientId: string; redirectUri: string; verifier: string }): Promise<ClientTokens>;
  /** Each refresh token works once, for all that is done at once. A later use means that somebody else has it, and ends everything. */
  refresh(given: { refreshToken: string; clientId: string }): Promise<ClientTokens>;
  /** Whom an access token stands for, and which address it opens. */
  find(token: string): Promise<{ caller: Extract<Caller, { kind: 'key' }>; resource: string } | undefined>;
  /** By the program itself, with any of its tokens. */
  giveUp(token: string): Promise<void>;
  list(workspaceId: string, page: PageRequest): Promise<Page<ClientGrant>>;
  revoke(workspaceId: string, id: string, actor: Actor): Promise<void>;
  sweep(): Promise<void>;
};

export const accessTokenPrefix = 'sbo_';
const accessSeconds = 900;
const noteUseEverySeconds = 60;
/**
 * A program that does several things at once, or runs several times on one machine, renews for each of them, with the one
 * token that it has. Programs were seen to do so more than a minute apart.
 */
const renewTogetherSeconds = 120;

/** Who may not call tools cannot let a program do it. */
export const scopesOf = (role: Member['role']): readonly ClientScope[] =>
  roles.indexOf(role) >= roles.indexOf('builder') ? clientScopes : ['read'];

const after = (seconds: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`;
const databaseNow = sql<Date>`clock_timestamp()`;
const spent = () =>
  new OAuthError('invalid_grant', 'This is unknown, was used, or has expired; ask for permission again.');

/** The session may look at another workspace by the time of the answer, which is for the one that the page named. */
const hashAsked = (word: string, workspaceId: string) => hashToken(`${word} ${workspaceId}`);

type Token = Pick<
  Selectable<Tables['client_tokens']>,
  'workspace_id' | 'grant_id' | 'used_at' | 'redirect_uri' | 'challenge'
> & {
  client_id: string;
  scopes: string[];
  good: boolean;
  /** Used a moment ago. */
  together: boolean;
};

export const createClientGrants = ({ store, clock }: { store: Store; clock: Clock }): ClientGrants => {
  // Found by their tokens before any workspace is known, hence the house's own view.
  const db = store.system;

  const issue = async (tx: Database, { workspace_id, grant_id, scopes }: Token): Promise<ClientTokens> => {
    const accessToken = newToken('sbo');
    const refreshToken = newToken('sbf');
    await tx
      .insertInto('client_tokens')
      .values([
        { hash: hashToken(accessToken), workspace_id, grant_id, kind: 'access', expires_at: after(accessSeconds) },
        { hash: hashToken(refreshToken), workspace_id, grant_id, kind: 'refresh', expires_at: after(30 * 86_400) },
      ])
      .execute();
    return { accessToken, refreshToken, expiresIn: accessSeconds, scopes };
  };

  const end = (tx: Database, workspaceId: string, grantId: string) =>
    tx
      .updateTable('client_grants')
      .set({ revoked_at: clock.now() })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', grantId)
      .where('revoked_at', 'is', null)
      .returning(['id', 'client_name'])
      .executeTakeFirst();

  const endByHouse = async (tx: Database, { workspace_id: workspaceId, grant_id: id }: Token, reason: string) => {
    if ((await end(tx, workspaceId, id)) === undefined) return;
    const actor: Actor = { kind: 'system', id: 'clients', name: 'Switchboard' };
    await recordAudit(tx, clock, { workspaceId, actor, action: 'client.revoked', target: id, details: { reason } });
  };

  /** Uses a token up, once, in favour of new ones. */
  const trade = async (
    token: string,
    kind: 'code' | 'refresh',
    fits: (found: Token) => boolean,
  ): Promise<ClientTokens> => {
    const traded = await db.transaction().execute(async (tx) => {
      const { rows } = await sql<Token>`
        select t.workspace_id, t.grant_id, t.used_at, t.redirect_uri, t.challenge, g.client_id, g.scopes,
          t.expires_at > clock_timestamp() and g.revoked_at is null as good,
          coalesce(t.used_at > clock_timestamp() - make_interval(secs => ${renewTogetherSeconds}), false) as together
        from client_tokens t join client_grants g on g.workspace_id = t.workspace_id and g.id = t.grant_id
        where t.hash = ${hashToken(token)} and t.kind = ${kind} for update of t`.execute(tx);
      const [found] = rows;
      if (found === undefined || !fits(found)) return undefined;
      const isRenewedTogether = kind === 'refresh' && found.together;
      if (found.used_at !== null && !isRenewedTogether) {
        await endByHouse(tx, found, 'A token was used twice.');
        return undefined;
      }
      if (!found.good) return undefined;
      await sql`update client_tokens set used_at = coalesce(used_at, clock_timestamp())
        where hash = ${hashToken(token)}`.execute(tx);
      return issue(tx, found);
    });
    if (traded === undefined) throw spent();
    return traded;
  };

  return {
    ask: async ({ sessionId, workspaceId }, { client, redirectUri, state, challenge, scopes, resource }) => {
      const word = newToken('sbq');
      await db
        .insertInto('client_requests')
        .values({
          hash: hashAsked(word, workspaceId),
          session_id: sessionId,
          client_id: client.id,
          redirect_uri: redirectUri,
          state: state ?? null,
          challenge,
          scopes,
          resource,
          expires_at: after(600),
        })
        .execute();
      return word;
    },

    decide: ({ workspaceId, personId, sessionId, role, actor }, word, allowed) =>
      db.transaction().execute(async (tx) => {
        const asked = await tx
          .deleteFrom('client_requests')
          .where('hash', '=', hashAsked(word, workspaceId))
          .where('session_id', '=', sessionId)
          .where('expires_at', '>', databaseNow)
          .returningAll()
          .executeTakeFirst();
        if (asked === undefined)
          throw new Fault('conflict', 'This was decided, has expired, or was asked in another workspace; start again.');
        const { redirect_uri: redirectUri, challenge, resource } = asked;
        const state: Record<string, string> = asked.state === null ? {} : { state: asked.state };
        const scopes = asked.scopes.filter((scope) => scopesOf(role).some((each) => each === scope));
        if (!allowed || scopes.length === 0) return { redirectUri, answer: { error: 'access_denied', ...state } };
        const { name } = await tx
          .selectFrom('clients')
          .select('name')
          .where('id', '=', asked.client_id)
          .executeTakeFirstOrThrow();
        const id = newId('grt', clock.now());
        const grant = { id, workspace_id: workspaceId, person_id: personId, client_id: asked.client_id };
        await tx
          .insertInto('client_grants')
          .values({ ...grant, client_name: name, scopes, resource, created_at: clock.now() })
          .execute();
        const code = newToken('sbc');
        await tx
          .insertInto('client_tokens')
          .values({
            hash: hashToken(code),
            workspace_id: workspaceId,
            grant_id: id,
            kind: 'code',
            redirect_uri: redirectUri,
            challenge,
            expires_at: after(60),
          })
          .execute();
        const details = { client: name, scopes, resource };
        await recordAudit(tx, clock, { workspaceId, actor, action: 'client.allowed', target: id, details });
        return { redirectUri, answer: { code, ...state } };
      }),

    exchange: ({ code, clientId, redirectUri, verifier }) =>
      trade(code, 'code', ({ client_id: of, redirect_uri: to, challenge }) => {
        return of === clientId && to === redirectUri && challenge === hash('sha256', verifier, 'base64url');
      }),

    refresh: ({ refreshToken, clientId }) => trade(refreshToken, 'refresh', ({ client_id: of }) => of === clientId),

    find: async (token) => {
      const { rows } = await sql<{
        id: string;
        workspace_id: string;
        client_name: string;
        person: string;
        role: Member['role'];
        scopes: string[];
        resource: string;
        stale: boolean;
      }>`
        select g.id, g.workspace_id, g.client_name, coalesce(m.name, p.email) as person, m.role, g.scopes, g.resource,
          coalesce(g.last_used_at < clock_timestamp() - make_interval(secs => ${noteUseEverySeconds}), true) as stale
        from client_tokens t
          join client_grants g on g.workspace_id = t.workspace_id and g.id = t.grant_id
          join members m on m.workspace_id = g.workspace_id and m.person_id = g.person_id
          join people p on p.id = g.person_id
        where t.hash = ${hashToken(token)} and t.kind = 'access' and t.expires_at > clock_timestamp()
          and g.revoked_at is null`.execute(db);
      const [found] = rows;
      if (found === undefined) return undefined;
      const { id, workspace_id: workspaceId, client_name: client, person, role, resource } = found;
      if (found.stale) {
        await sql`update client_grants set last_used_at = clock_timestamp() where id = ${id}`.execute(db);
      }
      const scopes = found.scopes.filter((scope) => scopesOf(role).some((each) => each === scope));
      const actor = { kind: 'key' as const, id, name: `${client} for ${person}` };
      return { caller: { kind: 'key', workspaceId, actor, keyId: id, scopes }, resource };
    },

    giveUp: async (token) => {
      await db.transaction().execute(async (tx) => {
        const { rows } = await sql<Token>`
          select workspace_id, grant_id from client_tokens where hash = ${hashToken(token)}`.execute(tx);
        if (rows[0] !== undefined) await endByHouse(tx, rows[0], 'The program gave it up.');
      });
    },

    list: async (workspaceId, page) => {
      const from = afterId('grt', page);
      // Names of people are the house's to read; the rows are this workspace's.
      const { rows } = await sql<Selectable<Tables['client_grants']> & { person: string }>`
        select g.*, coalesce(m.name, p.email) as person
        from client_grants g join people p on p.id = g.person_id
          left join members m on m.workspace_id = g.workspace_id and m.person_id = g.person_id
        where g.workspace_id = ${workspaceId} ${from === undefined ? sql`` : sql`and g.id < ${from}`}
        order by g.id desc limit ${page.limit + 1}`.execute(db);
      return toPage(rows, page, (row) => ({
        id: row.id,
        clientName: row.client_name,
        person: { id: row.person_id, name: row.person },
        scopes: row.scopes,
        resource: row.resource,
        createdAt: row.created_at,
        lastUsedAt: row.last_used_at,
        revokedAt: row.revoked_at,
      }));
    },

    revoke: (workspaceId, id, actor) =>
      store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const known = await tx
            .selectFrom('client_grants')
            .select('id')
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', id)
            .executeTakeFirst();
          if (known === undefined) throw new Fault('not_found', 'There is no such client.');
          const ended = await end(tx, workspaceId, id);
          if (ended === undefined) return;
          const details = { client: ended.client_name };
          await recordAudit(tx, clock, { workspaceId, actor, action: 'client.revoked', target: id, details });
        }),

    sweep: async () => {
      await removePast(db, 'client_requests', sql`expires_at < now()`);
      // Kept a while although spent: only so is a second use seen.
      await removePast(db, 'client_tokens', sql`expires_at < now() - interval '1 day'`);
      const granted = sql`select from client_grants g where g.client_id = clients.id`;
      await removePast(db, 'clients', sql`created_at < now() - interval '1 day' and not exists (${granted})`);
    },
  };
};
