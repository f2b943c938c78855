import type { Caller } from '#accounts';
import type { Clock } from '#clock';
import { type Catalogue, Fault, type Integration, type WatchContext, type Watching } from '#kit';
import { toUpstream } from '#upstream';
import { accountOf } from './judge.ts';
import type { ServiceTime } from './service-time.ts';
import type { SeenWatch } from './watch-reader.ts';

export type Watcher = {
  integration: Integration;
  watching: Watching;
  context(watch: SeenWatch, triggers?: ReadonlySet<string>): WatchContext;
};

export const createWatchers = (options: {
  catalogue: Catalogue;
  caller: Caller;
  clock: Clock;
  serviceTime: ServiceTime;
}) => {
  const { catalogue, caller, clock, serviceTime } = options;

  /** What is asked for a watch waits behind what people and agents ask for. */
  const upstreamOf = (integration: Integration, workspaceId: string, accountId: string) =>
    toUpstream(async (request) => {
      const sentAt = clock.now();
      const answer = await caller.asAccount(workspaceId, accountId, request, { priority: 'background' });
      serviceTime.hear(integration.name, sentAt, answer.headers['date']);
      return answer;
    }, integration.upstream.readFault);

  return {
    upstreamOf,
    of: (name: string): Watcher => {
      const integration = catalogue.integration(name);
      const watching = integration?.watching;
      if (integration === undefined || watching === undefined) {
        throw new Fault('not_found', `Nothing of ${name} can be watched.`);
      }
      return {
        integration,
        watching,
        context: (watch, triggers = new Set()) => ({
          upstream: upstreamOf(integration, watch.workspace_id, watch.account_id),
          account: accountOf(watch),
          now: clock.now(),
          triggers,
        }),
      };
    },
  };
};

export type Watchers = ReturnType<typeof createWatchers>;
