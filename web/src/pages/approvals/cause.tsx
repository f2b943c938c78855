import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Approval } from '../../../../client/src/index.ts';
import { useRead } from '../../data/use-read.ts';
import { NamedLink } from '../../ui/named-link.tsx';
import { StepName } from '../../ui/step-name.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { whoOf } from '../../ui/who-of.ts';

const Row = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="grid gap-0.5">
    <dt className="text-xs text-muted">{label}</dt>
    <dd className="text-sm [overflow-wrap:anywhere]">{children}</dd>
  </div>
);

const EventName = ({ id }: { id: string }) => {
  const { data } = useRead('GET /v1/events/{id}', { params: { id } });
  return (
    <Link to="/events/$id" params={{ id }} className="link">
      <VisibleText text={data?.summary ?? 'The event'} />
    </Link>
  );
};

/** The last words of the model before it asked. They prove nothing. */
const AgentWords = ({ runId, approvalId }: { runId: string; approvalId: string }) => {
  const { data } = useRead('GET /v1/runs/{id}', { params: { id: runId } });
  const journal = data?.journal ?? [];
  const asked = journal.findIndex((entry) => entry.data['approvalId'] === approvalId);
  const said = journal
    .slice(0, asked < 0 ? undefined : asked)
    .findLast(({ kind, data: { text } }) => kind === 'turn' && text !== '');
  const text = said?.data['text'];
  if (typeof text !== 'string') return null;
  return (
    <details className="rounded-lg bg-sunken p-3 text-sm">
      <summary className="cursor-pointer text-muted">What the agent says about it</summary>
      <p className="pt-2 text-xs text-muted">Written by the model. Nobody checked it; decide by what would be sent.</p>
      <p className="pt-2">
        <VisibleText text={text} />
      </p>
    </details>
  );
};

/** What led to it, and why a person is asked. */
export const Cause = ({ approval }: { approval: Approval }) => {
  const { cause, runId, stepId, status, createdAt, expiresAt } = approval;
  const { startedBy, agentId, toolId, triggerId, eventId, why } = cause;
  return (
    <aside aria-label="What caused it" className="card grid gap-4 p-4 sm:p-5">
      <h2 className="text-base">What caused it</h2>
      <dl className="grid gap-3 sm:grid-cols-2 xl:grid-cols-1">
        {agentId !== undefined && (
          <Row label="Agent">
            <NamedLink kind="agents" id={agentId} />
          </Row>
        )}
        {toolId !== undefined && (
          <Row label="Tool">
            <NamedLink kind="tools" id={toolId} />
          </Row>
        )}
        {triggerId === undefined ? (
          <Row label="Started by">
            <VisibleText text={whoOf(startedBy)} />
          </Row>
        ) : (
          <Row label="Started by">
            <NamedLink kind="triggers" id={triggerId} />
          </Row>
        )}
        {eventId !== undefined && (
          <Row label="Event">
            <EventName id={eventId} />
          </Row>
        )}
        <Row label="Step">
          <StepName id={stepId} />
        </Row>
        <Row label="Run">
          <Link to="/runs/$id" params={{ id: runId }} className="link">
            Every step of it
          </Link>
        </Row>
        <Row label="Asked">
          <Time at={createdAt} exact />
        </Row>
        {status === 'pending' && (
          <Row label="Expires">
            <Time at={expiresAt} exact />
          </Row>
        )}
        <Row label="Why it asks">
          {why === undefined ? (
            'Whatever sends asks first, unless step and agent are on autopilot.'
          ) : (
            <VisibleText text={why} />
          )}
        </Row>
      </dl>
      <AgentWords runId={runId} approvalId={approval.id} />
    </aside>
  );
};
