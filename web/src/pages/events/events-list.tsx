import { Link, useNavigate } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import type { EventSummary } from '../../../../client/src/index.ts';
import { momentsOf } from '../../data/days.ts';
import { useFilters } from '../../data/use-filters.ts';
import { useNames } from '../../data/use-names.ts';
import { useList } from '../../data/use-read.ts';
import { Badge, StateBadge } from '../../ui/badge.tsx';
import { Day } from '../../ui/day.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { Listed } from '../../ui/listed.tsx';
import { Narrow } from '../../ui/narrow.tsx';
import { Page } from '../../ui/page.tsx';
import { asQuery, Search } from '../../ui/search.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { deliveryWords, GivenUp, OutcomeWords } from './outcome.tsx';

const outcomes = [
  ['fired', 'Fired'],
  ['filtered', 'Filtered'],
  ['skipped', 'Skipped'],
  ['failed', 'Failed'],
  ['dead', 'Given up'],
] as const;

/** Of a mail, of what happened on a board, or of a mail program: nothing that people would write. */
const isId = (text: string): boolean => /^(?:[0-9a-f]{24}|<\S+>|[\w=+/-]{41,})$/i.test(text);

/** What was given up is a part of what failed. */
const asked = (values: { outcome?: string; triggerId?: string; query?: string; from?: string; to?: string }) => {
  const { outcome, query = '', triggerId } = values;
  return {
    triggerId,
    ...(outcome === 'dead' ? { retry: 'dead' } : { outcome }),
    ...momentsOf(values),
    ...(isId(query) ? { upstreamId: query } : asQuery(query)),
  };
};

const Row = ({ event, trigger }: { event: EventSummary; trigger: string | undefined }) => (
  <li className="row-lazy relative grid gap-x-6 gap-y-1.5 px-4 py-3 hover:bg-hover sm:grid-cols-[minmax(0,1fr)_fit-content(45%)] sm:items-center">
    <span className="grid min-w-0 gap-0.5">
      <Link
        to="/events/$id"
        params={{ id: event.id }}
        className="line-clamp-2 font-medium after:absolute after:inset-0"
      >
        <VisibleText text={event.summary.slice(0, 300)} />
      </Link>
      <span className="text-xs text-muted">
        <OutcomeWords event={event} />
        {event.runId !== undefined && (
          <>
            {' '}
            <Link to="/runs/$id" params={{ id: event.runId }} className="link relative z-10">
              See the run
            </Link>
          </>
        )}
      </span>
    </span>
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted sm:justify-end">
      <span>
        <VisibleText text={trigger ?? 'a trigger'} /> · <Time at={event.occurredAt} />
      </span>
      {(event.delivery === 'test' || event.delivery === 'replay') && <Badge>{deliveryWords[event.delivery]}</Badge>}
      <GivenUp event={event} />
      <StateBadge state={event.outcome} />
    </span>
  </li>
);

const missed = 'If you miss a mail or a card here, no trigger watches where it is; the page of the trigger says why.';

const NoEvent = ({ any, query = '', isOver }: { any: boolean; query: string | undefined; isOver: boolean }) => {
  if (isId(query))
    return (
      <Empty icon={Activity} title="No event has this id">
        <p>
          A mail has the id here that Switchboard tells of it, not the Message-ID of a mail program. What happened to a
          card has the id of the action, not of the card. With the right id, too, nothing is found where no trigger
          watches.
        </p>
      </Empty>
    );
  if (query !== '')
    return (
      <Empty icon={Activity} title={isOver ? 'No event tells of this' : 'Looking through older events …'}>
        <p>Each word is looked for in the subject or the card, and in who it was; not in what a mail says. {missed}</p>
      </Empty>
    );
  if (!isOver)
    return (
      <Empty icon={Activity} title="Looking through older events …">
        <p>An event stands where it was received, which may be later than it happened.</p>
      </Empty>
    );
  return (
    <Empty icon={Activity} title={any ? 'No event is like that' : 'Nothing has happened yet'}>
      <p>{any ? missed : 'What your triggers watch for appears here within seconds, fired or not, with the reason.'}</p>
    </Empty>
  );
};

export const EventsPage = () => {
  const { values, set, clear, any, chosen } = useFilters(['triggerId', 'outcome', 'query', 'from', 'to']);
  const list = useList('GET /v1/events', { ...asked(values), limit: 50 });
  const { triggersOfAgents: triggers } = useNames();
  const navigate = useNavigate();
  const search = (text: string) => {
    if (text.startsWith('evt_')) void navigate({ to: '/events/$id', params: { id: text } });
    else set('query', text);
  };
  return (
    <Page title="Events" about="Every occurrence your triggers have seen, with what became of it.">
      <FilterBar
        any={any}
        chosen={chosen}
        clear={clear}
        find={
          <Search
            label="What happened to …"
            placeholder="subject, sender, card or id"
            maxLength={1_000}
            value={values.query}
            onSearch={search}
          />
        }
      >
        <Narrow
          label="Trigger"
          value={values.triggerId}
          choices={triggers}
          onChoose={(trigger) => set('triggerId', trigger)}
        />
        <Narrow
          label="Outcome"
          value={values.outcome}
          choices={outcomes}
          onChoose={(outcome) => set('outcome', outcome)}
        />
        <Day label="From" value={values.from} onChoose={(day) => set('from', day, 'place')} />
        <Day label="To" value={values.to} onChoose={(day) => set('to', day, 'place')} />
      </FilterBar>
      <Listed
        of={list}
        loading="Looking for events"
        empty={<NoEvent any={any} query={values.query} isOver={!list.hasNextPage} />}
      >
        <ul aria-label="Events" className="card divide-y divide-line overflow-hidden">
          {list.items.map((event) => (
            <Row key={event.id} event={event} trigger={triggers.get(event.triggerId)} />
          ))}
        </ul>
      </Listed>
    </Page>
  );
};
