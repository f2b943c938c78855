import { useParams, useSearch } from '@tanstack/react-router';
import type { Agent } from '../../../../../client/src/index.ts';
import { useSession } from '../../../data/session.tsx';
import { useRead } from '../../../data/use-read.ts';
import { StateBadge } from '../../../ui/badge.tsx';
import { Page } from '../../../ui/page.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { TabLinks } from '../../../ui/tab-links.tsx';
import { Time } from '../../../ui/time.tsx';
import { AgentEditor } from '../editor/agent-editor.tsx';
import { AgentActions } from './agent-actions.tsx';
import { AgentOverview } from './agent-overview.tsx';

const tabs = [
  { name: 'overview', title: 'Overview', search: {} },
  { name: 'edit', title: 'Instructions, model and tools', search: { tab: 'edit' } },
];

const About = ({ agent: { state, version, updatedAt } }: { agent: Agent }) => (
  <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
    <StateBadge state={state} />
    <span>Version {version}</span>
    <span>
      changed <Time at={updatedAt} />
    </span>
  </span>
);

/** One agent: what starts it, how it went, and what it is made of. */
export const AgentPage = () => {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { tab: asked } = useSearch({ strict: false }) as { tab?: string };
  const { may } = useSession();
  const agent = useRead('GET /v1/agents/{id}', { params: { id } });
  const current = asked === 'edit' && may('builder') ? 'edit' : 'overview';
  return (
    <Page
      title={agent.data?.name ?? 'Agent'}
      which={tabs.find(({ name }) => name === current && name !== 'overview')?.title}
      about={agent.data !== undefined && <About agent={agent.data} />}
      actions={agent.data !== undefined && <AgentActions agent={agent.data} />}
    >
      {may('builder') && (agent.isPending || agent.data !== undefined) && (
        <TabLinks label="Parts of the agent" to={`/agents/${id}`} tabs={tabs} current={current} />
      )}
      <Shown of={agent} loading="Looking for the agent">
        {(shown) =>
          current === 'edit' ? <AgentEditor key={id} agent={shown} /> : <AgentOverview key={id} agent={shown} />
        }
      </Shown>
    </Page>
  );
};
