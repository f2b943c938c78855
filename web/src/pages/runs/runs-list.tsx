import { Link } from '@tanstack/react-router';
import { History } from 'lucide-react';
import type { RunSummary } from '../../../../client/src/index.ts';
import { momentsOf } from '../../data/days.ts';
import { useFilters } from '../../data/use-filters.ts';
import { useNames } from '../../data/use-names.ts';
import { useList } from '../../data/use-read.ts';
import { useStepTitle } from '../../data/use-steps.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Day } from '../../ui/day.tsx';
import { duration } from '../../ui/duration.ts';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { Listed } from '../../ui/listed.tsx';
import { Narrow } from '../../ui/narrow.tsx';
import { Page } from '../../ui/page.tsx';
import { asQuery, Search } from '../../ui/search.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { whoOf } from '../../ui/who-of.ts';
import { Waiting } from './waiting.tsx';
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
  const { id, status, stepId, startedBy, triggerId, about, createdAt, finishedAt, error, waiting } = run;
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
              text={triggerId === undefined ? whoOf(startedBy) : (names.triggers.get(triggerId) ?? 'a trigger')}
            />
            {about !== undefined && (
              <>
                : <VisibleText text={about} />
              </>
            )}
          </span>
          {waiting !== undefined && (
            <span className="text-xs text-warn">
              <Waiting waits={waiting} />
            </span>
          )}
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

const NoRun = ({ any, isSought, isOver }: { any: boolean; isSought: boolean; isOver: boolean }) => {
  if (!any)
    return (
      <Empty icon={History} title="Nothing has run yet">
        <p>A run appears here when a trigger starts an agent, or when you try a tool or a step.</p>
      </Empty>
    );
  return (
    <Empty icon={History} title={isOver ? 'No run is like that' : 'Looking through older runs …'}>
      <p>
        {isSought
          ? 'Each word is looked for in what ran, in who or what started it, and in why it failed; not in what it was given.'
          : 'Choose another status, agent or day.'}
      </p>
    </Empty>
  );
};

export const RunsPage = () => {
  const { values, set, clear, any, chosen } = useFilters(['status', 'agentId', 'toolId', 'query', 'from', 'to']);
  const { query, from, to, ...narrowed } = values;
  const asked = { ...narrowed, ...asQuery(query), ...momentsOf({ from, to }) };
  const list = useList('GET /v1/runs', { ...asked, limit: 50 });
  const names = { ...useNames(), stepTitle: useStepTitle() };
  return (
    <Page title="Runs" about="Every execution of an agent, a tool or a step, newest first.">
      <FilterBar
        any={any}
        chosen={chosen}
        clear={clear}
        find={
          <Search
            label="Find"
            placeholder="subject, sender, agent, tool"
            value={query}
            onSearch={(text) => set('query', text)}
          />
        }
      >
        <Narrow label="Status" value={values.status} choices={statuses} onChoose={(status) => set('status', status)} />
        <Narrow
          label="Agent"
          value={values.agentId}
          choices={names.agents}
          onChoose={(agent) => set('agentId', agent)}
        />
        <Day label="From" value={from} onChoose={(day) => set('from', day, 'place')} />
        <Day label="To" value={to} onChoose={(day) => set('to', day, 'place')} />
      </FilterBar>
      <Listed
        of={list}
        loading="Looking for runs"
        empty={<NoRun any={any} isSought={query !== undefined} isOver={!list.hasNextPage} />}
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
