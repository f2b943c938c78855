import type { Clock } from '#clock';
import { Fault } from '#kit';
import { newToken } from '#workspaces';
import type { Live, Logbook, Program } from '../../execution.ts';
import type { JournalEntry } from '../../journal.ts';
import { Resting } from '../../resting.ts';
import type { RunRow } from '../../run-records.ts';
import { storedFault } from '../../stored-fault.ts';
import { finishedIn, type ToolWalk } from '../../tools/program.ts';
import type { CompiledAgent, Versions } from '../../versions.ts';
import type { AgentDefinition, WebhookRunner } from '../definition.ts';
import { fixedInputs } from '../fixed-inputs.ts';
import { stepsPerCall } from '../model/limits.ts';
import { besideFixed, type HeldTool } from '../model/offered-tools.ts';
import type { ToolsNow } from '../tools-now.ts';
import type { AgentSecrets } from './agent-secrets.ts';
import type { Handovers } from './handovers.ts';
import { payloadOf } from './payload.ts';
import { type Called, type RemoteStory, remoteStory } from './story.ts';

/** What a platform answered, or why it did not. */
type Reception = { status: number; retryAfterMs?: number | undefined } | { status?: undefined; error: string };

/** Brings a signed message to an address, once. */
export type Bring = (
  message: { url: string; id: string; at: Date; body: string; secrets: readonly string[] },
  signal: AbortSignal,
) => Promise<Reception>;

type Under = {
  live: Live;
  logbook: Logbook;
  agent: CompiledAgent;
  runner: WebhookRunner;
  tools: readonly HeldTool[];
  fixed: Record<string, unknown>;
  earlier: readonly JournalEntry[];
  story: RemoteStory;
};

/** How long a try may take. */
const tryMs = 10_000;
// In units of the first wait.
const waits = [1, 6, 24, 60, 120];
const longest = 240;

const webhookRunner = ({ runner }: CompiledAgent): WebhookRunner => {
  if (runner.type !== 'webhook') throw new Error("this run is not one of another platform's agent");
  return runner;
};

const late = ({ deadlineSeconds }: WebhookRunner, delivered: boolean): Fault =>
  new Fault(
    'upstream_rejected',
    delivered
      ? `The agent's platform did not finish this run within ${deadlineSeconds} s.`
      : `The agent's platform could not be reached within ${deadlineSeconds} s.`,
    { details: { deadlineSeconds } },
  );

/**
 * Lets an agent on another platform work: it is told once, under one id, and calls back. Between its calls nobody holds the
 * run; each call is an execution of its own, and what it asked for is in the journal before it is carried out.
 */
