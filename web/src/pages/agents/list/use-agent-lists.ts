import type { RunSummary, Trigger } from '../../../../../client/src/index.ts';
import { useAll, useRead } from '../../../data/use-read.ts';

const most = { limit: 100 };

const groupBy = <Item>(items: readonly Item[], key: (item: Item) => string | undefined): Map<string, Item[]> => {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = key(item);
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return groups;
};

/** What stands beside the names of many agents, asked for once for all of them. */
export const useAgentLists = () => {
  const triggers = useRead('GET /v1/triggers', { query: most });
  const runs = useRead('GET /v1/runs', { query: most });
  const approvals = useRead('GET /v1/approvals', { query: { ...most, status: 'pending' } });
  const tools = useAll('GET /v1/tools');
  return {
    triggers: groupBy(triggers.data?.items ?? [], ({ agentId }) => agentId),
    hasAllTriggers: triggers.data !== undefined && triggers.data.nextCursor === undefined,
    runs: groupBy(runs.data?.items ?? [], ({ agentId }) => agentId),
    hasAllRuns: runs.data !== undefined && runs.data.nextCursor === undefined,
    isLoading: triggers.data === undefined || runs.data === undefined,
    pending: groupBy(approvals.data?.items ?? [], ({ cause }) => cause.agentId),
    hasAllPending: approvals.data?.nextCursor === undefined,
    tools: tools.data?.items ?? [],
  };
};

export type AgentLists = ReturnType<typeof useAgentLists>;

type Beside = { triggers: Trigger[]; waiting: number; hasAllWaiting: boolean; last?: RunSummary };

/** What stands beside one agent; asked for on its own where the common lists may not reach that far back. */
export const useBesideAgent = (agentId: string, lists: AgentLists): Beside => {
  const { isLoading, hasAllRuns, hasAllTriggers, hasAllPending } = lists;
  const known = lists.runs.get(agentId)?.[0];
  const query = { query: { agentId, limit: 1 } };
  const run = useRead('GET /v1/runs', query, { enabled: !isLoading && known === undefined && !hasAllRuns });
  const own = useRead(
    'GET /v1/triggers',
    { query: { agentId, limit: 100 } },
    { enabled: !isLoading && !hasAllTriggers },
  );
  const pending = useRead(
    'GET /v1/approvals',
    { query: { agentId, status: 'pending', limit: 100 } },
    { enabled: !hasAllPending },
  );
  const last = known ?? run.data?.items[0];
  const hasOwn = !hasAllPending && pending.data !== undefined;
  return {
    waiting: (hasOwn ? pending.data.items : (lists.pending.get(agentId) ?? [])).length,
    hasAllWaiting: hasOwn ? pending.data.nextCursor === undefined : hasAllPending,
    triggers: own.data?.items ?? lists.triggers.get(agentId) ?? [],
    ...(last === undefined ? {} : { last }),
  };
};
