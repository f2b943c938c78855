import type { Actor, RunStatus, StoredFault, WaitsFor } from '#store';
import { agentOf } from './run-agent.ts';
import type { RunRow } from './run-records.ts';

/** Of a step, a tool or an agent; an agent's run is also one of the tool that it carries out. */
export type RunSummary = {
  id: string;
  stepId?: string;
  accountId?: string;
  toolId?: string;
  toolVersion?: number;
  agentId?: string;
  agentVersion?: number;
  triggerId?: string;
  eventId?: string;
  retryOf?: string;
  endUserId?: string;
  /** Asked to be cancelled, and not yet where it can stop. */
  cancelling?: true;
  status: RunStatus;
  /** A service that is away: how often it was asked in vain, and when it is asked again. */
  waiting?: WaitsFor & { tries: number; nextTryAt: Date };
  startedBy: Actor;
  createdAt: Date;
  finishedAt: Date | null;
  error: StoredFault | null;
};

// What a run took and gave can be large, so lists leave it where it is.
export const listed = [
  'id',
  'step_id',
  'account_id',
  'tool_id',
  'tool_version',
  'agent_id',
  'agent_version',
  'trigger_id',
  'event_id',
  'retry_of',
  'for_agent',
  'end_user_id',
  'cancel_asked',
  'status',
  'tries',
  'waits_for',
  'lease_until',
  'started_by',
  'created_at',
  'finished_at',
  'error',
] as const;

type Listed = Pick<RunRow, (typeof listed)[number]>;

const waitingOf = ({ status, tries, waits_for: waitsFor, lease_until: nextTryAt }: Listed) =>
  status === 'queued' && tries > 0 && waitsFor !== null && nextTryAt !== null
    ? { waiting: { ...waitsFor, tries, nextTryAt } }
    : {};

export const summarize = (row: Listed): RunSummary => ({
  id: row.id,
  ...(row.step_id === null ? {} : { stepId: row.step_id }),
  ...(row.account_id === null ? {} : { accountId: row.account_id }),
  ...(row.tool_id === null ? {} : { toolId: row.tool_id }),
  ...(row.tool_version === null ? {} : { toolVersion: row.tool_version }),
  ...agentOf(row),
  ...(row.agent_version === null ? {} : { agentVersion: row.agent_version }),
  ...(row.trigger_id === null ? {} : { triggerId: row.trigger_id }),
  ...(row.event_id === null ? {} : { eventId: row.event_id }),
  ...(row.retry_of === null ? {} : { retryOf: row.retry_of }),
  ...(row.end_user_id === null ? {} : { endUserId: row.end_user_id }),
  ...(row.cancel_asked === null || row.finished_at !== null ? {} : { cancelling: true as const }),
  status: row.status,
  ...waitingOf(row),
  startedBy: row.started_by,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
  error: row.error,
});
