import { type Caller, opens } from '#workspaces';

/** Whether the caller may let things leave without asking: a member's own click, or a key given the right by name. */
export const holdsAutopilot = (caller: Caller): boolean =>
  caller.kind === 'member' || opens(caller, { role: 'owner', scope: 'sends:autopilot' });

/** For whoever does not hold it, "autopilot" does not count, and a person is asked as always. */
export const maySend = (caller: Caller, permission: 'approval' | 'autopilot'): boolean =>
  permission === 'autopilot' && holdsAutopilot(caller);
