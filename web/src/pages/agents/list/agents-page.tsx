import { Link } from '@tanstack/react-router';
import { Bot, Plus, Zap } from 'lucide-react';
import type { Agent } from '../../../../../client/src/index.ts';
import { useSession } from '../../../data/session.tsx';
import { useFilters } from '../../../data/use-filters.ts';
import { useAll, useList } from '../../../data/use-read.ts';
import { FoundByName } from '../../../ui/found-by-name.tsx';
import { Narrow } from '../../../ui/narrow.tsx';
import { Page } from '../../../ui/page.tsx';
import { AgentRow } from './agent-row.tsx';
import { FirstAgent } from './first-agent.tsx';

const states: [Agent['state'], string][] = [
  ['enabled', 'Enabled'],
  ['paused', 'Paused'],
];

/** Every agent with what starts it, how it last went, and what waits for a person. */
export const AgentsPage = () => {
  const filters = useFilters(['query', 'state']);
  const { state: asked, ...named } = filters.values;
  const state = states.find(([each]) => each === asked)?.[0];
  const list = useList('GET /v1/overview/agents', { ...named, ...(state === undefined ? {} : { state }), limit: 25 });
  const tools = useAll('GET /v1/tools').data?.items ?? [];
  const { may } = useSession();
  const isEmpty = list.data !== undefined && list.items.length === 0 && !filters.any;
  return (
    <Page
      title="Agents"
      about="An agent has instructions, the tools it may use, and triggers that start it."
      actions={
        !isEmpty && (
          <>
            <Link to="/triggers" className="button button-quiet">
              <Zap aria-hidden="true" className="size-4" />
              All triggers
            </Link>
            {may('builder') && (
              <Link to="/agents/new" className="button button-main">
                <Plus aria-hidden="true" className="size-4" />
                New agent
              </Link>
            )}
          </>
        )
      }
    >
      <FoundByName
        of={list}
        filters={filters}
        icon={Bot}
        kind="agent"
        narrow={<Narrow label="State" value={state} choices={states} onChoose={(each) => filters.set('state', each)} />}
        loading="Looking for agents"
        empty={<FirstAgent />}
      >
        <ul aria-label="Agents" className="grid gap-3">
          {list.items.map((agent) => (
            <AgentRow key={agent.id} agent={agent} tools={tools} />
          ))}
        </ul>
      </FoundByName>
    </Page>
  );
};
