import { sql } from 'kysely';
import type { Clock } from '#clock';
import type { Database, Store } from '#store';
import { type Ended, endedRun, type Telling } from './telling.ts';

/** No statement takes long, however many wait. */
const atOnce = 2_000;

type Whose = { workspaceId: string } & ({ agentId: string } | { triggerIds: readonly string[] });

/**
 * Ends what waits for its turn and has not begun. What an agent or a trigger has started waits in lanes of its own, so nobody
 * waits behind these.
 */
export type CallOff = {
  /** Together with what else is changed. */
  within(tx: Database, whose: Whose, why: string): Promise<void>;
  /** Some at a time. */
  apart(whose: Whose, why: string): Promise<void>;
};

export const createCallOff = (options: { store: Store; clock: Clock; telling: Telling }): CallOff => {
  const { store, clock, telling } = options;

  const endSome = async (tx: Database, whose: Whose, why: string): Promise<boolean> => {
    const { workspaceId } = whose;
    const theirs =
      'agentId' in whose ? sql`agent_id = ${whose.agentId}` : sql`trigger_id = any(${whose.triggerIds}::text[])`;
    const cancelled = { code: 'conflict', message: why };
    const { rows } = await sql<Ended>`
      update runs set status = 'cancelled', error = ${JSON.stringify(cancelled)}, finished_at = ${clock.now()},
        lease_until = null
      where workspace_id = ${workspaceId} and id in (
        select id from runs where workspace_id = ${workspaceId} and status = 'queued' and attempts = 0 and ${theirs}
        order by id limit ${atOnce} for update skip locked
      )
      returning id, workspace_id, agent_id, for_agent, tool_id, step_id, trigger_id, event_id, end_user_id`.execute(tx);
    if (rows.length > 0 && (await telling.wanted([workspaceId])))
      await telling.tell(
        tx,
        rows.map((run) => endedRun(run, { cancelled })),
      );
    return rows.length === atOnce;
  };

  return {
    within: async (tx, whose, why) => {
      while (await endSome(tx, whose, why));
    },
    apart: async (whose, why) => {
      const db = store.of(whose.workspaceId);
      while (await db.transaction().execute((tx) => endSome(tx, whose, why)));
    },
  };
};
