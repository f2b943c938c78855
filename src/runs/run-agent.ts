import type { RunRow } from './run-records.ts';

/** Whose run it is: of the agent that runs, or of the one in whose view a tool was called. */
export const agentOf = ({ agent_id: id, for_agent: viewed }: Pick<RunRow, 'agent_id' | 'for_agent'>) => {
  const agentId = id ?? viewed;
  return agentId === null ? {} : { agentId };
};
