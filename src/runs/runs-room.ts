import type { buildConnector } from 'undici';
import type { Accounts, Caller } from '#accounts';
import type { Clock, Intervals } from '#clock';
import type { ModelSettings } from '#config';
import type {
  ApprovalRecords,
  ApprovalRow,
  Approvals,
  Clearance,
  DoneLately,
  Guard,
  OpenedEnclosure,
  Planner,
} from '#effects';
import type { Catalogue, Fault } from '#kit';
import type { Log } from '#log';
import type { Actor, Database, Sealer, Store } from '#store';
import type { WebFiles } from '#upstream';
import { type Agents, createAgents } from './agents/agents.ts';
import { createAskModel } from './agents/model/ask-model.ts';
import { type HouseOf, type ModelHouse, modelAddressProblem } from './agents/model/endpoint.ts';
import { createModelFetch } from './agents/model/model-fetch.ts';
import { createModelProgram } from './agents/model/program.ts';
import { createRequireGiven } from './agents/require-given.ts';
import { createRequireOpen } from './agents/require-open.ts';
import { createRulesNow } from './agents/rules-now.ts';
import { createSeats } from './agents/seats.ts';
import { createToolsNow } from './agents/tools-now.ts';
import { createRefuseForUsers } from './agents/users-of-tool.ts';
import { createAgentSecrets } from './agents/webhook/agent-secrets.ts';
import { createHandovers } from './agents/webhook/handovers.ts';
import { type Bring, createWebhookProgram } from './agents/webhook/program.ts';
import { createRemoteRuns, type RemoteRuns } from './agents/webhook/remote-runs.ts';
import { createRunKeys } from './agents/webhook/run-keys.ts';
import { type CallOff, createCallOff } from './call-off.ts';
import { createCancelling } from './cancelling.ts';
import { createExecution, type Execution, type Program } from './execution.ts';
import type { FileStore } from './files.ts';
import { createGather } from './gathering.ts';
import { createLanes } from './lanes.ts';
import type { Leases, Orphan } from './leases.ts';
import { createPerformer } from './perform.ts';
import type { Recomposed } from './rehearsing.ts';
import { createRetry, type Retry } from './retrying.ts';
import { createRunList } from './run-list.ts';
import { createRunRecords, type Run } from './run-records.ts';
import { createRuns, createStepProgram, type Runs } from './runs.ts';
import { createStarter } from './starter.ts';
import { createStarts, type Starts } from './starts.ts';
import type { Telling } from './telling.ts';
import { createToolProgram, createToolWalk } from './tools/program.ts';
import { createTools, type Tools } from './tools/tools.ts';
import { createVersions } from './versions.ts';

export type RunsRoom = {
  runs: Runs;
  tools: Tools;
  agents: Agents;
  starts: Starts;
  retry: Retry;
  cancel(workspaceId: string, id: string, actor: Actor): Promise<Run>;
  /** Agents on other platforms, as they call back. */
  remote: RemoteRuns;
  callOff: CallOff;
  /** What is wrong with where a workspace wants its models asked. */
  modelAddressProblem(baseUrl: string): string | undefined;
  /** What would leave if a step that waits were given something else. */
  recompose(waiting: ApprovalRow, changes: Record<string, unknown>): Promise<Recomposed>;
  /** What would leave with a step that waits, with its content. */
  openEnclosed(waiting: ApprovalRow, place: number): Promise<OpenedEnclosure>;
};

