import { candidatesIn, Fault } from '#kit';
import type { Live, Logbook, Program } from '../../execution.ts';
import type { JournalEntry } from '../../journal.ts';
import { finishedIn, type ToolWalk } from '../../tools/program.ts';
import type { CompiledAgent, Versions } from '../../versions.ts';
import type { ModelRunner } from '../definition.ts';
import { fixedInputs } from '../fixed-inputs.ts';
import type { RequireOpen } from '../require-open.ts';
import type { ToolsNow } from '../tools-now.ts';
import { endpointOf, type HouseOf } from './endpoint.ts';
import { callsPerTurn, requireSense, stepsPerCall, timeForTurn } from './limits.ts';
import { givenTo, type HeldTool, offer } from './offered-tools.ts';
import type { Asked, AskModel, Question, Said, Told } from './port.ts';
import { systemPrompt, taskPrompt } from './prompt.ts';
import { goOn, type Story, storyOf } from './story.ts';

/** What a model can act on. All else ends the run, or lets it wait and go on at the same call. */
const tellable = new Set<Fault['code']>([
  'invalid_input',
  'too_large',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'conflict',
  'approval_denied',
  'upstream_rejected',
]);

/** A run of a model under way. */
type Under = {
  live: Live;
  logbook: Logbook;
  agent: CompiledAgent;
  runner: ModelRunner;
  tools: readonly HeldTool[];
  fixed: Record<string, unknown>;
  earlier: readonly JournalEntry[];
  story: Story;
};

const modelRunner = ({ runner }: CompiledAgent): ModelRunner => {
  if (runner.type !== 'model') throw new Error('this run is not one of a model');
  return runner;
};

/**
 * Lets a model work: it is asked, its tools are carried out, and it is asked again. Every turn and every call is stored
 * before the next begins, and what a resumed run knows is what its journal tells.
 */
export const createModelProgram = (options: {
  versions: Versions;
  walk: ToolWalk;
  toolsNow: ToolsNow;
  requireOpen: RequireOpen;
  ask: AskModel;
  houseOf: HouseOf;
}): Program => {
  const { versions, walk, toolsNow, requireOpen, ask, houseOf } = options;

  /** Writes something down for good; throws when another process took the run over. */
  const keep = async (
    { logbook, story }: Pick<Under, 'logbook' | 'story'>,
    kind: string,
    data: Record<string, unknown>,
  ) => {
    logbook.note(kind, data);
    goOn(story, kind, data);
    await logbook.begin();
  };

  const prepare = async (live: Live, logbook: Logbook): Promise<Under> => {
    const { workspace_id: workspaceId, agent_id: id, agent_version: version } = live.run;
    if (id === null || version === null) throw new Error('this run is not one of an agent');
    const earlier = await logbook.earlier();
    const agent = await versions.agent({ workspaceId, id, version });
    const runner = modelRunner(agent);
    const story = storyOf(earlier);
    const held = story.prepared?.tools ?? (await toolsNow(workspaceId, agent));
    if (story.prepared === undefined) {
      const { provider, baseUrl, model } = endpointOf(runner, await houseOf(workspaceId));
      await keep({ logbook, story }, 'prepared', { provider, baseUrl, model, tools: held });
    }
    const tools = await Promise.all(
      held.map(async ({ name, ...of }) => {
        return { name, ...of, tool: await versions.tool({ workspaceId, id: of.toolId, version: of.version }) };
      }),
    );
    return { live, logbook, agent, runner, tools, fixed: fixedInputs(agent, live.run.input), earlier, story };
  };

  const use = async (
    { live, logbook, agent, tools, fixed, earlier }: Under,
    { n, ...asked }: Asked,
  ): Promise<{ output: unknown; warnings?: string[] }> => {
    const held = tools.find(({ name }) => name === asked.name);
    if (held === undefined) {
      const names = tools.map(({ name }) => name).join(', ');
      throw new Fault('invalid_input', `There is no tool "${asked.name}"; there are: ${names}.`);
    }
    const given = givenTo(held, asked.arguments, fixed);
    const rules = agent.tools.find(({ toolId }) => toolId === held.toolId);
    const { permission = 'approval', recipients = 'guarded' } = rules ?? {};
    const { output, warnings } = await walk(live, logbook, {
      tool: held.tool,
      given,
      maySend: live.run.may_send && permission === 'autopilot',
      autopilot: { toolId: held.toolId, recipients, fixed: agent.mapping.map(([, template]) => template) },
      from: n * stepsPerCall,
      call: n,
      finished: finishedIn(earlier, n),
    });
    return { output: output ?? null, ...(warnings.length === 0 ? {} : { warnings }) };
  };

  /** Carries out one call, and ends the run when the model has made too many mistakes. */
  const answer = async (under: Under, asked: Asked): Promise<void> => {
    const begun = performance.now();
    const about = { call: asked.n, name: asked.name };
    const spent = () => ({ ms: Math.round(performance.now() - begun) });
    try {
      await keep(under, 'tool', { ...about, ...(await use(under, asked)), ...spent() });
    } catch (error) {
      if (!(error instanceof Fault) || !tellable.has(error.code)) throw error;
      const { code, message } = error;
      const mistake = code === 'invalid_input';
      const candidates = candidatesIn(error);
      const told = { code, message, ...(candidates.length === 0 ? {} : { candidates }) };
      await keep(under, 'tool', { ...about, error: told, ...(mistake ? { mistake } : {}), ...spent() });
      if (mistake) requireSense(under.story, error);
    }
  };

  const questionOf = ({ live, agent, tools, fixed, story }: Under): Question => ({
    system: systemPrompt(agent),
    task: taskPrompt(live.run, live.run.input),
    tools: tools.map((tool) => offer(tool, fixed)),
    before: story.turns.map(({ text, calls }) => ({
      text,
      calls: calls.map((asked) => ({ asked, told: story.told.get(asked.n) as Told })),
    })),
  });

  const turn = async (under: Under): Promise<void> => {
    const { runner, story, live } = under;
    if (live.ends !== undefined) throw live.ends;
    const deadlineMs = timeForTurn(story, runner);
    await requireOpen(live.run);
    const endpoint = endpointOf(runner, await houseOf(live.run.workspace_id));
    const begun = performance.now();
    live.asks = 'model';
    const said = await ask(endpoint, questionOf(under), deadlineMs, live.cancelled?.signal);
    await keep(under, 'turn', turnEntry(story, said, Math.round(performance.now() - begun)));
  };

  return async (live, logbook) => {
    const under = await prepare(live, logbook);
    const { story } = under;
    for (;;) {
      const last = story.turns.at(-1);
      if (last?.calls.length === 0) return { output: { text: last.text }, warnings: [] };
      for (const asked of last?.calls ?? []) if (!story.told.has(asked.n)) await answer(under, asked);
      await turn(under);
    }
  };
};

const turnEntry = ({ turns }: Story, { calls, text, cut, ...rest }: Said, ms: number): Record<string, unknown> => {
  if (calls.length > callsPerTurn) {
    throw new Fault(
      'upstream_rejected',
      `The model called ${calls.length} tools at once; ${callsPerTurn} are the most.`,
    );
  }
  if (cut && calls.length === 0) {
    throw new Fault('upstream_rejected', "The model's answer was cut off at its provider's limit.");
  }
  const from = turns.reduce((sum, each) => sum + each.calls.length, 0);
  return { turn: turns.length + 1, text, calls: calls.map((call, at) => ({ n: from + at, ...call })), ...rest, ms };
};
