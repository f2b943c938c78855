import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Run } from '../../../../client/src/index.ts';
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

const sumOf = (journal: Run['journal'], name: string): number =>
  journal.reduce((sum, { data }) => sum + (typeof data[name] === 'number' ? data[name] : 0), 0);

/** Who and what started it, and what it used. */
export const RunFacts = ({ run }: { run: Run }) => {
  const { agentId, agentVersion, toolId, toolVersion, stepId, triggerId, eventId, retryOf, startedBy, journal } = run;
  const turns = journal.filter(({ kind }) => kind === 'turn');
  return (
    <aside aria-label="About this run" className="card grid gap-4 p-4 sm:p-5">
      <dl className="grid gap-3 sm:grid-cols-2 xl:grid-cols-1">
        <Row label="Started by">
          {triggerId === undefined ? (
            <VisibleText text={whoOf(startedBy)} />
          ) : (
            <NamedLink kind="triggers" id={triggerId} />
          )}
        </Row>
        {eventId !== undefined && (
          <Row label="Event">
            <Link to="/events/$id" params={{ id: eventId }} className="link">
              {run.about === undefined ? 'What happened' : <VisibleText text={run.about} />}
            </Link>
          </Row>
        )}
        {agentId !== undefined && (
          <Row label="Agent">
            <NamedLink kind="agents" id={agentId} /> <span className="text-muted">as of version {agentVersion}</span>
          </Row>
        )}
        {toolId !== undefined && (
          <Row label="Tool">
            <NamedLink kind="tools" id={toolId} /> <span className="text-muted">as of version {toolVersion}</span>
          </Row>
        )}
        {stepId !== undefined && (
          <Row label="Step">
            <StepName id={stepId} />
          </Row>
        )}
        {run.account !== undefined && (
          <Row label="Account">
            <VisibleText text={run.account.name} />
          </Row>
        )}
        {retryOf !== undefined && (
          <Row label="Tries again">
            <Link to="/runs/$id" params={{ id: retryOf }} className="link">
              An earlier run
            </Link>
          </Row>
        )}
        <Row label="Started">
          <Time at={run.createdAt} exact />
        </Row>
        {run.finishedAt !== null && (
          <Row label="Ended">
            <Time at={run.finishedAt} exact />
          </Row>
        )}
        {turns.length > 0 && (
          <Row label="Model">
            {turns.length === 1 ? '1 turn' : `${turns.length} turns`},{' '}
            {sumOf(turns, 'inputTokens').toLocaleString('en')} tokens in,{' '}
            {sumOf(turns, 'outputTokens').toLocaleString('en')} out
          </Row>
        )}
        <Row label="Id">
          <span className="font-mono text-xs">{run.id}</span>
        </Row>
      </dl>
    </aside>
  );
};
