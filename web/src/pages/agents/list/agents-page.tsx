import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useSession } from '../../../data/session.tsx';
import { useList } from '../../../data/use-read.ts';
import { More } from '../../../ui/more.tsx';
import { Page } from '../../../ui/page.tsx';
import { Loading, Problem } from '../../../ui/states.tsx';
import { AgentRow } from './agent-row.tsx';
import { FirstAgent } from './first-agent.tsx';
import { useAgentLists } from './use-agent-lists.ts';

/** Every agent with what starts it, how it last went, and what waits for a person. */
export const AgentsPage = () => {
  const list = useList('GET /v1/agents', { limit: 25 });
  const lists = useAgentLists();
  const { may } = useSession();
  const isEmpty = list.data !== undefined && list.items.length === 0;
  return (
    <Page
      title="Agents"
      about="An agent has instructions, the tools it may use, and triggers that start it."
      actions={
        may('builder') &&
        !isEmpty && (
          <Link to="/agents/new" className="button button-main">
            <Plus aria-hidden="true" className="size-4" />
            New agent
          </Link>
        )
      }
    >
      {list.isPending && <Loading what="Looking for agents" />}
      {list.error !== null && list.data === undefined && (
        <Problem error={list.error} retry={() => void list.refetch()} />
      )}
      {isEmpty && <FirstAgent />}
      {list.items.length > 0 && (
        <ul aria-label="Agents" className="grid gap-3">
          {list.items.map((agent) => (
            <AgentRow key={agent.id} agent={agent} lists={lists} />
          ))}
        </ul>
      )}
      <More list={list} />
    </Page>
  );
};
