import { sql } from 'kysely';
import { Fault, keepFormer, splitFormer } from '#kit';
import type { Database, Place, Sealer, Store } from '#store';

/** What requests to an agent on another platform are signed with. Each is shown once, when it is made. */
export type AgentSecrets = {
  /** Gives the agent a secret unless it has one; answers the new one. */
  ensure(tx: Database, agent: Named): Promise<string | undefined>;
  /** For a day those before sign too. */
  rotate(tx: Database, agent: Named): Promise<string>;
  /** Those that are good now, the newest first; none when the agent is gone. */
  open(agent: Named): Promise<string[]>;
};

type Named = { workspaceId: string; id: string };
type Column = 'hook_secret' | 'hook_previous_secret' | 'hook_earlier_secrets';

const placeOf = ({ workspaceId, id }: Named, column: Column): Place => ({
  workspace: workspaceId,
  table: 'agents',
  row: id,
  column,
});

export const createAgentSecrets = (options: {
  store: Store;
  sealer: Sealer;
  newSecret: () => string;
}): AgentSecrets => {
  const { store, sealer, newSecret } = options;
  return {
    ensure: async (tx, agent) => {
      const secret = newSecret();
      const { numUpdatedRows } = await tx
        .updateTable('agents')
        .set({ hook_secret: sealer.seal(secret, placeOf(agent, 'hook_secret')) })
        .where('workspace_id', '=', agent.workspaceId)
        .where('id', '=', agent.id)
        .where('hook_secret', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows === 0n ? undefined : secret;
    },

    rotate: async (tx, agent) => {
      const before = await tx
        .selectFrom('agents')
        .select([
          'hook_secret',
          'hook_previous_secret',
          'hook_earlier_secrets',
          sql<boolean>`hook_previous_until > clock_timestamp()`.as('isGood'),
        ])
        .where('workspace_id', '=', agent.workspaceId)
        .where('id', '=', agent.id)
        .forUpdate()
        .executeTakeFirst();
      if (before === undefined) throw new Fault('not_found', 'There is no such agent.');
      const secret = newSecret();
      const opened = (column: Column) =>
        before[column] === null ? undefined : sealer.open(before[column], placeOf(agent, column));
      const { previous, earlier } = keepFormer(
        opened('hook_secret'),
        ...(before.isGood ? [opened('hook_previous_secret'), opened('hook_earlier_secrets')] : []),
      );
      const seal = (text: string | undefined, column: Column) =>
        text === undefined ? null : sealer.seal(text, placeOf(agent, column));
      await tx
        .updateTable('agents')
        .set({
          hook_secret: sealer.seal(secret, placeOf(agent, 'hook_secret')),
          hook_previous_secret: seal(previous, 'hook_previous_secret'),
          hook_earlier_secrets: seal(earlier, 'hook_earlier_secrets'),
          hook_previous_until: sql<Date>`clock_timestamp() + interval '24 hours'`,
        })
        .where('workspace_id', '=', agent.workspaceId)
        .where('id', '=', agent.id)
        .execute();
      return secret;
    },

    open: async (agent) => {
      const { rows } = await sql<{ secret: Buffer | null; previous: Buffer | null; earlier: Buffer | null }>`
        select hook_secret as secret,
          case when hook_previous_until > clock_timestamp() then hook_previous_secret end as previous,
          case when hook_previous_until > clock_timestamp() then hook_earlier_secrets end as earlier
        from agents where workspace_id = ${agent.workspaceId} and id = ${agent.id}`.execute(
        store.of(agent.workspaceId),
      );
      const { secret = null, previous = null, earlier = null } = rows[0] ?? {};
      const opened = (sealed: Buffer | null, column: Column) =>
        sealed === null ? [] : splitFormer(sealer.open(sealed, placeOf(agent, column)));
      return [
        ...opened(secret, 'hook_secret'),
        ...opened(previous, 'hook_previous_secret'),
        ...opened(earlier, 'hook_earlier_secrets'),
      ];
    },
  };
};
