import type { Agent } from '../../../../client/src/index.ts';

/** The agents that were given a tool, or that consist of it. */
export const usersOf = (toolId: string, agents: readonly Agent[]): Agent[] =>
  agents.filter(
    ({ tools, runner }) =>
      tools.some((entry) => entry.toolId === toolId) || (runner.type === 'tool' && runner.toolId === toolId),
  );
