import { Link, useParams } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Event } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useRead } from '../../data/use-read.ts';
import { Badge, StateBadge } from '../../ui/badge.tsx';
import { CopyButton, Json } from '../../ui/code.tsx';
import { NamedLink } from '../../ui/named-link.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Shown } from '../../ui/shown.tsx';
import { Time } from '../../ui/time.tsx';
import { Told } from '../../ui/told.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { deliveryWords, GivenUp, OutcomeWords } from './outcome.tsx';
import { type Before, Replay } from './replay.tsx';

const Row = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="grid gap-x-4 gap-y-0.5 sm:grid-cols-[9rem_minmax(0,1fr)]">
    <dt className="text-sm text-muted">{label}</dt>
    <dd className="text-sm [overflow-wrap:anywhere]">{children}</dd>
  </div>
);

const Content = ({ data }: { data: unknown }) => {
  const [isUnfolded, setUnfolded] = useState(false);
  return (
    <div className="card grid gap-4 p-4 sm:p-5">
      <Told value={data} />
      <details onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}>
        <summary className="min-h-8 cursor-pointer py-1 text-sm text-muted">All of it, as JSON</summary>
        {isUnfolded && <Json value={data} label="The event as JSON" />}
      </details>
    </div>
  );
};

/** Of what was not admitted no content is kept. */
const beforeReplay = ({ outcome, data }: Event): Before => {
  if (outcome === 'fired') return 'fired';
  return data === undefined ? 'notStarted' : 'heldBack';
};

const Body = ({ event }: { event: Event }) => {
  const { triggerId, upstreamId, occurredAt, receivedAt, delivery, actor, runId, data } = event;
  return (
    <>
      <dl className="card grid gap-3 p-4 sm:p-5">
        <Row label="Outcome">
          <OutcomeWords event={event} />
          {runId !== undefined && (
            <>
              {' '}
              <Link to="/runs/$id" params={{ id: runId }} className="link">
                See the run
              </Link>
            </>
          )}
        </Row>
        <Row label="Trigger">
          <NamedLink kind="triggers" id={triggerId} />
        </Row>
        {actor !== undefined && (
          <Row label="By">
            <VisibleText text={actor.name === actor.id ? actor.id : `${actor.name} (${actor.id})`} />
            {actor.isSelf && <span className="text-muted"> the account itself</span>}
          </Row>
        )}
        <Row label="Happened">
          <Time at={occurredAt} exact />
        </Row>
        <Row label="Received">
          <Time at={receivedAt} exact />, {deliveryWords[delivery]}
        </Row>
        <Row label="Id at the service">
          <span className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 font-mono text-xs">
              <VisibleText text={upstreamId} />
            </span>
            <CopyButton text={upstreamId} what="the id at the service" />
          </span>
        </Row>
      </dl>
      <Section
        title="What the agent is told"
        about="As it came from the service. It is shown as text and does nothing."
      >
        {data === undefined ? (
          <p className="card p-4 text-sm text-muted">The content is not kept for this event.</p>
        ) : (
          <Content data={data} />
        )}
      </Section>
    </>
  );
};

export const EventPage = () => {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const query = useRead('GET /v1/events/{id}', { params: { id } });
  const { may } = useSession();
  const event = query.data;
  return (
    <Page
      title="Event"
      which={event?.summary}
      about={
        event === undefined ? undefined : (
          <span className="grid gap-2">
            <span className="text-base text-ink">
              <VisibleText text={event.summary} />
            </span>
            <span className="flex flex-wrap items-center gap-2">
              <StateBadge state={event.outcome} />
              <GivenUp event={event} />
              {event.delivery !== 'live' && <Badge>{deliveryWords[event.delivery]}</Badge>}
            </span>
          </span>
        )
      }
      actions={
        <>
          <Link to="/events" className="button button-quiet max-sm:hidden">
            <ArrowLeft aria-hidden="true" className="size-4" />
            All events
          </Link>
          {event !== undefined && may('builder') && <Replay id={event.id} before={beforeReplay(event)} />}
        </>
      }
    >
      <Shown of={query} loading="Looking at the event">
        {(found) => <Body event={found} />}
      </Shown>
    </Page>
  );
};
