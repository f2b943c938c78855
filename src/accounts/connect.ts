import type { Clock } from '#clock';
import { type Catalogue, Fault, type Identity, type PermissionType, wrong } from '#kit';
import type { Log } from '#log';
import type { Actor, Sealer, Store } from '#store';
import { toUpstream, understood } from '#upstream';
import { newToken } from '#workspaces';
import { type Account, calledBy, showAccount, unknownAccount } from './account.ts';
import type { Caller } from './calls.ts';
import { type ConnectProblem, problemOf, Stopped } from './connect-problem.ts';
import type { ConnectRecords, ConnectRow, Opener } from './connect-records.ts';
import { mayBeIssuer } from './id-token.ts';
import { keepAccount, type OnReconnected } from './keep.ts';
import { type Granted, newVerifier, type OAuth } from './oauth.ts';
import type { Revoker } from './revoke.ts';
import { claimsFor } from './wanted-claims.ts';
import {
  type BrowserWay,
  browserMethod,
  integrationOf,
  permissionTypesOf,
  type Services,
  scopesByType,
  serviceOf,
} from './ways.ts';

export type ConnectRequest = {
  integration: string;
  method?: string | undefined;
  permissionTypes?: readonly string[] | undefined;
  /** Connects this account again. */
  accountId?: string | undefined;
  endUserId?: string | undefined;
  returnUrl?: string | undefined;
};

/** What the service's redirect brought back. */
export type Callback = {
  state: string;
  code?: string | undefined;
  iss?: string | undefined;
  /** From the fragment, posted by our own page. */
  token?: string | undefined;
  error?: string | undefined;
  description?: string | undefined;
};

/** How it ended: in an account, or in a problem with a way on. */
export type ConnectEnd = { returnUrl?: string } & (
  | { account: Account }
  | { problem: ConnectProblem; service: string; about: readonly string[]; retry?: string }
);

/** Connecting in the browser: a link, the service's own pages, and the way back. */
export type Connects = {
  start(workspaceId: string, request: ConnectRequest, actor: Actor): Promise<{ token: string; expiresAt: Date }>;
  /** Where the browser goes from a link; the link then belongs to that browser. */
  open(token: string, opener: Opener): Promise<{ url: string } | { problem: ConnectProblem }>;
  /** Whether a callback of this integration needs our page to read the fragment. */
  readsFragment(integration: string, parameters: { code?: string | undefined; error?: string | undefined }): boolean;
  finish(integration: string, callback: Callback, browser: string | undefined): Promise<ConnectEnd>;
};

