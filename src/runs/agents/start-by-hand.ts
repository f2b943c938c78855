import { isDeepStrictEqual } from 'node:util';
import type { Accounts } from '#accounts';
import { Fault } from '#kit';
import type { Database, RunStatus, Store } from '#store';
import { stopped } from '#workspaces';
import type { RunRecords, RunRow } from '../run-records.ts';
import type { HandStart, Starts } from '../starts.ts';
import { readInputs } from '../tools/inputs.ts';
import { refuseOthers } from '../tools/own-accounts.ts';
import type { Versions } from '../versions.ts';
import type { Agent } from './agents.ts';
import { fixedInputs } from './fixed-inputs.ts';
import { mapInput } from './map-input.ts';

type StartRequest = Omit<HandStart, 'agentVersion'>;

export type StartByHand = (request: StartRequest) => Promise<{ runId: string; status: RunStatus }>;

const isDuplicate = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23505';

/** Starts an agent for somebody who waits for the answer; once for each key. */
export const startByHand = (options: {
  store: Store;
  accounts: Accounts;
  versions: Versions;
  records: RunRecords;
  starts: Starts;
  get: (workspaceId: string, id: string) => Promise<Agent>;
  /** Whose its runs are where nobody says. */
  endUserOf: (tx: Database, request: StartRequest, agent: Agent) => Promise<string | undefined>;
}): StartByHand => {
  const { store, accounts, versions, records, starts, get, endUserOf } = options;

  /** The run that the first request with this key made. */
  const startedBefore = async ({ workspaceId, agentId, input, requestKey, endUserId }: StartRequest) => {
    const before = requestKey === undefined ? undefined : await records.byRequestKey(workspaceId, requestKey);
    if (before === undefined) return undefined;
    const isSame =
      before.agent_id === agentId &&
      (endUserId === undefined || before.end_user_id === endUserId) &&
      isDeepStrictEqual(before.input, { input: JSON.parse(JSON.stringify(input)) });
    if (isSame) return { runId: before.id, status: before.status };
    throw new Fault('conflict', 'This Idempotency-Key was used for another request; use a new one.');
  };

  /** Refuses what is given by hand while the caller still waits, instead of in the run. */
  const refuseUnfit = async (tx: Database, run: RunRow, agentVersion: number): Promise<void> => {
    const { workspace_id: workspaceId, tool_id: id, tool_version: version, agent_id: agentId } = run;
    const endUserId = run.end_user_id ?? undefined;
    if (agentId === null) return;
    const agent = await versions.agent({ workspaceId, id: agentId, version: agentVersion }, tx);
    if (agent.runner.type !== 'tool') fixedInputs(agent, run.input);
    if (id === null || version === null) return;
    const tool = await versions.tool({ workspaceId, id, version }, tx);
    readInputs(tool.inputs, mapInput(agent, tool, run.input));
    const values = (run.input as Pick<HandStart, 'input'>).input;
    await refuseOthers(accounts, { workspaceId, endUserId }, { inputs: tool.inputs, values }, tx);
  };

  return async (request) => {
    const before = await startedBefore(request);
    if (before !== undefined) return before;
    const { workspaceId, agentId } = request;
    const agent = await get(workspaceId, agentId);
    if (agent.state === 'paused') throw new Fault('conflict', 'This agent is paused; enable it first.');
    try {
      const { started, launch } = await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const endUserId = request.endUserId ?? (await endUserOf(tx, request, agent));
          const made = await starts.byHand(tx, { ...request, endUserId, agentVersion: agent.version });
          if (!made.started.taken && !made.started.ready) throw stopped();
          await refuseUnfit(tx, made.started.run, agent.version);
          return made;
        });
      launch();
      return { runId: started.run.id, status: started.taken ? 'running' : 'queued' };
    } catch (error) {
      // The same request came twice at once.
      const twin = isDuplicate(error) ? await startedBefore(request) : undefined;
      if (twin === undefined) throw error;
      return twin;
    }
  };
};
