import type { RunSummary } from '../../../../client/src/index.ts';

type Names = {
  agents: ReadonlyMap<string, string>;
  tools: ReadonlyMap<string, string>;
  stepTitle: (id: string) => string;
};

/** A run by the name of what ran. */
export const whatRan = (
  { agentId, toolId, stepId }: Pick<RunSummary, 'agentId' | 'toolId' | 'stepId'>,
  { agents, tools, stepTitle }: Names,
): string => {
  if (agentId !== undefined) return agents.get(agentId) ?? 'An agent';
  if (toolId !== undefined) return tools.get(toolId) ?? 'A tool';
  return stepId === undefined ? 'A run' : stepTitle(stepId);
};
