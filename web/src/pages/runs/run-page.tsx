import { Link, useParams } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { Run } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useStepTitle } from '../../data/use-steps.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Json } from '../../ui/code.tsx';
import { duration } from '../../ui/duration.ts';
import { useNameOf } from '../../ui/named-link.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Shown } from '../../ui/shown.tsx';
import { Problem } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { ByTest } from './by-test.tsx';
import { RunActions } from './run-actions.tsx';
import { RunFacts } from './run-facts.tsx';
import { Timeline } from './timeline.tsx';
import { useLiveRun } from './use-live-run.ts';
import { Waiting } from './waiting.tsx';

const useTitle = ({ agentId, toolId, stepId }: Partial<Run> = {}): string => {
  const agent = useNameOf('agents', agentId);
  const tool = useNameOf('tools', agentId === undefined ? toolId : undefined);
  const stepTitle = useStepTitle();
  const step = stepId === undefined ? undefined : stepTitle(stepId);
  const name = agentId === undefined ? (tool ?? step) : agent;
  return name === undefined ? 'Run' : `Run of ${name}`;
};

/** Who cancelled a run is all there is to tell; what failed is told with its kind, which the API calls by the same word. */
const endOf = ({ status, error }: Run): { message: string } | null => {
  if (error === null || status === 'cancelled') return error;
  return { message: `${error.message} (${error.code.replaceAll('_', ' ')})` };
};

const Body = ({ run }: { run: Run }) => {
  const { may } = useSession();
  const waits =
    run.status === 'waiting_approval' ? run.journal.findLast(({ kind }) => kind === 'waiting_approval') : undefined;
  return (
    <>
      {run.eventId !== undefined && <ByTest eventId={run.eventId} />}
      <Problem error={endOf(run)} />
      {waits !== undefined && (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-xl border border-warn/40 bg-warn-soft p-4 text-sm text-warn">
          <p>It waits until somebody has decided about what it wants to send.</p>
          <Link to="/approvals/$id" params={{ id: String(waits.data['approvalId']) }} className="button button-quiet">
            {may('approver') ? 'Look and decide' : 'Look at it'}
          </Link>
        </div>
      )}
      {run.waiting !== undefined && (
        <p className="rounded-xl border border-warn/40 bg-warn-soft p-4 text-sm text-warn">
          It <Waiting waits={run.waiting} />. Nobody has to do anything.
        </p>
      )}
      {run.warnings.length > 0 && (
        <ul aria-label="Warnings" className="grid gap-1 rounded-xl bg-warn-soft p-4 text-sm text-warn">
          {run.warnings.map((warning, at) => (
            <li key={at} className="untrusted">
              {warning}
            </li>
          ))}
        </ul>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 xl:grid-cols-[minmax(0,1fr)_18rem]">
        <Section title="What happened">
          <Timeline run={run} />
        </Section>
        <RunFacts run={run} />
      </div>
      <Section title="Input and output">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 xl:grid-cols-2">
          <div className="grid min-w-0 content-start gap-1.5">
            <h3 className="text-sm text-muted">What it was given</h3>
            <Json value={run.input ?? null} label="Input" />
          </div>
          <div className="grid min-w-0 content-start gap-1.5">
            <h3 className="text-sm text-muted">What came out</h3>
            {run.summary !== undefined && (
              <p className="text-sm">
                <VisibleText text={run.summary} />
              </p>
            )}
            {run.output === undefined || run.output === null ? (
              <p className="text-sm text-muted">{run.finishedAt === null ? 'Nothing yet.' : 'Nothing.'}</p>
            ) : (
              <Json value={run.output} label="Output" />
            )}
          </div>
        </div>
      </Section>
    </>
  );
};

export const RunPage = () => {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const query = useLiveRun(id);
  const run = query.data;
  const title = useTitle(run);
  return (
    <Page
      title={title}
      about={
        run === undefined ? undefined : (
          <span role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <StateBadge state={run.status} />
            {run.cancelling === true && <span>being cancelled: it stops before its next write</span>}
            <span>
              started <Time at={run.createdAt} />
            </span>
            {run.finishedAt !== null && (
              <span>took {duration(Date.parse(run.finishedAt) - Date.parse(run.createdAt))}</span>
            )}
          </span>
        )
      }
      actions={
        <>
          <Link to="/runs" className="button button-quiet max-sm:hidden">
            <ArrowLeft aria-hidden="true" className="size-4" />
            All runs
          </Link>
          {run !== undefined && <RunActions run={run} />}
        </>
      }
    >
      <Shown of={query} loading="Looking at the run">
        {(found) => <Body run={found} />}
      </Shown>
    </Page>
  );
};
