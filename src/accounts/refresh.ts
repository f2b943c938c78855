import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock, Intervals } from '#clock';
import { type Catalogue, Fault, type Grant, type OAuthAuth } from '#kit';
import type { Log } from '#log';
import { type AccountState, freshMs, type Sealer, type Store } from '#store';
import { type AccountRow, placeOf } from './account.ts';
import { type Granted, GrantRefused, type OAuth } from './oauth.ts';
import { stateAfterRefusal } from './pausing.ts';
import { markRefused, type OnNeedsReconnect, type Where } from './standing.ts';
import { keepClaims } from './wanted-claims.ts';
import { integrationOf, methodOf, permissionTypesOf, type Services, serviceOf } from './ways.ts';
import type { Wire } from './wire.ts';

/** Renews credentials: once per expiry over all processes. */
export type Refresher = {
  /**
   * Resolves when the account's credential is newer than `version`, or is known to be dead; look again then.
   * The renewal itself goes on when the caller no longer waits.
   */
  renew(where: Where, version: number, how: Renewal): Promise<void>;
  /** Waits for the renewals under way: a token that was granted must be stored. */
  drain(timeoutMs: number): Promise<void>;
};

/** How long the caller waits, and whether a grant that was refused before is tried once more. */
export type Renewal = { ms: number; signal: AbortSignal; evenIfRefused: boolean };

type Claim = Pick<AccountRow, 'integration' | 'auth_method' | 'credential' | 'scopes'>;

const lookAgainMs = 100;
const longestWaitMs = 150_000;
const storeAgainMs = [100, 500, 2_000, 5_000, 10_000];

const reasons: Record<string, string> = {
  interaction_required: 'The service asks for a new sign-in; connect this account again.',
  consent_required: 'A permission was withdrawn; connect this account again.',
  expired: 'The access has ended and cannot be renewed; connect this account again.',
};
const reasonOf = (error: string): string =>
  reasons[error] ?? `The service no longer renews this access (${error}); connect this account again.`;

const seconds = (ms: number) => sql`make_interval(secs => ${ms / 1000})`;

