import type { Clock } from '#clock';
import { Fault } from '#kit';
import type { Log } from '#log';
import type { CallOff } from '#runs';
import type { Store } from '#store';
import { createErasing, type Erasing } from './erasing.ts';
import type { Registrar } from './registrar.ts';
import type { WatchReader } from './watch-reader.ts';

/** What an account leaves behind when it is disconnected. */
export type Leaving = Erasing & {
  /** Ends our registrations at the service while the credential still works; answers what could not be removed. */
  deregister(workspaceId: string, accountId: string): Promise<string[]>;
};

export const createLeaving = (options: {
  store: Store;
  clock: Clock;
  callOff: CallOff;
  log: Log;
  reader: WatchReader;
  registrar: Registrar;
}): Leaving => {
  const { store, clock, callOff, log, reader, registrar } = options;

  return {
    ...createErasing({ store, clock, callOff }),

    deregister: async (workspaceId, accountId) => {
      const rows = await store
        .of(workspaceId)
        .selectFrom('watches')
        .select(['id', 'resource'])
        .where('workspace_id', '=', workspaceId)
        .where('account_id', '=', accountId)
        .where('registration', 'is not', null)
        .execute();
      const failures = await Promise.all(
        rows.map(async ({ id, resource }) => {
          try {
            const watch = await reader.byId(id);
            if (watch !== undefined) await registrar.dismiss(watch);
            return [];
          } catch (error) {
            const reason = error instanceof Fault ? error.message : 'Something went wrong on our side.';
            if (!(error instanceof Fault))
              log.error({ err: error, watchId: id }, 'a registration could not be removed');
            return [`${resource}: ${reason}`];
          }
        }),
      );
      return failures.flat();
    },
  };
};
