import { Link } from '@tanstack/react-router';
import type { Agent } from '../../../../../client/src/index.ts';
import { useAll, useRead } from '../../../data/use-read.ts';
import { StateBadge } from '../../../ui/badge.tsx';
import { duration } from '../../../ui/duration.ts';
import { Section } from '../../../ui/page.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { whoOf } from '../../../ui/who-of.ts';

/** How the agent went lately. */
export const RecentRuns = ({ agent: { id } }: { agent: Agent }) => {
  const runs = useRead('GET /v1/runs', { query: { agentId: id, limit: 10 } });
  const triggers = useAll('GET /v1/triggers', { agentId: id });
  const names = new Map(triggers.data?.items.map((trigger) => [trigger.id, `“${trigger.name}”`]));
  return (
    <Section
      title="Recent runs"
      actions={
        <Link to="/runs" search={{ agentId: id }} className="link inline-flex min-h-10 items-center text-sm">
          All runs of this agent
        </Link>
      }
    >
      <Shown of={runs} loading="Looking for its runs" rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="card p-5 text-sm text-muted">It has not run yet.</p>
          ) : (
            <ul aria-label="Recent runs" className="card divide-y divide-line">
              {items.map((run) => (
                <li key={run.id}>
                  <Link
                    to={`/runs/${run.id}`}
                    className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-sm hover:bg-hover"
                  >
                    <StateBadge state={run.status} />
                    <span className="line-clamp-2 min-w-0 flex-1 text-muted max-sm:order-last max-sm:basis-full">
                      <VisibleText
                        text={
                          run.error?.message ??
                          run.about ??
                          `started by ${names.get(run.triggerId ?? '') ?? whoOf(run.startedBy)}`
                        }
                      />
                    </span>
                    {run.finishedAt !== null && (
                      <span className="text-xs text-muted">
                        {duration(Date.parse(run.finishedAt) - Date.parse(run.createdAt))}
                      </span>
                    )}
                    <span className="text-xs text-muted max-sm:ml-auto">
                      <Time at={run.createdAt} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Section>
  );
};
