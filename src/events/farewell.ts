import type { Farewell } from '#accounts';
import type { Log } from '#log';
import type { Leaving } from './leaving.ts';

/** What all rooms do when an account leaves; rooms that are made later than the accounts are asked for when it does. */
export const createFarewell = (options: {
  approvals: () => { leave(workspaceId: string, accountId: string): Promise<void> };
  leaving: () => Leaving;
  log: Log;
}): { farewell: Farewell; sweep(): Promise<void> } => {
  const { approvals, leaving, log } = options;
  /** What fails is taken up by the next sweep, and keeps no other account from being erased. */
  const erase = async (workspaceId: string, accountId: string): Promise<void> => {
    try {
      // What was asked for in the last moment, too.
      await approvals().leave(workspaceId, accountId);
      await leaving().erase(workspaceId, accountId);
    } catch (error) {
      log.warn({ err: error, accountId }, 'what came from an account is not erased yet; it is tried again');
    }
  };
  return {
    farewell: {
      before: (workspaceId, accountId) => leaving().deregister(workspaceId, accountId),
      atOnce: (workspaceId, accountId) => approvals().leave(workspaceId, accountId),
      after: erase,
    },
    sweep: async () => {
      for (const { workspaceId, accountId } of await leaving().unfinished()) await erase(workspaceId, accountId);
      await leaving().eraseEnded();
    },
  };
};
