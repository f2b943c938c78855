import { type AuthMethod, Fault, type Integration } from '#kit';
import type { Log } from '#log';
import type { Store } from '#store';
import { toUpstream } from '#upstream';
import type { Caller } from './calls.ts';

export type Revocation = 'revoked' | 'not_offered' | 'in_use_elsewhere' | 'failed';

/** Ends at the service what was granted to us there. */
export type Revoker = {
  revoke(grant: {
    integration: Integration;
    method: AuthMethod;
    credential: unknown;
    /** Unknown where the service would not say whose grant it is. */
    identityId: string | undefined;
    /** Whether somebody may have ended it before us; then the service refuses what it granted. */
    again?: boolean;
  }): Promise<Revocation>;
};

const deadlineMs = 10_000;

export const createRevoker = ({ store, caller, log }: { store: Store; caller: Caller; log: Log }): Revoker => {
  /** Such a token may be handed out twice, so whether another account lives on it is asked over all workspaces. */
  const mayBeShared = async (integration: string, identityId: string | undefined): Promise<boolean> => {
    const other = await store.system
      .selectFrom('accounts')
      .select('id')
      .where('integration', '=', integration)
      .$if(identityId !== undefined, (query) => query.where('identity_id', '=', identityId ?? ''))
      .where('auth_method', '=', 'authorize')
      .where('state', '<>', 'disconnected')
      .executeTakeFirst();
    return other !== undefined;
  };

  return {
    revoke: async ({ integration, method, credential, identityId, again = false }) => {
      if (method.way === 'typed' || method.revoke === undefined) return 'not_offered';
      const upstream = toUpstream(
        (request) => caller.withCredential(integration, credential, request, { deadlineMs, last: true }),
        integration.upstream.readFault,
      );
      try {
        if (method.way === 'fragment' && (await mayBeShared(integration.name, identityId))) return 'in_use_elsewhere';
        await method.revoke(upstream, credential);
        return 'revoked';
      } catch (error) {
        if (again && error instanceof Fault && error.code === 'reconnect_needed') return 'revoked';
        log.warn({ err: error, integration: integration.name }, 'a grant could not be revoked at the service');
        return 'failed';
      }
    },
  };
};
