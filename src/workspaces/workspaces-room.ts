import type { Clock } from '#clock';
import type { Sealer, Store } from '#store';
import { createApiKeys } from './api-keys.ts';
import { createAudit } from './audit.ts';
import { createBudgets } from './budgets.ts';
import { createClientGrants } from './clients/client-grants.ts';
import { createClients } from './clients/clients.ts';
import { createIdempotency } from './idempotency.ts';
import { createMembers } from './members.ts';
import { createNames } from './names.ts';
import { createOverview } from './overview.ts';
import { createSessions } from './sessions.ts';
import { createSettings } from './settings.ts';
import { createWaiting } from './waiting.ts';
import { createWorkspaces } from './workspaces.ts';

/** Puts together who may come in, and what is remembered of them. */
export const createWorkspacesRoom = (options: { store: Store; clock: Clock; sealer: Sealer }) => {
  const { store } = options;
  const budgets = createBudgets(store);
  return {
    budgets,
    sessions: createSessions({ ...options, budgets }),
    keys: createApiKeys(options),
    clients: createClients({ ...options, budgets }),
    clientGrants: createClientGrants(options),
    idempotency: createIdempotency(options),
    workspaces: createWorkspaces(options),
    members: createMembers(options),
    names: createNames(store),
    overview: createOverview(options),
    waiting: createWaiting(store),
    settings: createSettings(options),
    audit: createAudit(store),
  };
};
