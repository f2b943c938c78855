import type { Clock, Intervals } from '#clock';
import type { Catalogue } from '#kit';
import type { Log } from '#log';
import type { Sealer, Store } from '#store';
import { createPacer, type UpstreamClient } from '#upstream';
import { createAccounts } from './accounts.ts';
import { createCaller } from './calls.ts';
import { createConnects } from './connect.ts';
import { createConnectRecords } from './connect-records.ts';
import { createDisconnect, type Farewell } from './disconnect.ts';
import type { OnReconnected } from './keep.ts';
import { createOAuth } from './oauth.ts';
import type { OnResumed } from './pausing.ts';
import { createAccountReader } from './read-together.ts';
import { createRefresher } from './refresh.ts';
import { createRevocations } from './revocations.ts';
import { createRevoker } from './revoke.ts';
import { createSecrets } from './secrets.ts';
import { createSigningSecrets } from './signing.ts';
import type { OnNeedsReconnect } from './standing.ts';
import type { Services } from './ways.ts';
import { createWire } from './wire.ts';

/** Connected accounts: how they come, what is called as them, and how they go. */
export const createAccountsRoom = (options: {
  store: Store;
  sealer: Sealer;
  clock: Clock;
  intervals: Intervals;
  log: Log;
  catalogue: Catalogue;
  client: UpstreamClient;
  services: Services;
  publicUrl: URL;
  onNeedsReconnect: OnNeedsReconnect;
  onReconnected: OnReconnected;
  onResumed: OnResumed;
  farewell: Farewell;
}) => {
  const { store, log, clock, client } = options;
  const wire = createWire({ store, log });
  const oauth = createOAuth({ client, clock });
  const refresher = createRefresher({ ...options, oauth, wire });
  const read = createAccountReader(store);
  const caller = createCaller({ ...options, wire, refresher, pacer: createPacer({ store, clock }), read });
  const revoker = createRevoker({ store, caller, log });
  const revocations = createRevocations({ ...options, revoker });
  const disconnect = createDisconnect({ ...options, wire, revocations });
  const accounts = createAccounts({ ...options, caller, disconnect, read });
  const secrets = createSecrets({ ...options, caller, disconnect });
  const connecting = createConnectRecords(options);
  const connects = createConnects({ ...options, caller, oauth, revoker, records: connecting, account: accounts.get });
  return {
    accounts,
    secrets,
    connects,
    connecting,
    caller,
    disconnect,
    revocations,
    signingSecretOf: createSigningSecrets(options),
    /** Waits for refreshes under way, then ends what is on the wire. */
    close: async (withinMs: number) => {
      await refresher.drain(withinMs);
      wire.close();
    },
  };
};
