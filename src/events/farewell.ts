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
  /** What was asked for in the last moment, too, and what a run needed until it ended. */
  const leave = (workspaceId: string, accountId: string) => approvals().leave(workspaceId, accountId);
  /** What fails is taken up by the next sweep, and keeps no other account from being erased. */
  const erase = async (workspaceId: string, accountId: string): Promise<void> => {
    try {
      await leaving().erase(workspaceId, accountId, leave);
    } catch (error) {
      log.warn({ err: error, accountId }, 'what came from an account is not erased yet; it is tried again');
    }
  };
  /** Whatever fails here: whoever disconnects an account has its grant ended at the service, which is done next. */
  const leaveAtOnce = async (workspaceId: string, accountId: string): Promise<void> => {
    for (const end of [leave, leaving().callOff]) {
      try {
        await end(workspaceId, accountId);
      } catch (error) {
        log.warn({ err: error, accountId }, 'what waits for an account that has left is not ended yet');
      }
    }
  };
  return {
    farewell: {
      before: (workspaceId, accountId) => leaving().deregister(workspaceId, accountId),
      atOnce: leaveAtOnce,
      after: erase,
    },
    sweep: async () => {
      for (const { workspaceId, accountId } of await leaving().unfinished()) await erase(workspaceId, accountId);
      await leaving().eraseEnded(leave);
    },
  };
};
