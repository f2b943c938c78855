import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '#clock';
import { type Approvals, RunCancelled } from '#effects';
import { Fault } from '#kit';
import type { StoredEnding } from '#store';
import type { RunKeyHolder } from '#workspaces';
import type { Execution, Live } from '../../execution.ts';
import type { Lanes } from '../../lanes.ts';
import type { Leases } from '../../leases.ts';
import type { RunRecords, RunRow } from '../../run-records.ts';
import type { RunAnswer, RunWaiting } from '../../runs.ts';
import { faultAgain, mayBeTriedAgain } from '../../stored-fault.ts';
import { readInputs } from '../../tools/inputs.ts';
import type { CompiledAgent, Versions } from '../../versions.ts';
import { fixedInputs } from '../fixed-inputs.ts';
import { besideFixed, type HeldTool, offer } from '../model/offered-tools.ts';
import type { OfferedTool } from '../model/port.ts';
import type { RequireOpen } from '../require-open.ts';
import type { Handovers } from './handovers.ts';
import { type Called, remoteStory } from './story.ts';

export type RemoteCall = { toolId: string; input: Record<string, unknown>; requestKey: string | undefined };

export type RemoteTool = OfferedTool & { id: string; title: string; stepIds: string[] };

/** What the holder of a run's key may do: use the tools of the run's agent, and end the run. */
export type RemoteRuns = {
  holder(key: string): Promise<RunKeyHolder | undefined>;
  /** The tools as they are offered to this run, in the versions that it began with. */
  tools(holder: RunKeyHolder): Promise<RemoteTool[]>;
  use(holder: RunKeyHolder, call: RemoteCall): Promise<RunAnswer | RunWaiting>;
  /** Ends the run, now or when what it waits for was decided. */
  finish(holder: RunKeyHolder, ending: StoredEnding): Promise<{ runId: string; status: RunRow['status'] }>;
};

const mostCalls = 200;
const patienceMs = 20_000;
const lookEveryMs = 40;

const ended = () => new Fault('conflict', 'This run was finished; nothing more is done for it.');

