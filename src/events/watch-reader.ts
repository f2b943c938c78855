import { sql } from 'kysely';
import type { SigningSecretOf } from '#accounts';
import type { Identity } from '#kit';
import { type AccountState, grouped, type Store, type StoredRegistration, type WatchState } from '#store';

/** A watch with its account, as a notification or a look needs it. */
export type SeenWatch = {
  id: string;
  workspace_id: string;
  account_id: string;
  integration: string;
  resource: string;
  token: string;
  callback: string | null;
  registration: StoredRegistration | null;
  secret_digests: Buffer[];
  state: WatchState;
  roster: number;
  /** Processes died here one after the other: whatever is met is judged on its own, so that only what ends them is given up. */
  is_apart: boolean;
  /** Whether a state is remembered for what the service never lists. */
  remembers: boolean;
  /** By then a look had told all that happened before. */
  caught_up_at: Date | null;
  /** How long it is known what was told. */
  keep_history_days: number;
  /** Before it, that was known for fewer days. */
  forgotten_before: Date | null;
  /** By the database's time. */
  read_at: Date;
  account_name: string;
  /** Of an embedding platform: whose account it is. */
  end_user_id: string | null;
  account_state: AccountState;
  identity: Identity;
  scopes: string[];
  auth_method: string;
  credential: Buffer | null;
  /** Changes whenever anything of the account does. */
  account_seen: string;
};

const columns = sql`w.id, w.workspace_id, w.account_id, w.integration, w.resource, w.token, w.callback, w.registration,
  w.secret_digests, w.state, w.roster, w.remembered is not null as remembers, w.caught_up_at,
  coalesce(w.apart_until > clock_timestamp(), false) as is_apart, a.name as account_name,
  a.end_user_id, a.state as account_state, a.identity, a.scopes, a.auth_method, a.credential,
  a.xmin::text as account_seen, clock_timestamp() as read_at,
  s.keep_history_days, s.forgotten_before`;

const remembered = 10_000;

export type WatchReader = {
  /** The watch that a notification's address names. Notifications that arrive together share a query. */
  byToken(token: string): Promise<SeenWatch | undefined>;
  /** The same as it was when last read: whoever uses it finds out by the roster's number whether it has changed. */
  remembered(token: string): SeenWatch | undefined;
  byId(id: string): Promise<SeenWatch | undefined>;
  signingSecretOf(watch: SeenWatch): string | undefined;
};

export const createWatchReader = (options: { store: Store; signingSecretOf: SigningSecretOf }): WatchReader => {
  const { store, signingSecretOf } = options;
  // A notification does not say whose it is: its address alone leads to the workspace.
  const reader = (name: 'id' | 'token') =>
    grouped(async (asked: string[]) => {
      const { rows } = await sql<SeenWatch>`
        select ${columns} from watches w join accounts a on a.workspace_id = w.workspace_id and a.id = w.account_id
          join workspaces s on s.workspace_id = w.workspace_id
        where ${sql.ref(`w.${name}`)} = any(${asked}::text[])`.execute(store.system);
      const found = new Map(rows.map((row) => [row[name], row]));
      return asked.map((each) => found.get(each));
    });
  const known = new Map<string, SeenWatch>();
  const fresh = reader('token');
  return {
    byToken: async (token) => {
      known.delete(token);
      const watch = await fresh(token);
      if (watch === undefined) return undefined;
      if (known.size >= remembered) known.clear();
      known.set(token, watch);
      return watch;
    },
    remembered: (token) => known.get(token),
    byId: reader('id'),
    signingSecretOf: (watch) =>
      signingSecretOf({
        workspace_id: watch.workspace_id,
        id: watch.account_id,
        integration: watch.integration,
        auth_method: watch.auth_method,
        credential: watch.credential,
      }),
  };
};
