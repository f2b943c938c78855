import { Link } from '@tanstack/react-router';
import { useAll } from '../../data/use-read.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Unread } from '../../ui/unread.tsx';

const names = (value: unknown, id: string): boolean => JSON.stringify(value)?.includes(`"${id}"`) ?? false;

/** What names this account: its triggers, the tools whose steps use it, and the agents behind both. */
export const useUses = (accountId: string) => {
  const triggers = useAll('GET /v1/triggers', { accountId });
  const tools = useAll('GET /v1/tools');
  const agents = useAll('GET /v1/agents');
  const ownTriggers = triggers.data?.items ?? [];
  const ownTools = (tools.data?.items ?? []).filter(({ steps, inputs }) => names([steps, inputs], accountId));
  const ownAgents = (agents.data?.items ?? []).filter(
    (agent) =>
      ownTriggers.some(({ agentId }) => agentId === agent.id) ||
      agent.tools.some(({ toolId }) => ownTools.some(({ id }) => id === toolId)) ||
      names(agent.runner, accountId),
  );
  return {
    triggers: ownTriggers,
    tools: ownTools,
    agents: ownAgents,
    isPending: triggers.isPending || tools.isPending || agents.isPending,
    unread: [triggers, tools, agents].filter(({ data, error }) => data === undefined && error !== null),
  };
};

export type Uses = ReturnType<typeof useUses>;

/** "1 trigger, 2 tools and 1 agent", or nothing. */
export const usesInWords = ({ triggers, tools, agents }: Uses): string => {
  const parts = (
    [
      [triggers.length, 'trigger'],
      [tools.length, 'tool'],
      [agents.length, 'agent'],
    ] as const
  )
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}${count === 1 ? '' : 's'}`);
  return parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}` : (parts[0] ?? '');
};

export const AccountUses = ({ uses }: { uses: Uses }) => {
  const { triggers, tools, agents, isPending, unread } = uses;
  const [first] = unread;
  if (first !== undefined) return <Unread of={first} />;
  if (isPending) return <p className="text-sm text-muted">Looking what uses it …</p>;
  if (triggers.length + tools.length + agents.length === 0) {
    return <p className="text-sm text-muted">No trigger, tool or agent names it yet.</p>;
  }
  const all = [
    ...triggers.map((each) => ({ ...each, word: 'Trigger', to: '/triggers/$id' as const })),
    ...tools.map(({ id, name }) => ({ id, name, state: undefined, word: 'Tool', to: '/tools/$id' as const })),
    ...agents.map((each) => ({ ...each, word: 'Agent', to: '/agents/$id' as const })),
  ];
  return (
    <ul className="grid max-h-96 divide-y divide-line overflow-y-auto text-sm">
      {all.map(({ id, name, state, word, to }) => (
        <li key={id} className="flex min-h-10 flex-wrap items-center justify-between gap-2">
          <span>
            <span className="text-muted">{word} </span>
            <Link to={to} params={{ id }} className="link untrusted">
              {name}
            </Link>
          </span>
          {state !== undefined && <StateBadge state={state} />}
        </li>
      ))}
    </ul>
  );
};