export const createRemoteRuns = (options: {
  records: RunRecords;
  versions: Versions;
  handovers: Handovers;
  holder: RemoteRuns['holder'];
  lanes: Pick<Lanes, 'take'>;
  leases: Leases;
  execution: Execution;
  approvals: Pick<Approvals, 'get'>;
  clock: Clock;
  requireOpen: RequireOpen;
}): RemoteRuns => {
  const { records, versions, handovers, holder, lanes, leases, execution, approvals, clock, requireOpen } = options;

  const waiting = async ({ workspaceId, runId }: RunKeyHolder, approvalId: string): Promise<RunWaiting> => ({
    runId,
    approval: await approvals.get(workspaceId, approvalId),
  });

  const statusOf = async ({ workspaceId, runId }: RunKeyHolder): Promise<RunRow['status']> =>
    (await records.get(workspaceId, runId)).status;

  /** A run does one thing at a time: who calls meanwhile waits. `undefined`: it cannot be had now. */
  const take = async ({ workspaceId, runId }: RunKeyHolder): Promise<RunRow | undefined> => {
    const until = performance.now() + patienceMs;
    for (;;) {
      const run = await lanes.take({ runId, workspaceId });
      if (run?.id === runId) return run;
      if (run !== undefined) execution.launch(run);
      if (performance.now() > until) return undefined;
      await requireOpen({ workspace_id: workspaceId, id: runId }).catch((error: unknown) => {
        throw error instanceof RunCancelled ? ended() : error;
      });
      const { status } = await records.get(workspaceId, runId);
      if (status !== 'queued' && status !== 'running') return undefined;
      await clock.sleep(lookEveryMs);
    }
  };

  const busy = async (asking: RunKeyHolder): Promise<Fault> => {
    const { workspaceId, runId } = asking;
    const run = await records.get(workspaceId, runId);
    if (run.status === 'waiting_approval') {
      const approvalId = run.journal.findLast(({ kind }) => kind === 'waiting_approval')?.data['approvalId'];
      const message = 'This run waits until a person has decided; look at it, and go on afterwards.';
      return new Fault('conflict', message, {
        details: { runId, approvalId, status: run.status },
        retryAfterMs: 5_000,
      });
    }
    if (run.finishedAt !== null) return ended();
    const message = 'Another call of this run is still under way; try again.';
    return new Fault('conflict', message, { details: { runId, status: run.status }, retryAfterMs: 1_000 });
  };

  const agentOf = ({ workspaceId, agentId: id, agentVersion: version }: RunKeyHolder): Promise<CompiledAgent> =>
    versions.agent({ workspaceId, id, version });

  /** The tools as the run was told of them. */
  const toolsOf = async ({ workspaceId, runId }: RunKeyHolder): Promise<HeldTool[]> => {
    const { prepared } = remoteStory(await records.journal({ workspace_id: workspaceId, id: runId }));
    return Promise.all(
      (prepared?.tools ?? []).map(async ({ name, toolId, version }) => {
        return { name, toolId, version, tool: await versions.tool({ workspaceId, id: toolId, version }) };
      }),
    );
  };

  const runInput = async ({ workspaceId, runId }: RunKeyHolder): Promise<Record<string, unknown>> =>
    (await records.get(workspaceId, runId)).input as Record<string, unknown>;

  /** Refuses what could not be carried out, before it is part of the run. */
  const requireFit = async (asking: RunKeyHolder, { toolId, input }: RemoteCall): Promise<void> => {
    const held = (await toolsOf(asking)).find((each) => each.toolId === toolId);
    if (held === undefined) throw new Fault('not_found', 'There is no such tool.');
    const fixed = fixedInputs(await agentOf(asking), await runInput(asking));
    readInputs(held.tool.inputs, besideFixed(held.tool, input, fixed));
  };

  /** What the first call with this key came to; `undefined` when it has not come to an end. */
  const answerAgain = (
    runId: string,
    { toolId, input, call }: Called,
    asked: RemoteCall,
    story: ReturnType<typeof remoteStory>,
  ) => {
    if (toolId !== asked.toolId || !isDeepStrictEqual(input, asked.input)) {
      throw new Fault('conflict', 'This Idempotency-Key was used for another request; use a new one.');
    }
    const told = story.answers.get(call);
    if (told?.error !== undefined) throw faultAgain(told.error, { runId, replayed: true });
    return told === undefined ? undefined : { runId, output: told.output, warnings: told.warnings, replayed: true };
  };

  /** What was asked for before, by its key. */
  const before = async ({ workspaceId, runId }: RunKeyHolder, asked: RemoteCall) => {
    const story = remoteStory(await records.journal({ workspace_id: workspaceId, id: runId }));
    const last = story.calls.findLast(({ key }) => key !== undefined && key === asked.requestKey);
    const failure = last && story.answers.get(last.call)?.error;
    const same = failure !== undefined && mayBeTriedAgain(failure) ? undefined : last;
    return { story, same, answer: same && answerAgain(runId, same, asked, story) };
  };

  const carryOut = async (asking: RunKeyHolder, run: RunRow, call: number): Promise<RunAnswer | RunWaiting> => {
    const told: NonNullable<Live['told']> = new Map();
    const executed = await execution.execute({ run, begun: true, told });
    if ('approvalId' in executed) return waiting(asking, executed.approvalId);
    const answer = told.get(call);
    if (answer instanceof Fault) throw answer;
    if (answer === undefined) throw new Error(`call ${call} of ${run.id} was not carried out`);
    return { runId: run.id, ...answer, replayed: false };
  };

  /** Of a run that cannot be had: how an earlier call with the same key stands, or why this one must wait. */
  const lookInstead = async (asking: RunKeyHolder, asked: RemoteCall): Promise<RunAnswer | RunWaiting> => {
    const { same, answer, story } = await before(asking, asked);
    if (answer !== undefined) return answer;
    const named = { workspace_id: asking.workspaceId, id: asking.runId };
    const pending = same !== undefined && story.waited ? await records.waitsFor(named) : undefined;
    if (pending !== undefined) return waiting(asking, pending);
    throw await busy(asking);
  };

  const refusalOf = async (run: RunRow, call: number): Promise<Fault | undefined> => {
    if ((await handovers.open(run, 0)).ending !== null) return ended();
    if (call < mostCalls) return undefined;
    return new Fault('too_large', `A run makes at most ${mostCalls} calls.`, { details: { mostCalls } });
  };

  /** Adds a call to a run that nobody else can add to now, and carries it out. */
  const callIn = async (asking: RunKeyHolder, run: RunRow, asked: RemoteCall): Promise<RunAnswer | RunWaiting> => {
    const { story, same, answer } = await before(asking, asked);
    const call = same?.call ?? story.calls.length;
    const refusal = await refusalOf(run, call);
    if (refusal === undefined && answer === undefined) {
      const { toolId, input, requestKey: key } = asked;
      const data = { call, toolId, input, ...(key === undefined ? {} : { key }) };
      if (same === undefined) await records.append(run, leases.owner, [{ at: clock.now(), kind: 'call', data }]);
      return carryOut(asking, run, call);
    }
    // Taken for nothing: it rests again.
    await execution.execute({ run, begun: true });
    if (answer !== undefined) return answer;
    throw refusal as Fault;
  };

  return {
    holder,

    tools: async (asking) => {
      const fixed = fixedInputs(await agentOf(asking), await runInput(asking));
      return (await toolsOf(asking)).map((held) => ({
        id: held.toolId,
        title: held.tool.name,
        stepIds: held.tool.steps.map(({ step }) => step),
        ...offer(held, fixed),
      }));
    },

    use: async (asking, asked) => {
      await handovers.reached(asking);
      const { same, answer } = await before(asking, asked);
      if (answer !== undefined) return answer;
      if (same === undefined) await requireFit(asking, asked);
      const run = await take(asking);
      return run === undefined ? lookInstead(asking, asked) : callIn(asking, run, asked);
    },

    finish: async (asking, ending) => {
      const { runId } = asking;
      await handovers.reached(asking);
      if (!(await handovers.end(asking, ending))) throw ended();
      const run = await take(asking);
      if (run !== undefined) {
        await execution.execute({ run, begun: true }).catch((error: unknown) => {
          // How it ended is in the run itself.
          if (!(error instanceof Fault)) throw error;
        });
      }
      return { runId, status: await statusOf(asking) };
    },
  };
};