export const createConnects = (options: {
  store: Store;
  sealer: Sealer;
  clock: Clock;
  log: Log;
  catalogue: Catalogue;
  services: Services;
  caller: Caller;
  oauth: OAuth;
  revoker: Revoker;
  records: ConnectRecords;
  publicUrl: URL;
  account(workspaceId: string, id: string): Promise<Account>;
  onReconnected: OnReconnected;
}): Connects => {
  const { store, sealer, clock, log, catalogue, services, caller, oauth, revoker, records, publicUrl } = options;

  const callbackUrl = (integration: string) => new URL(`/connect/${integration}/callback`, publicUrl).href;

  const mayReturn = async (workspaceId: string, returnUrl: string): Promise<void> => {
    const url = URL.parse(returnUrl);
    const web = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
    if (web && url.origin === publicUrl.origin) return;
    const workspace = await store
      .of(workspaceId)
      .selectFrom('workspaces')
      .select('allowed_return_origins')
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirst();
    if (web && workspace?.allowed_return_origins.includes(url.origin)) return;
    throw new Fault('invalid_input', 'returnUrl must lead to an origin that the settings of this workspace allow.', {
      details: { fields: [{ field: 'returnUrl', message: 'its origin is not allowed' }] },
    });
  };

  const typesFor = (method: BrowserWay, given: readonly string[] | undefined): PermissionType[] => {
    const known = Object.keys(scopesByType(method)) as PermissionType[];
    const wanted = given ?? ['standard'];
    const strange = wanted.find((type) => !known.includes(type as PermissionType));
    if (strange === undefined) return known.filter((type) => wanted.includes(type));
    throw wrong('permissionTypes', `There is no permission type "${strange}" here; there are: ${known.join(', ')}.`);
  };

  const scopesFor = (method: BrowserWay, types: readonly string[]): string[] => [
    ...new Set(types.flatMap((type) => scopesByType(method)[type as PermissionType] ?? [])),
  ];

  /** The account to connect again, with everything it was ever granted. */
  const known = async (workspaceId: string, id: string, integration: string, endUserId: string | undefined) => {
    const account = await options.account(workspaceId, id);
    const theirs = endUserId === undefined || account.endUserId === endUserId;
    if (!theirs || account.state === 'disconnected') throw unknownAccount();
    if (account.integration !== integration) {
      throw wrong(['accountId', 'integration'], `This account belongs to "${account.integration}".`);
    }
    const { granted_ever } = await store
      .of(workspaceId)
      .selectFrom('accounts')
      .select('granted_ever')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return { account, ever: granted_ever };
  };

  const wayOf = (row: Pick<ConnectRow, 'integration' | 'method'>) => {
    const integration = integrationOf(catalogue, row.integration);
    const service = serviceOf(services, integration);
    return { integration, service, method: browserMethod(integration, service, row.method) };
  };

  /** Asks for the token, or takes the one that came by the fragment. */
  const redeem = async (row: ConnectRow & { secret: string }, callback: Callback) => {
    const { service, method, integration } = wayOf(row);
    const scopes = scopesFor(method, row.permission_types);
    if (callback.error !== undefined) {
      const workOnly =
        method.way === 'oauth2' && row.permission_types.some((t) => method.workOnly?.includes(t as never));
      throw new Stopped(problemOf(callback.error, callback.description ?? '', workOnly));
    }
    if (method.way === 'fragment') {
      if (callback.token === undefined || service.fragment === undefined) throw new Stopped('refused');
      const { appKey, appSecret } = service.fragment;
      const credential = method.toCredential({ appKey, appSecret, token: callback.token });
      return { integration, method, stored: credential, credential, scopes, granted: undefined };
    }
    const app = service.oauth;
    if (callback.code === undefined || app === undefined) throw new Stopped('refused');
    if (callback.iss !== undefined && app.issuer !== undefined && !mayBeIssuer(callback.iss, app.issuer)) {
      throw new Stopped('refused');
    }
    const request = { code: callback.code, redirectUri: callbackUrl(row.integration), verifier: row.secret, scopes };
    const granted: Granted = await oauth.redeem(method, app, request);
    const held = granted.scope === undefined ? undefined : method.readScopes(granted.scope);
    return {
      integration,
      method,
      stored: granted.grant,
      credential: method.toCredential(granted.grant),
      scopes: held,
      granted,
    };
  };

  /** Stores what was granted, unless it is not for whom or for what it was asked. */
  const keep = async (
    row: ConnectRow,
    { integration, method, stored, scopes }: Awaited<ReturnType<typeof redeem>> & { scopes: readonly string[] },
    identity: Identity,
    beforeCommit: () => void,
  ): Promise<Account> => {
    const expected = row.account_id === null ? undefined : await options.account(row.workspace_id, row.account_id);
    if (expected?.state === 'disconnected') throw new Stopped('expired');
    if (expected !== undefined && expected.identity.id !== identity.id) {
      throw new Stopped('wrong_person', calledBy(identity), calledBy(expected.identity));
    }
    const kept = await store
      .of(row.workspace_id)
      .transaction()
      .execute(async (tx) => {
        const account = await keepAccount(
          tx,
          { clock, sealer, onReconnected: options.onReconnected },
          {
            workspaceId: row.workspace_id,
            integration: integration.name,
            method: method.type,
            identity,
            credential: stored,
            scopes,
            permissionTypes: permissionTypesOf(method, scopes),
            endUserId: row.end_user_id ?? undefined,
            name: undefined,
            actor: row.started_by,
          },
        );
        // Disconnected in this very moment: nobody asked for another one in its place.
        if (expected !== undefined && account.id !== expected.id) throw new Stopped('expired');
        await tx
          .updateTable('connects')
          .set({ finished_at: clock.now() })
          .where('workspace_id', '=', row.workspace_id)
          .where('id', '=', row.id)
          .execute();
        beforeCommit();
        return account;
      });
    store.pulse.tell(`account ${kept.id}`);
    return showAccount(kept);
  };

  const complete = async (row: ConnectRow & { secret: string }, callback: Callback): Promise<Account> => {
    const redeemed = await redeem(row, callback);
    const { integration, method, credential, scopes, granted } = redeemed;
    const upstream = toUpstream(
      (request) => caller.withCredential(integration, credential, request),
      integration.upstream.readFault,
    );
    let identityId: string | undefined;
    let mayBeStored = false;
    const beforeCommit = () => {
      mayBeStored = true;
    };
    try {
      // Never assumed: an answer that does not say what was granted cannot be used.
      if (scopes === undefined) throw new Stopped('refused');
      const named = await understood(method.identify(upstream));
      identityId = named.id;
      const more = method.way === 'oauth2' && granted?.claims ? method.fromIdToken?.(granted.claims) : undefined;
      return await keep(row, { ...redeemed, scopes }, { ...named, ...more }, beforeCommit);
    } catch (error) {
      // An account that was stored all the same must not lose what it lives on.
      if (!mayBeStored) await revoker.revoke({ integration, method, credential, identityId });
      throw error;
    }
  };

  return {
    start: async (
      workspaceId,
      { integration: name, method: type, permissionTypes, accountId, endUserId, returnUrl },
      actor,
    ) => {
      const integration = integrationOf(catalogue, name);
      const before = accountId === undefined ? undefined : await known(workspaceId, accountId, name, endUserId);
      const service = serviceOf(services, integration);
      const method = browserMethod(integration, service, type);
      if (returnUrl !== undefined) await mayReturn(workspaceId, returnUrl);
      const asked = typesFor(method, permissionTypes);
      const types = typesFor(method, [
        ...asked,
        ...(before?.ever ?? []).filter((each) => Object.hasOwn(scopesByType(method), each)),
      ]);
      const unfit = method.way === 'oauth2' ? types.filter((each) => method.workOnly?.includes(each)) : [];
      if (unfit.length > 0 && before?.account.identity.kind === 'personal') {
        throw wrong('permissionTypes', `${unfit.join(', ')} is for work accounts only; this one is personal.`);
      }
      return records.begin({
        workspaceId,
        integration: name,
        method: method.type,
        permissionTypes: types,
        accountId,
        endUserId: endUserId ?? before?.account.endUserId,
        returnUrl,
        actor,
      });
    },

    open: async (token, opener) => {
      const row = await records.byLink(token);
      if (row === undefined) return { problem: 'expired' };
      const account = row.account_id === null ? undefined : await options.account(row.workspace_id, row.account_id);
      if (account?.state === 'disconnected') return { problem: 'expired' };
      const { service, method } = wayOf(row);
      const [state, verifier] = [newToken('sbo'), newVerifier()];
      if (!(await records.bind(row.id, opener, { state, verifier }))) return { problem: 'other_browser' };
      const redirectUri = callbackUrl(row.integration);
      if (method.way === 'fragment' && service.fragment !== undefined) {
        const { base, appKey } = service.fragment;
        const returnUrl = `${redirectUri}?state=${encodeURIComponent(state)}`;
        return { url: method.authorizeUrl({ base, appKey, appName: 'Switchboard', returnUrl }).href };
      }
      if (method.way !== 'oauth2' || service.oauth === undefined) return { problem: 'refused' };
      const hint = account?.identity.address;
      const scopes = scopesFor(method, row.permission_types);
      const where = account && { workspaceId: row.workspace_id, accountId: account.id };
      const claims = where && (await claimsFor({ store, sealer }, where));
      const request = { redirectUri, state, verifier, scopes, loginHint: hint, claims };
      return { url: oauth.authorizeUrl(method, service.oauth, request).href };
    },

    readsFragment: (name, { code, error }) =>
      code === undefined &&
      error === undefined &&
      (catalogue.integration(name)?.auth.some(({ way }) => way === 'fragment') ?? false),

    finish: async (name, callback, browser) => {
      const row = await records.take(name, callback.state, browser);
      const service = catalogue.integration(name)?.title ?? 'The service';
      if (row === undefined) return { problem: 'expired', service, about: [] };
      if (row === 'elsewhere') return { problem: 'other_browser', service, about: [] };
      const back = row.return_url === null ? {} : { returnUrl: row.return_url };
      try {
        return { account: await complete(row, callback), ...back };
      } catch (error) {
        const { problem, about } = Stopped.from(error);
        log.info({ err: error, integration: name, problem }, 'connecting did not succeed');
        const types = row.permission_types as PermissionType[];
        const method = wayOf(row).method;
        const fewer =
          problem === 'personal_account' && method.way === 'oauth2'
            ? types.filter((type) => !method.workOnly?.includes(type))
            : types;
        const token = problem === 'expired' ? undefined : await records.again(row, fewer);
        return { problem, service, about, ...(token && { retry: `/connect/${token}` }), ...back };
      }
    },
  };
};
