import type { Actor, Database } from '#store';
import { type Door, opens } from './access.ts';

/** Whether who began something may still go on with it: not by a key that has ended, nor when removed or given less. */
export const stillMay = async (
  db: Database,
  { workspaceId, actor, door, now }: { workspaceId: string; actor: Actor; door: Door; now: Date },
): Promise<boolean> => {
  if (actor.kind === 'key') {
    const key = await db
      .selectFrom('api_keys')
      .select('scopes')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', actor.id)
      .where('revoked_at', 'is', null)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
      .executeTakeFirst();
    return key !== undefined && opens({ kind: 'key', scopes: key.scopes }, door);
  }
  const member = await db
    .selectFrom('members')
    .select('role')
    .where('workspace_id', '=', workspaceId)
    .where('person_id', '=', actor.id)
    .executeTakeFirst();
  return member !== undefined && opens({ kind: 'member', role: member.role }, door);
};
