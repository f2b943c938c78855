import { type Catalogue, Fault, type Integration, type UpstreamRequest } from '#kit';
import { type Sealer, type Store, Unreadable } from '#store';
import type { TimedAnswer, UpstreamClient } from '#upstream';

export type CallOptions = {
  deadlineMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Calls although the account is paused or known to be refused: to find out whether it works again. */
  evenIfIdle?: boolean;
};

/** Makes upstream calls with an account's credential, which is decrypted for each call and never kept. */
export type Caller = {
  asAccount(
    workspaceId: string,
    accountId: string,
    request: UpstreamRequest,
    options?: CallOptions,
  ): Promise<TimedAnswer>;
  /** For a credential that is being tried before it is stored. */
  withCredential(integration: Integration, credential: unknown, request: UpstreamRequest): Promise<TimedAnswer>;
  /** Ends this process's calls that are on the wire for an account. */
  endCalls(accountId: string): void;
};

export const createCaller = (options: {
  store: Store;
  sealer: Sealer;
  catalogue: Catalogue;
  client: UpstreamClient;
  bases: Record<string, URL>;
}): Caller => {
  const { store, sealer, catalogue, client, bases } = options;
  const onTheWire = new Map<string, Set<AbortController>>();

  const baseOf = (integration: Integration): URL => {
    const base = bases[integration.name];
    if (base === undefined) throw new Error(`no address is configured for ${integration.name}`);
    return base;
  };

  const open = (workspaceId: string, accountId: string, sealed: Buffer): unknown => {
    try {
      const place = { workspace: workspaceId, table: 'accounts', row: accountId, column: 'credential' };
      return JSON.parse(sealer.open(sealed, place));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      throw new Fault('reconnect_needed', 'The stored credential cannot be opened; connect this account again.', {
        cause: error,
      });
    }
  };

  const withCredential = (
    integration: Integration,
    credential: unknown,
    request: UpstreamRequest,
    { deadlineMs, signal }: CallOptions = {},
  ): Promise<TimedAnswer> =>
    client.call({
      base: baseOf(integration),
      request,
      headers: integration.upstream.sign(credential),
      effect: integration.upstream.effectOf(request),
      deadlineMs,
      signal,
    });

  return {
    withCredential,

    asAccount: async (workspaceId, accountId, request, { deadlineMs, signal, evenIfIdle } = {}) => {
      const ending = new AbortController();
      const calls = onTheWire.get(accountId) ?? new Set();
      onTheWire.set(accountId, calls.add(ending));
      try {
        // Ownership is checked here, where the secret is opened.
        const account = await store
          .of(workspaceId)
          .selectFrom('accounts')
          .select(['integration', 'state', 'credential', 'reason'])
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', accountId)
          .executeTakeFirst();
        const integration = account === undefined ? undefined : catalogue.integration(account.integration);
        if (
          account === undefined ||
          account.credential === null ||
          integration === undefined ||
          ending.signal.aborted
        ) {
          throw new Fault('not_found', 'There is no such account.');
        }
        if (account.state === 'paused' && !evenIfIdle)
          throw new Fault('conflict', 'This account is paused; resume it first.');
        if (account.state === 'needs_reconnect' && !evenIfIdle) {
          throw new Fault('reconnect_needed', account.reason ?? 'This account must be connected again.');
        }
        const signals = signal === undefined ? ending.signal : AbortSignal.any([ending.signal, signal]);
        const credential = open(workspaceId, accountId, account.credential);
        return await withCredential(integration, credential, request, { deadlineMs, signal: signals });
      } finally {
        calls.delete(ending);
        if (calls.size === 0) onTheWire.delete(accountId);
      }
    },

    endCalls: (accountId) => {
      for (const call of onTheWire.get(accountId) ?? []) call.abort();
    },
  };
};
