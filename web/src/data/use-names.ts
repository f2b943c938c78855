import { useRead } from './use-read.ts';
import { useStepTitle } from './use-steps.ts';

const all = { query: { limit: 100 } };

type Named = { items: { id: string; name: string }[] } | undefined;
const byId = (list: Named): ReadonlyMap<string, string> =>
  new Map((list?.items ?? []).map(({ id, name }) => [id, name]));

/** What people call the agents, tools, triggers and steps that lists know by their ids. */
export const useNames = () => {
  const agents = useRead('GET /v1/agents', all);
  const tools = useRead('GET /v1/tools', all);
  const triggers = useRead('GET /v1/triggers', all);
  const stepTitle = useStepTitle();
  return { agents: byId(agents.data), tools: byId(tools.data), triggers: byId(triggers.data), stepTitle };
};
