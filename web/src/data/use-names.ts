import { useRead } from './use-read.ts';

const all = { query: { limit: 100 } };

type Named = { items: { id: string; name: string }[] } | undefined;
const byId = (list: Named): ReadonlyMap<string, string> =>
  new Map((list?.items ?? []).map(({ id, name }) => [id, name]));

/** What people call the agents, tools and triggers that lists know by their ids. */
export const useNames = () => {
  const agents = useRead('GET /v1/agents', all);
  const tools = useRead('GET /v1/tools', all);
  const triggers = useRead('GET /v1/triggers', all);
  return { agents: byId(agents.data), tools: byId(tools.data), triggers: byId(triggers.data) };
};
