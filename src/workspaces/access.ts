import type { Actor, Role } from '#store';
import type { VouchedBy } from './reach.ts';

/** Each role may do what the ones before it may. */
export const roles = ['viewer', 'approver', 'builder', 'owner'] as const satisfies readonly Role[];

export const scopes = ['read', 'run', 'build', 'connect', 'admin', 'approvals:decide', 'sends:autopilot'] as const;
export type Scope = (typeof scopes)[number];

// The two rights to let mail leave are never implied: they must be asked for by name.
const implied: Partial<Record<Scope, readonly Scope[]>> = {
  run: ['read'],
  build: ['read', 'run'],
  connect: ['read'],
  admin: ['read', 'run', 'build', 'connect'],
};

/** Who is calling, after the credential was checked. */
export type Caller =
  | {
      kind: 'member';
      workspaceId: string;
      actor: Actor;
      personId: string;
      sessionId: string;
      role: Role;
      vouchedBy: VouchedBy;
    }
  | { kind: 'key'; workspaceId: string; actor: Actor; keyId: string; scopes: readonly string[] }
  | RunKeyHolder;

/** An agent on another platform, for as long as its run is open. */
export type RunKeyHolder = {
  kind: 'run';
  workspaceId: string;
  actor: Actor;
  runId: string;
  agentId: string;
  agentVersion: number;
};

/**
 * What a door asks for: a role of members, a scope of keys, and of keys perhaps a second one beside it. A door without a
 * scope is for people only, one without a role not for them. Run keys pass only where it says so, and see only what is
 * their run's.
 */
export type Door = { role?: Role; scope?: Scope; also?: Scope; runKey?: true };

/** What of a caller decides whether a door opens. */
type Right =
  | Pick<Extract<Caller, { kind: 'member' }>, 'kind' | 'role'>
  | Pick<Extract<Caller, { kind: 'key' }>, 'kind' | 'scopes'>
  | Pick<RunKeyHolder, 'kind'>;

export const opens = (caller: Right, door: Door): boolean => {
  if (caller.kind === 'run') return door.runKey === true;
  if (caller.kind === 'member') {
    return door.role !== undefined && roles.indexOf(caller.role) >= roles.indexOf(door.role);
  }
  const { scope, also = scope } = door;
  if (scope === undefined || also === undefined) return false;
  const holds = (asked: Scope) =>
    caller.scopes.some((held) => held === asked || implied[held as Scope]?.includes(asked));
  return holds(scope) && holds(also);
};