export const createRefresher = (options: {
  store: Store;
  sealer: Sealer;
  clock: Clock;
  catalogue: Catalogue;
  services: Services;
  oauth: OAuth;
  wire: Wire;
  intervals: Intervals;
  log: Log;
  onNeedsReconnect: OnNeedsReconnect;
}): Refresher => {
  const { store, sealer, clock, catalogue, services, oauth, wire, intervals, log } = options;
  const flights = new Map<string, Promise<void>>();
  const owner = randomBytes(9).toString('base64url');

  /** Takes the right to renew this version; held by the database's time, so a dead process loses it. */
  const claim = async (
    { workspaceId, accountId }: Where,
    version: number,
    evenIfRefused: boolean,
  ): Promise<Claim | undefined> => {
    const { rows } = await sql<Claim>`
      update accounts set refresh_owner = ${owner}, refresh_until = clock_timestamp() + ${seconds(intervals.leaseMs)}
      where workspace_id = ${workspaceId} and id = ${accountId} and version = ${version} and credential is not null
        and (refresh_until is null or refresh_until < clock_timestamp())
        and (state <> 'needs_reconnect' or ${evenIfRefused})
      returning integration, auth_method, credential, scopes`.execute(store.of(workspaceId));
    return rows[0];
  };

  const hold = ({ workspaceId, accountId }: Where): NodeJS.Timeout =>
    setInterval(() => {
      sql`update accounts set refresh_until = clock_timestamp() + ${seconds(intervals.leaseMs)}
        where workspace_id = ${workspaceId} and id = ${accountId} and refresh_owner = ${owner}`
        .execute(store.of(workspaceId))
        .catch((error: unknown) => log.warn({ err: error }, 'the right to renew could not be kept'));
    }, intervals.leaseRenewMs);

  const release = async ({ workspaceId, accountId }: Where): Promise<void> => {
    await sql`update accounts set refresh_owner = null, refresh_until = null
      where workspace_id = ${workspaceId} and id = ${accountId} and refresh_owner = ${owner}`.execute(
      store.of(workspaceId),
    );
  };

  /** Stores what was granted. Tried for long: on a server that rotates, nothing else opens the account any more. */
  const keep = async ({ workspaceId, accountId }: Where, version: number, method: OAuthAuth, granted: Granted) => {
    const scopes = granted.scope === undefined ? undefined : method.readScopes(granted.scope);
    const write = () =>
      store
        .of(workspaceId)
        .updateTable('accounts')
        .set({
          credential: sealer.seal(JSON.stringify(granted.grant), placeOf(workspaceId, accountId)),
          version: version + 1,
          refresh_owner: null,
          refresh_until: null,
          ...(scopes && { scopes, permission_types: permissionTypesOf(method, scopes) }),
          // Another process may have come too late with the old token and been refused.
          state: sql<AccountState>`case state when 'needs_reconnect' then ${stateAfterRefusal} else state end`,
          reason: null,
        })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', accountId)
        .where('version', '=', version)
        .where('state', '<>', 'disconnected')
        .execute();
    for (const wait of storeAgainMs) {
      try {
        return await write();
      } catch (error) {
        log.error({ err: error, accountId }, 'a renewed credential could not be stored yet');
        await clock.sleep(wait);
      }
    }
    return write();
  };

  const carryOut = async (where: Where, version: number, claimed: Claim): Promise<void> => {
    const integration = integrationOf(catalogue, claimed.integration);
    const method = methodOf(integration, claimed.auth_method);
    const { oauth: app } = serviceOf(services, integration);
    const call = wire.open(where.accountId);
    const holding = hold(where);
    let held: Grant | undefined;
    try {
      const place = placeOf(where.workspaceId, where.accountId);
      held = JSON.parse(sealer.open(claimed.credential as Buffer, place)) as Grant;
      const { refreshToken } = held;
      if (method.way !== 'oauth2' || refreshToken === undefined) throw new GrantRefused('expired');
      if (app === undefined)
        throw new Fault('upstream_rejected', `No app is registered at ${integration.title} any more.`);
      const granted = await oauth.refresh(
        method,
        app,
        { refreshToken, scopes: claimed.scopes },
        call.signal.toAbortSignal(),
      );
      await keep(where, version, method, granted);
      store.pulse.tell(`account ${where.accountId}`);
    } catch (error) {
      if (!(error instanceof GrantRefused)) {
        await release(where);
        throw error;
      }
      const { claims } = error;
      if (held !== undefined && claims !== undefined) await keepClaims(options, where, version, { ...held, claims });
      await markRefused(options, where, version, reasonOf(error.error));
    } finally {
      clearInterval(holding);
      call.close();
    }
  };

  /** Renews, or waits for the process that does. */
  const fly = async (where: Where, version: number, evenIfRefused: boolean): Promise<void> => {
    const until = performance.now() + longestWaitMs;
    while (performance.now() < until) {
      const asked = performance.now();
      const claimed = await claim(where, version, evenIfRefused);
      // Too late to begin with what was seen then: the account may be gone.
      if (claimed !== undefined && performance.now() - asked > freshMs) await release(where);
      else if (claimed !== undefined) return carryOut(where, version, claimed);
      else {
        const now = await store
          .of(where.workspaceId)
          .selectFrom('accounts')
          .select(['version', 'refresh_until', 'state'])
          .where('workspace_id', '=', where.workspaceId)
          .where('id', '=', where.accountId)
          .executeTakeFirst();
        const settled = now?.state === 'needs_reconnect' && now.refresh_until === null;
        if (now?.version !== version || now.state === 'disconnected' || settled) return;
        await clock.sleep(lookAgainMs);
      }
    }
  };

  return {
    renew: async (where, version, { ms, signal, evenIfRefused }) => {
      const key = `${where.accountId} ${version} ${evenIfRefused}`;
      const flight =
        flights.get(key) ??
        fly(where, version, evenIfRefused).finally(() => {
          flights.delete(key);
        });
      flights.set(key, flight);
      const waited = new AbortController();
      const tooLong = clock.sleep(ms, AbortSignal.any([signal, waited.signal])).then(() => {
        if (waited.signal.aborted) return;
        const message = 'The sign-in service is slow to renew this access; nothing was sent. Try again later.';
        throw new Fault('upstream_unavailable', message, { retryAfterMs: 5_000 });
      });
      tooLong.catch(() => {});
      try {
        await Promise.race([flight, tooLong]);
      } finally {
        waited.abort('renewed');
      }
    },

    drain: async (timeoutMs) => {
      const waited = new AbortController();
      await Promise.race([Promise.allSettled(flights.values()), clock.sleep(timeoutMs, waited.signal)]);
      waited.abort('drained');
    },
  };
};
