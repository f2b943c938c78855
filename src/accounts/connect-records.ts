import { type Selectable, sql } from 'kysely';
import type { Clock } from '#clock';
import { type Actor, type Database, newId, removePast, type Sealer, type Store, type Tables } from '#store';
import { type Door, hashToken, newToken, stillMay } from '#workspaces';

export type ConnectRow = Selectable<Tables['connects']>;

export type NewConnect = {
  workspaceId: string;
  integration: string;
  method: string;
  permissionTypes: readonly string[];
  accountId: string | undefined;
  endUserId: string | undefined;
  returnUrl: string | undefined;
  actor: Actor;
};

/** What opens a link. Of a preview that a chat or a mail makes nobody knows for sure; of a window its browser says so. */
export type Opener = { browser: string; isWindow: boolean };

/** People on their way to a service and back, as the database keeps them. */
export type ConnectRecords = {
  begin(connect: NewConnect): Promise<{ token: string; expiresAt: Date }>;
  /** What a link leads to, while it may be used. */
  byLink(token: string): Promise<ConnectRow | undefined>;
  /** Binds the link to the browser that opens it. False: another browser was first. */
  bind(id: string, opener: Opener, attempt: { state: string; verifier: string }): Promise<boolean>;
  /** Uses up a state in the browser it was given to. */
  take(
    integration: string,
    state: string,
    browser: string | undefined,
  ): Promise<(ConnectRow & { secret: string }) | 'elsewhere' | undefined>;
  /** A new link for the same attempt in the same browser, after it went wrong. */
  again(row: ConnectRow, permissionTypes: readonly string[]): Promise<string | undefined>;
  sweep(): Promise<void>;
};

const minute = 60_000;
const linkLife = 10 * minute;
// Neither opening it nor trying again is a way to keep a link alive for ever.
const longestLife = 60 * minute;
const day = 24 * 60 * minute;

// A link is good for as long as who made it could make it again: with a stolen key that was revoked nobody connects.
const connecting: Door = { role: 'builder', scope: 'connect' };

export const createConnectRecords = (options: { store: Store; sealer: Sealer; clock: Clock }): ConnectRecords => {
  const { store, sealer, clock } = options;
  // Links and states are found before any workspace is known, hence the house's own view throughout.
  const db = store.system;
  const later = (ms: number) => new Date(clock.now().getTime() + ms);
  const placeOf = ({ workspace_id, id }: Pick<ConnectRow, 'workspace_id' | 'id'>) => ({
    workspace: workspace_id,
    table: 'connects',
    row: id,
    column: 'verifier',
  });

  const isGood = (from: Database, { workspace_id: workspaceId, started_by: actor }: ConnectRow): Promise<boolean> =>
    stillMay(from, { workspaceId, actor, door: connecting, now: clock.now() });

  return {
    begin: async ({ workspaceId, integration, method, permissionTypes, accountId, endUserId, returnUrl, actor }) => {
      const token = newToken('sbc');
      const expiresAt = later(linkLife);
      const created = clock.now();
      await db
        .insertInto('connects')
        .values({
          id: newId('con', created),
          workspace_id: workspaceId,
          integration,
          method,
          permission_types: [...permissionTypes],
          account_id: accountId ?? null,
          end_user_id: endUserId ?? null,
          return_url: returnUrl ?? null,
          started_by: JSON.stringify(actor),
          created_at: created,
          expires_at: expiresAt,
          token_hash: hashToken(token),
        })
        .execute();
      return { token, expiresAt };
    },

    byLink: async (token) => {
      const row = await db
        .selectFrom('connects')
        .selectAll()
        .where('token_hash', '=', hashToken(token))
        .where('finished_at', 'is', null)
        .where('expires_at', '>', clock.now())
        .executeTakeFirst();
      return row !== undefined && (await isGood(db, row)) ? row : undefined;
    },

    bind: (id, { browser, isWindow }, { state, verifier }) =>
      db.transaction().execute(async (tx) => {
        const hash = hashToken(browser);
        const row = await tx
          .updateTable('connects')
          .set({
            browser_hash: hash,
            previewed: !isWindow,
            state_hash: hashToken(state),
            expires_at: sql<Date>`least(${later(linkLife)}, created_at + make_interval(secs => ${longestLife / 1_000}))`,
          })
          .where('id', '=', id)
          .where('finished_at', 'is', null)
          .where((where) =>
            where.or([
              where('browser_hash', 'is', null),
              where('browser_hash', '=', hash),
              // A person whose link was previewed on its way to them still gets to use it.
              ...(isWindow ? [where('previewed', '=', true)] : []),
            ]),
          )
          .returning(['id', 'workspace_id'])
          .executeTakeFirst();
        if (row === undefined) return false;
        const sealed = sealer.seal(verifier, placeOf(row));
        await tx.updateTable('connects').set({ verifier: sealed }).where('id', '=', id).execute();
        return true;
      }),

    take: (integration, state, browser) =>
      db.transaction().execute(async (tx) => {
        const row = await tx
          .selectFrom('connects')
          .selectAll()
          .where('state_hash', '=', hashToken(state))
          .where('integration', '=', integration)
          .where('finished_at', 'is', null)
          .where('expires_at', '>', clock.now())
          .forUpdate()
          .executeTakeFirst();
        if (row === undefined || row.verifier === null) return undefined;
        const mine = browser !== undefined && row.browser_hash?.equals(hashToken(browser));
        if (!mine) return 'elsewhere';
        if (!(await isGood(tx, row))) return undefined;
        await tx.updateTable('connects').set({ state_hash: null, verifier: null }).where('id', '=', row.id).execute();
        return { ...row, secret: sealer.open(row.verifier, placeOf(row)) };
      }),

    again: async ({ id, created_at }, permissionTypes) => {
      const end = new Date(Math.min(later(linkLife).getTime(), created_at.getTime() + longestLife));
      if (end <= clock.now()) return undefined;
      const token = newToken('sbc');
      await db
        .updateTable('connects')
        .set({ token_hash: hashToken(token), expires_at: end, permission_types: [...permissionTypes] })
        .where('id', '=', id)
        .where('finished_at', 'is', null)
        .execute();
      return token;
    },

    sweep: async () => {
      await removePast(db, 'connects', sql`expires_at < ${later(-day)}`);
    },
  };
};
