import type { RunSummary } from '../../../../client/src/index.ts';
import type { useNames } from '../../data/use-names.ts';

type Names = Pick<ReturnType<typeof useNames>, 'agents' | 'tools' | 'stepTitle'>;

/** A run by the name of what ran. */
export const whatRan = (
  { agentId, toolId, stepId }: Pick<RunSummary, 'agentId' | 'toolId' | 'stepId'>,
  { agents, tools, stepTitle }: Names,
): string => {
  if (agentId !== undefined) return agents.get(agentId) ?? 'An agent';
  if (toolId !== undefined) return tools.get(toolId) ?? 'A tool';
  return stepId === undefined ? 'A run' : stepTitle(stepId);
};
