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

const looks = {
  hour: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
} satisfies Record<Overview['bucket'], Intl.DateTimeFormatOptions>;

/** A process of the edition before counts in UTC and does not say so. */
const zoneOf = ({ timeZone = 'UTC' }: Partial<Overview>): string => timeZone;

/** Which clocks the charts go by. */
const spansInWords = (overview: Overview): string => {
  const spans = overview.bucket === 'hour' ? 'Hours' : 'Days from midnight to midnight';
  return `${spans}, ${zoneOf(overview).replaceAll('_', ' ')} time.`;
};

const Charts = ({ overview }: { overview: Overview }) => {
  const format = new Intl.DateTimeFormat('en', { ...looks[overview.bucket], timeZone: zoneOf(overview) });
  const nameOf = (at: string): string => format.format(new Date(at));
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

/** Whoever came by a link gets in again only by another one. */
const PasswordNote = () => {
  const { member } = useSession();
  if (member.hasPassword) return null;
  return (
    <p className="text-sm text-muted">
      You have no password yet: when this session ends, you need another link.{' '}
      <Link to="/settings" search={{ tab: 'you' }} className="link">
        Choose a password
      </Link>
    </p>
  );
};

/** Counted by the clocks of whoever looks; by UTC where the server does not know their zone. */
const useOverview = (days: number) => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const here = useRead('GET /v1/overview', { query: { days, timeZone } }, { stays: true });
  const isUnknown = (here.error as { status?: number } | null)?.status === 400;
  const utc = useRead('GET /v1/overview', { query: { days } }, { stays: true, enabled: isUnknown });
  return isUnknown ? utc : here;
};

export const OverviewPage = () => {
  const { values, set } = useFilters(['days']);
  const days = ranges.find(([each]) => each === values.days)?.[0] ?? '7';
  const query = useOverview(Number(days));
  return (
    <Page title="Overview" about="What happened, and what waits for you." actions={<SandboxLink />}>
      <PasswordNote />
      <Shown of={query} loading="Looking at your workspace" rows={5}>
        {(overview) => (
          <>
            <FirstSteps done={overview.firstSteps} />
            <Attention overview={overview} />
            <Section
              title="Activity"
              about={spansInWords(overview)}
              actions={
                <div role="group" aria-label="How far back" className="flex flex-wrap rounded-lg bg-sunken p-1">
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
