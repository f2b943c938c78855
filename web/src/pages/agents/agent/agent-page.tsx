import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { Agent } from '../../../../../client/src/index.ts';
import { useSession } from '../../../data/session.tsx';
import { useRead } from '../../../data/use-read.ts';
import { StateBadge } from '../../../ui/badge.tsx';
import { Page } from '../../../ui/page.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { Time } from '../../../ui/time.tsx';
import { AgentEditor } from '../editor/agent-editor.tsx';
import { AgentActions } from './agent-actions.tsx';
import { AgentOverview } from './agent-overview.tsx';

const tab = 'inline-flex min-h-10 items-center border-b-2 px-3 text-sm font-medium';

const Tabs = ({ id, current }: { id: string; current: string }) => (
  <nav aria-label="Parts of the agent" className="flex gap-2 border-b border-line">
    {[['overview', 'Overview'] as const, ['edit', 'Instructions, model and tools'] as const].map(([name, title]) => (
      <Link
        key={name}
        to={`/agents/${id}`}
        search={name === 'overview' ? {} : { tab: name }}
        aria-current={current === name ? 'page' : undefined}
        className={`${tab} ${current === name ? 'border-accent text-ink' : 'border-transparent text-muted hover:text-ink'}`}
      >
        {title}
      </Link>
    ))}
  </nav>
);

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
      about={agent.data !== undefined && <About agent={agent.data} />}
      actions={agent.data !== undefined && <AgentActions agent={agent.data} />}
    >
      {may('builder') && (agent.isPending || agent.data !== undefined) && <Tabs id={id} current={current} />}
      <Shown of={agent} loading="Looking for the agent">
        {(shown) =>
          current === 'edit' ? <AgentEditor key={id} agent={shown} /> : <AgentOverview key={id} agent={shown} />
        }
      </Shown>
    </Page>
  );
};
