import { useAll } from './use-read.ts';
import { useStepTitle } from './use-steps.ts';

type Named = { items: { id: string; name: string }[] } | undefined;
const byId = (list: Named): ReadonlyMap<string, string> =>
  new Map((list?.items ?? []).map(({ id, name }) => [id, name]));

/** What people call the agents, tools, triggers and steps that lists know by their ids. */
export const useNames = () => {
  const agents = useAll('GET /v1/agents');
  const tools = useAll('GET /v1/tools');
  const triggers = useAll('GET /v1/triggers');
  const stepTitle = useStepTitle();
  const nameOf = byId(agents.data);
  /** Triggers of one kind have one name until somebody gives them others: the agent tells them apart. */
  const triggersOfAgents: ReadonlyMap<string, string> = new Map(
    (triggers.data?.items ?? []).map(({ id, name, agentId }) => {
      const agent = nameOf.get(agentId);
      return [id, agent === undefined ? name : `${name}, ${agent}`];
    }),
  );
  return { agents: nameOf, tools: byId(tools.data), triggers: byId(triggers.data), triggersOfAgents, stepTitle };
};
