import { CompiledQuery } from 'kysely';
import type { Database, Statement, Store } from '#store';
import { agentOf } from './run-agent.ts';
import { endColumns, type RunEnd } from './run-end.ts';
import type { RunRow } from './run-records.ts';

/** A run that has ended, by ids alone. */
export type EndedRun = {
  workspaceId: string;
  runId: string;
  status: 'succeeded' | 'failed' | 'cancelled';
  agentId?: string;
  toolId?: string;
  stepId?: string;
  triggerId?: string;
  eventId?: string;
  endUserId?: string;
  errorCode?: string;
};

/** Those who want to know that runs end. They are told in the transaction in which it happens. */
export type Telling = {
  /** Whether there is anybody in these workspaces. May be half a second behind. */
  wanted(workspaceIds: readonly string[]): Promise<boolean>;
  tell(tx: Database, runs: readonly EndedRun[]): Promise<void>;
};

/** What is told of it. */
export type Ended = Pick<
  RunRow,
  'id' | 'workspace_id' | 'agent_id' | 'for_agent' | 'tool_id' | 'step_id' | 'trigger_id' | 'event_id' | 'end_user_id'
>;

export const endedRun = (run: Ended, end: RunEnd): EndedRun => ({
  workspaceId: run.workspace_id,
  runId: run.id,
  status: endColumns(end).status,
  ...agentOf(run),
  ...(run.tool_id === null ? {} : { toolId: run.tool_id }),
  ...(run.step_id === null ? {} : { stepId: run.step_id }),
  ...(run.trigger_id === null ? {} : { triggerId: run.trigger_id }),
  ...(run.event_id === null ? {} : { eventId: run.event_id }),
  ...(run.end_user_id === null ? {} : { endUserId: run.end_user_id }),
  ...('error' in end ? { errorCode: end.error.code } : {}),
});

/** Ends runs by one statement, and tells of those that it ended. Where nobody listens it costs nothing more. */
export const endTogether = async <Row>(
  { store, telling }: { store: Store; telling: Telling },
  { statement, values }: { statement: Statement; values: readonly unknown[] },
  workspaceIds: readonly string[],
  ended: (rows: readonly Row[]) => EndedRun[],
): Promise<readonly Row[]> => {
  if (!(await telling.wanted(workspaceIds))) return store.planned<Row>(statement, values);
  // Of several workspaces at once, hence the house's own view.
  return store.system.transaction().execute(async (tx) => {
    const { rows } = await tx.executeQuery<Row>(CompiledQuery.raw(statement.text, [...values]));
    await telling.tell(tx, ended(rows));
    return rows;
  });
};
