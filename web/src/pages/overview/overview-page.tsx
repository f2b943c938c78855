import { Link } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import type { Overview } from '../../../../client/src/index.ts';
import { StackedBars } from '../../charts/stacked-bars.tsx';
import { useSession } from '../../data/session.tsx';
import { useFilters } from '../../data/use-filters.ts';
import { useRead } from '../../data/use-read.ts';
import { Page, Section } from '../../ui/page.tsx';
import { Shown } from '../../ui/shown.tsx';
import { Attention } from './attention.tsx';
import { FirstSteps } from './first-steps.tsx';

const eventSeries = [
  { key: 'fired', label: 'Fired', fill: 'fill-good/80' },
  { key: 'filtered', label: 'Filtered', fill: 'fill-edge/80' },
  { key: 'skipped', label: 'Skipped', fill: 'fill-warn/80' },
  { key: 'failed', label: 'Failed', fill: 'fill-bad/80' },
];
const runSeries = [
  { key: 'succeeded', label: 'Succeeded', fill: 'fill-good/80' },
  { key: 'running', label: 'Running', fill: 'fill-info/80' },
  { key: 'queued', label: 'Queued', fill: 'fill-accent/80' },
  { key: 'waiting_approval', label: 'Waiting', fill: 'fill-warn/80' },
  { key: 'failed', label: 'Failed', fill: 'fill-bad/80' },
  { key: 'cancelled', label: 'Cancelled', fill: 'fill-edge/80' },
];

const ranges = [
  ['1', '24 hours'],
  ['7', '7 days'],
  ['30', '30 days'],
] as const;

const hour = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
// The server's days begin at midnight UTC.
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const Charts = ({ overview }: { overview: Overview }) => {
  const nameOf = (at: string): string => (overview.bucket === 'hour' ? hour : day).format(new Date(at));
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 xl:grid-cols-2">
      <StackedBars title="Events by outcome" spans={overview.events} series={eventSeries} nameOf={nameOf} />
      <StackedBars title="Runs by status" spans={overview.runs} series={runSeries} nameOf={nameOf} />
    </div>
  );
};

const SandboxLink = () => {
  const { data } = useRead('GET /v1/sandbox');
  const { may } = useSession();
  if (data?.enabled !== true || !may('builder')) return null;
  return (
    <Link to="/sandbox" className="button button-quiet">
      <FlaskConical aria-hidden="true" className="size-4" />
      Tour of the sandbox
    </Link>
  );
};

export const OverviewPage = () => {
  const { values, set } = useFilters(['days']);
  const days = ranges.find(([each]) => each === values.days)?.[0] ?? '7';
  const query = useRead('GET /v1/overview', { query: { days: Number(days) } }, { stays: true });
  return (
    <Page title="Overview" about="What happened, and what waits for you." actions={<SandboxLink />}>
      <Shown of={query} loading="Looking at your workspace" rows={5}>
        {(overview) => (
          <>
            <FirstSteps done={overview.firstSteps} />
            <Attention overview={overview} />
            <Section
              title="Activity"
              actions={
                <div role="group" aria-label="How far back" className="flex rounded-lg bg-sunken p-1">
                  {ranges.map(([value, words]) => (
                    <button
                      key={value}
                      type="button"
                      aria-pressed={value === days}
                      onClick={() => set('days', value === '7' ? '' : value)}
                      className="min-h-10 rounded-md px-3 text-sm text-muted aria-pressed:bg-raised aria-pressed:font-medium aria-pressed:text-ink aria-pressed:shadow-sm"
                    >
                      {words}
                    </button>
                  ))}
                </div>
              }
            >
              <Charts overview={overview} />
            </Section>
          </>
        )}
      </Shown>
    </Page>
  );
};
