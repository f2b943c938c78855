import type { Agent, AgentTool, ModelRunner, NewAgent, Tool, ToolInput } from '../../../../../client/src/index.ts';

export type RunnerKind = Agent['runner']['type'];

/** An agent while it is written. What another runner would need is kept, so that changing one's mind loses nothing. */
export type Draft = {
  name: string;
  instructions: string;
  tools: AgentTool[];
  kind: RunnerKind;
  model: Omit<ModelRunner, 'type' | 'input'>;
  toolId: string;
  webhook: { url: string; deadlineSeconds?: number };
  input: Record<string, unknown>;
};

const blank: Draft = {
  name: '',
  instructions: '',
  tools: [],
  kind: 'model',
  model: {},
  toolId: '',
  webhook: { url: '' },
  input: {},
};

export const draftOf = (agent: Agent | undefined): Draft => {
  if (agent === undefined) return blank;
  const { name, instructions, tools, runner } = agent;
  const draft = { ...blank, name, instructions, tools, kind: runner.type, input: runner.input ?? {} };
  if (runner.type === 'tool') return { ...draft, toolId: runner.toolId };
  if (runner.type === 'webhook') {
    const { url, deadlineSeconds } = runner;
    return { ...draft, webhook: { url, ...(deadlineSeconds === undefined ? {} : { deadlineSeconds }) } };
  }
  const { type: _, input: _input, ...model } = runner;
  return { ...draft, model };
};

const idsOf = ({ kind, toolId, tools }: Draft): string[] =>
  kind === 'tool' ? [toolId] : tools.map((each) => each.toolId);

/** The inputs that can be filled in from the event, each name once. */
export const inputsOf = (draft: Draft, tools: readonly Tool[]): ToolInput[] => {
  const all = idsOf(draft).flatMap((id) => tools.find((tool) => tool.id === id)?.inputs ?? []);
  return all.filter(({ name }, at) => all.findIndex((each) => each.name === name) === at);
};

const runnerOf = (draft: Draft, input: Record<string, unknown>): NewAgent['runner'] => {
  if (draft.kind === 'tool') return { type: 'tool', toolId: draft.toolId, input };
  if (draft.kind === 'webhook') return { type: 'webhook', ...draft.webhook, input };
  return { type: 'model', ...draft.model, input };
};

/** What is sent: without leftovers of tools that the agent no longer has. */
export const bodyOf = (draft: Draft, tools: readonly Tool[]): NewAgent => {
  const names = new Set(inputsOf(draft, tools).map(({ name }) => name));
  // While its tools are being read, or could not be, nobody knows what is left over.
  const isKnown = idsOf(draft).every((id) => tools.some((tool) => tool.id === id));
  const input = Object.fromEntries(Object.entries(draft.input).filter(([name]) => !isKnown || names.has(name)));
  const { name, instructions } = draft;
  const isGiven = draft.tools.some(({ toolId }) => toolId === draft.toolId);
  const runs = draft.kind === 'tool' && draft.toolId !== '' && !isGiven ? [{ toolId: draft.toolId }] : [];
  return { name: name.trim(), instructions, tools: [...draft.tools, ...runs], runner: runnerOf(draft, input) };
};
