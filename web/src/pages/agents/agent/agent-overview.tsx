import { useSearch } from '@tanstack/react-router';
import type { Agent } from '../../../../../client/src/index.ts';
import { AgentSummary } from './agent-summary.tsx';
import { AgentTriggers } from './agent-triggers.tsx';
import { JustMade } from './just-made.tsx';
import { RecentRuns } from './recent-runs.tsx';

/** What starts the agent, how it went, and in short what it does. */
export const AgentOverview = ({ agent }: { agent: Agent }) => {
  const { made } = useSearch({ strict: false }) as { made?: string };
  return (
    <>
      {made !== undefined && <JustMade agent={agent} />}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-8 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-8">
          <AgentTriggers agent={agent} />
          <RecentRuns agent={agent} />
        </div>
        <AgentSummary agent={agent} />
      </div>
    </>
  );
};