export const createWebhookProgram = (options: {
  versions: Versions;
  walk: ToolWalk;
  toolsNow: ToolsNow;
  handovers: Handovers;
  secrets: AgentSecrets;
  /** How the agent is carried out now. */
  runnerNow(agent: { workspaceId: string; id: string }): Promise<AgentDefinition['runner']>;
  bring: Bring;
  owner: string;
  publicUrl: URL;
  retryMs: number;
  /** After a try's time and this, whoever made it died. */
  leaseMs: number;
  stopping: AbortSignal;
  clock: Clock;
}): Program => {
  const { versions, walk, toolsNow, handovers, secrets, runnerNow, bring, owner, publicUrl, retryMs, leaseMs } =
    options;
  const { stopping, clock } = options;

  const prepare = async (live: Live, logbook: Logbook): Promise<Under> => {
    const { workspace_id: workspaceId, agent_id: id, agent_version: version } = live.run;
    if (id === null || version === null) throw new Error('this run is not one of an agent');
    const earlier = await logbook.earlier();
    const agent = await versions.agent({ workspaceId, id, version });
    const runner = webhookRunner(agent);
    const story = remoteStory(earlier);
    const held = story.prepared?.tools ?? (await toolsNow(workspaceId, agent));
    if (story.prepared === undefined) {
      logbook.note('prepared', { host: new URL(runner.url).host, tools: held });
      await logbook.begin();
    }
    const tools = await Promise.all(
      held.map(async ({ name, ...of }) => {
        return { name, ...of, tool: await versions.tool({ workspaceId, id: of.toolId, version: of.version }) };
      }),
    );
    return { live, logbook, agent, runner, tools, fixed: fixedInputs(agent, live.run.input), earlier, story };
  };

  /** Carries out what was asked for. What comes of it is told to whoever called, and to nobody else's cost. */
  const answer = async ({ live, logbook, agent, tools, fixed, earlier }: Under, { call, toolId, input }: Called) => {
    const held = tools.find((each) => each.toolId === toolId);
    if (held === undefined) throw new Error(`call ${call} names a tool that is not the agent's`);
    const { permission = 'approval', recipients = 'guarded' } =
      agent.tools.find((each) => each.toolId === toolId) ?? {};
    const begun = performance.now();
    const spent = () => ({ ms: Math.round(performance.now() - begun) });
    try {
      const { output, warnings } = await walk(live, logbook, {
        tool: held.tool,
        given: besideFixed(held.tool, input, fixed),
        maySend: live.run.may_send && permission === 'autopilot',
        autopilot: { toolId, recipients, fixed: agent.mapping.map(([, template]) => template) },
        from: call * stepsPerCall,
        call,
        finished: finishedIn(earlier, call),
      });
      live.told?.set(call, { output, warnings });
      logbook.note('tool', { call, toolId, output, ...(warnings.length === 0 ? {} : { warnings }), ...spent() });
    } catch (error) {
      // The emergency stop and storage that is away say nothing about the call: it goes on afterwards.
      if (!(error instanceof Fault) || error.code === 'unavailable' || live.ends !== undefined) throw error;
      live.told?.set(call, error);
      logbook.note('tool', { call, toolId, error: storedFault(error), ...spent() });
    }
    await logbook.begin();
  };

  const nextOf = (nth: number, reception: Reception, url: string): Parameters<Handovers['settle']>[1] => {
    const waitMs = retryMs * (waits[nth - 1] ?? longest);
    if (reception.status === undefined) return { waitMs };
    if (reception.status >= 200 && reception.status < 300) return undefined;
    if (reception.status !== 410) return { waitMs: Math.max(waitMs, reception.retryAfterMs ?? 0) };
    const error = `The agent's platform answered 410: there is nobody at ${new URL(url).host} any more.`;
    return { ending: { status: 'failed', error } };
  };

  const tell = async (run: RunRow, nth: number, message: Parameters<Bring>[0]) => {
    const begun = performance.now();
    const reception = await bring(message, stopping).catch(
      (): Reception => ({ error: 'This process ended meanwhile.' }),
    );
    const ms = Math.round(performance.now() - begun);
    const next = nextOf(nth, reception, message.url);
    await handovers.settle(run, next);
    const said = reception.status === undefined ? { error: reception.error } : { status: reception.status };
    await handovers.journal(run, next === undefined ? 'delivered' : 'not_delivered', { try: nth, ms, ...said });
  };

  /** Tells the platform, while nobody holds the run: it may call back before it answers. */
  const deliver = async ({ live, agent, tools, fixed }: Under, nth: number, deadline: Date) => {
    const { run } = live;
    const named = { workspaceId: run.workspace_id, id: run.agent_id ?? '' };
    const good = await secrets.open(named);
    if (good.length === 0) throw new Fault('conflict', 'The agent was deleted before its platform was told.');
    // Whoever corrects an address means what was not taken there, too.
    const now = await runnerNow(named);
    if (now.type !== 'webhook')
      throw new Fault('conflict', 'The agent was set to run here before its platform was told.');
    const runKey = newToken('sbr');
    const body = payloadOf({ run, agent, tools, fixed, runKey, deadline, publicUrl });
    return new Resting(
      (entries) => handovers.rest(run, owner, entries, { token: runKey, withinMs: tryMs + leaseMs }),
      () => tell(run, nth, { url: now.url, id: run.id, at: clock.now(), body, secrets: good }),
    );
  };

  return async (live, logbook) => {
    const under = await prepare(live, logbook);
    const { runner, story } = under;
    const before = await handovers.open(live.run, runner.deadlineSeconds);
    const open = story.calls.filter(({ call }) => !story.answers.has(call));
    for (const called of open) await answer(under, called);
    if (open.length > 0 && story.waited) await handovers.extend(live.run, runner.deadlineSeconds);
    const {
      ending,
      late: isLate,
      delivered,
      tries,
      deadline,
    } = open.length === 0 ? before : await handovers.open(live.run, runner.deadlineSeconds);
    if (live.ends !== undefined) throw live.ends;
    if (ending?.status === 'succeeded') return { output: ending.output, warnings: [] };
    if (ending?.status === 'failed') throw new Fault('upstream_rejected', ending.error);
    if (isLate) throw late(runner, delivered);
    if (delivered) throw new Resting((entries) => handovers.rest(live.run, owner, entries));
    throw await deliver(under, tries + 1, deadline);
  };
};
