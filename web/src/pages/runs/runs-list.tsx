import { Link } from '@tanstack/react-router';
import { History } from 'lucide-react';
import type { RunSummary } from '../../../../client/src/index.ts';
import { useFilters } from '../../data/use-filters.ts';
import { useNames } from '../../data/use-names.ts';
import { useList } from '../../data/use-read.ts';
import { useStepTitle } from '../../data/use-steps.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { Listed } from '../../ui/listed.tsx';
import { Narrow } from '../../ui/narrow.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { duration, Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { whatRan } from './what-ran.ts';

const statuses: [RunSummary['status'], string][] = [
  ['queued', 'Queued'],
  ['running', 'Running'],
  ['waiting_approval', 'Waiting for approval'],
  ['succeeded', 'Succeeded'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled'],
];

type Names = ReturnType<typeof useNames> & Parameters<typeof whatRan>[1];

const Row = ({ run, names }: { run: RunSummary; names: Names }) => {
  const { id, status, stepId, startedBy, triggerId, about, createdAt, finishedAt, error } = run;
  return (
    <li className="row-lazy">
      <Link
        to="/runs/$id"
        params={{ id }}
        className="grid gap-x-6 gap-y-1.5 px-4 py-3 hover:bg-hover sm:grid-cols-[minmax(0,1fr)_auto] sm:items-center"
      >
        <span className="grid min-w-0 gap-0.5">
          <span className="font-medium">
            <VisibleText text={whatRan(run, names)} />
            {stepId !== undefined && <span className="ml-2 font-mono text-xs font-normal text-muted">{stepId}</span>}
          </span>
          <span className="line-clamp-2 text-xs text-muted">
            started by{' '}
            <VisibleText
              text={triggerId === undefined ? startedBy.name : (names.triggers.get(triggerId) ?? 'a trigger')}
            />
            {about !== undefined && (
              <>
                : <VisibleText text={about} />
              </>
            )}
          </span>
          {error !== null && (
            <span className="line-clamp-2 text-xs text-bad">
              <VisibleText text={error.message.slice(0, 300)} />
            </span>
          )}
        </span>
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted sm:justify-end">
          <span>
            <Time at={createdAt} />
            {finishedAt !== null && ` · ${duration(Date.parse(finishedAt) - Date.parse(createdAt))}`}
          </span>
          <StateBadge state={status} />
        </span>
      </Link>
    </li>
  );
};

export const RunsPage = () => {
  const { values, set, clear, any } = useFilters(['status', 'agentId', 'toolId']);
  const list = useList('GET /v1/runs', { ...values, limit: 50 });
  const names = { ...useNames(), stepTitle: useStepTitle() };
  return (
    <Page title="Runs" about="Every execution of an agent, a tool or a step, newest first.">
      <FilterBar any={any} clear={clear}>
        <Narrow label="Status" value={values.status} choices={statuses} onChoose={(status) => set('status', status)} />
        <Narrow
          label="Agent"
          value={values.agentId}
          choices={names.agents}
          onChoose={(agent) => set('agentId', agent)}
        />
      </FilterBar>
      <Listed
        of={list}
        loading="Looking for runs"
        empty={
          <Empty icon={History} title={any ? 'No run is like that' : 'Nothing has run yet'}>
            <p>
              {any
                ? 'Choose another status or agent.'
                : 'A run appears here when a trigger starts an agent, or when you try a tool or a step.'}
            </p>
          </Empty>
        }
      >
        <ul aria-label="Runs" className="card divide-y divide-line overflow-hidden">
          {list.items.map((run) => (
            <Row key={run.id} run={run} names={names} />
          ))}
        </ul>
      </Listed>
    </Page>
  );
};
