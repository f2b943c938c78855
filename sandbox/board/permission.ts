import type { Board, Member } from './model.ts';
import type { World } from './world.ts';

export type Need = 'read' | 'write';

/** Members of a board may read it and, unless observers, change it; anyone may read a public one. */
export const may = (world: World, member: Member | null, board: Board, need: Need): boolean => {
  const membership = member && board.memberships.find(({ idMember }) => idMember === member.id);
  if (membership) return need === 'read' || membership.memberType !== 'observer';
  if (need === 'write') return false;
  const level = board.prefs['permissionLevel'];
  if (level === 'public') return true;
  const workspace = world.organizations.get(board.idOrganization ?? '');
  return level === 'org' && (workspace?.memberships.some(({ idMember }) => idMember === member?.id) ?? false);
};