/** Puts together what carries runs out. */
export const createRunsRoom = (options: {
  store: Store;
  clock: Clock;
  intervals: Intervals;
  log: Log;
  catalogue: Catalogue;
  accounts: Accounts;
  caller: Caller;
  guard: Guard;
  planner: Planner;
  clearance: Clearance;
  approvals: ApprovalRecords;
  decisions: Pick<Approvals, 'get'>;
  doneLately: DoneLately;
  files: FileStore;
  /** How files are had from addresses that people and models give. */
  web: WebFiles;
  leases: Leases;
  /** How many runs that nobody waits for this process carries at once. */
  capacity: number;
  /** Leaves runs to whoever is free, in the caller's transaction if there is one. */
  handOver: (orphans: readonly Orphan[], tx?: Database) => Promise<void>;
  storageFault: (error: unknown) => Fault | undefined;
  telling: Telling;
  /** The operator's models, and how any provider is reached. */
  models: ModelHouse & {
    /** Of the workspace itself; asked first. */
    own(workspaceId: string, db?: Database): Promise<ModelSettings | undefined>;
    connect: buildConnector.connector;
  };
  sealer: Sealer;
  /** How agents on other platforms are reached. */
  courier: { addressProblem(url: string): string | undefined; newSecret(): string; bring: Bring };
  publicUrl: URL;
}): RunsRoom => {
  const { store, clock, intervals, accounts, leases, capacity, handOver, telling, models, approvals, courier } =
    options;
  const records = createRunRecords({ store, clock, intervals, telling, approvals });
  const versions = createVersions({ store });
  const cancelling = createCancelling({ ...options, approvals });
  const performer = createPerformer({ ...options, gather: createGather(options) });
  const starter = createStarter(options);
  const stepProgram = createStepProgram({ performer, accounts, starter });
  const rulesNow = createRulesNow({ store, versions });
  const walk = createToolWalk({
    performer,
    accounts,
    doneLately: options.doneLately,
    rulesNow,
    requireGiven: createRequireGiven({ store, versions }),
  });
  const toolProgram = createToolProgram({ versions, walk, starter });
  const stopping = new AbortController();
  const modelFetch = createModelFetch(models);
  const ask = createAskModel({ fetch: modelFetch, stopping: stopping.signal });
  const toolsNow = createToolsNow(store);
  const requireOpen = createRequireOpen(store);
  const houseOf: HouseOf = async (workspaceId, db) => ({ ...models, own: await models.own(workspaceId, db) });
  const modelProgram = createModelProgram({ versions, walk, toolsNow, requireOpen, ask, houseOf });
  const secrets = createAgentSecrets({ store, sealer: options.sealer, newSecret: courier.newSecret });
  const handovers = createHandovers({ store, clock });
  const webhookProgram = createWebhookProgram({
    versions,
    walk,
    toolsNow,
    handovers,
    secrets,
    runnerNow: async ({ workspaceId, id }) => (await agents.get(workspaceId, id)).runner,
    bring: courier.bring,
    owner: leases.owner,
    publicUrl: options.publicUrl,
    retryMs: intervals.noticeRetryMs,
    leaseMs: intervals.leaseMs,
    stopping: stopping.signal,
    clock,
  });
  const agentProgram: Program = async (live, logbook) => {
    const { workspace_id: workspaceId, agent_id: id, agent_version: version } = live.run;
    if (id === null || version === null) throw new Error('this run is not one of an agent');
    const { runner } = await versions.agent({ workspaceId, id, version });
    return runner.type === 'webhook' ? webhookProgram(live, logbook) : modelProgram(live, logbook);
  };
  let ending = false;
  const room = () => (ending ? 0 : Math.max(0, capacity - leases.held()));

  const launch: Execution['launch'] = (run) => execution.launch(run);
  const lanes = createLanes({ store, clock, leases, intervals, room, next: { launch, handOver }, telling });
  const execution: Execution = createExecution({
    ...options,
    records,
    lanes,
    cancelling,
    giveUp: performer.giveUpAll,
    seats: createSeats({ store, versions, leases, intervals, handOver }),
    programOf: ({ step_id: stepId, tool_id: toolId }) => {
      if (stepId !== null) return stepProgram;
      return async (live, logbook) => {
        await starter.require(live.run);
        return (toolId === null ? agentProgram : toolProgram)(live, logbook);
      };
    },
  });
  const runs = createRuns({
    records,
    leases,
    lanes,
    execution,
    performer,
    accounts,
    approvals: options.decisions,
    clock,
    list: createRunList(options),
  });
  const starts = createStarts({ versions, execution, leases, intervals, clock, room, handOver });
  const { addressProblem } = courier;
  const refuseForUsers = createRefuseForUsers({ accounts, houseOf, addressProblem });
  const tools = createTools({ ...options, versions, performer, runs, refuseForUsers });
  const callOff = createCallOff({ store, clock, telling });
  const means = { store, clock, accounts, versions, records, starts, houseOf, secrets, addressProblem, callOff };
  const agents = createAgents(means);
  return {
    retry: createRetry({ store, clock, records, leases, execution, starts, tools, agents }),
    cancel: async (workspaceId, id, actor) => {
      await cancelling.cancel(workspaceId, id, actor);
      return records.get(workspaceId, id);
    },
    runs: {
      ...runs,
      drain: async (timeoutMs) => {
        ending = true;
        // Whoever is told to end takes nothing with it, also where it is killed before it has let go.
        void leases.forgive().catch(() => {});
        // A model may take minutes; whoever takes the run over asks it again.
        stopping.abort();
        await runs.drain(timeoutMs);
        await modelFetch.close();
      },
    },
    starts,
    modelAddressProblem: (baseUrl) => modelAddressProblem(baseUrl, models),
    recompose: async (waiting, changes) => {
      const account = await accounts.holder(waiting.workspace_id, waiting.account_id);
      return performer.recompose(waiting, account, changes);
    },
    openEnclosed: async (waiting, place) => {
      const account = await accounts.holder(waiting.workspace_id, waiting.account_id);
      return performer.openEnclosed(waiting, account, place);
    },
    callOff,
    tools,
    agents,
    remote: createRemoteRuns({
      records,
      versions,
      handovers,
      holder: createRunKeys(store),
      lanes,
      leases,
      execution,
      approvals: options.decisions,
      clock,
      requireOpen,
    }),
  };
};
