import { Fault } from '#kit';
import { type Caller, opens } from '#workspaces';

/** Whether the caller may let things leave without asking: a member's own click, or a key given the right by name. */
export const holdsAutopilot = (caller: Caller): boolean =>
  caller.kind === 'member' || opens(caller, { role: 'owner', scope: 'sends:autopilot' });

export const maySend = (caller: Caller, permission: 'approval' | 'autopilot'): boolean => {
  if (permission === 'approval') return false;
  if (holdsAutopilot(caller)) return true;
  throw new Fault('forbidden', 'permission "autopilot" needs the key scope sends:autopilot.');
};
