import { Link } from '@tanstack/react-router';
import type { ApprovalSummary, WaitingCall, WaitingRun } from '../../../../client/src/index.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Json } from '../../ui/code.tsx';
import { DryRunView } from './dry-run-view.tsx';
import type { Outcome } from './try-memory.ts';

const RunLink = ({ id }: { id: string }) => (
  <Link to={`/runs/${id}`} className="link text-sm">
    Open the run
  </Link>
);

const Headline = ({ account, headline }: Pick<ApprovalSummary, 'account' | 'headline'>) => (
  <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm">
    <dt className="text-muted">As</dt>
    <dd className="untrusted">{account.name}</dd>
    {headline.to.length > 0 && (
      <>
        <dt className="text-muted">To</dt>
        <dd className="untrusted">{headline.to.map(({ address }) => address).join(', ')}</dd>
      </>
    )}
    {headline.subject !== undefined && (
      <>
        <dt className="text-muted">Subject</dt>
        <dd className="untrusted">{headline.subject}</dd>
      </>
    )}
  </dl>
);

const Waiting = ({ approval, runId }: WaitingRun | WaitingCall) => (
  <div className="grid justify-items-start gap-3">
    <StateBadge state="waiting_approval" />
    <p className="text-sm">A person must decide before this is sent. The run goes on by itself afterwards.</p>
    {'headline' in approval && <Headline {...approval} />}
    <div className="flex flex-wrap items-center gap-4">
      <Link to={`/approvals/${approval.id}`} className="button button-main">
        Look and decide
      </Link>
      <RunLink id={runId} />
    </div>
  </div>
);

const advice: Record<string, string> = {
  invalid_input: 'Correct what is named above, then try again.',
  reconnect_needed: 'Connect the account again, then try again.',
  forbidden: 'This account or person lacks the permission.',
  upstream_rejected: "The service refused it for the reason above. Correct the step's fields.",
  upstream_unavailable: 'The service is away. Try again in a while.',
  rate_limited: 'Too many requests for now. Wait a moment, then try again.',
  outcome_unknown: 'It may have happened. Look at the run and at the service before trying again.',
  approval_denied: 'A person rejected it.',
  unavailable: 'Work is stopped or the storage is away. Try again later.',
};

/** What may have happened all the same. */
const unsure = new Set(['unreachable', 'outcome_unknown']);

const Failed = ({ error, runId }: Extract<Outcome, { status: 'failed' }>) => {
  return (
    <div role="alert" className="grid justify-items-start gap-2">
      <StateBadge state={unsure.has(error.code) ? 'unknown' : 'failed'} />
      <p className="untrusted text-sm text-bad">{error.message}</p>
      {advice[error.code] !== undefined && <p className="text-sm text-muted">{advice[error.code]}</p>}
      <div className="flex flex-wrap gap-4">
        {error.code === 'reconnect_needed' && (
          <Link to="/integrations" className="link text-sm">
            To the integrations
          </Link>
        )}
        {runId !== undefined && <RunLink id={runId} />}
        {error.requestId !== undefined && <span className="text-xs text-muted">Reference: {error.requestId}</span>}
      </div>
    </div>
  );
};

/** What came of a try. */
export const TryOutcome = ({ outcome }: { outcome: Outcome }) => {
  switch (outcome.status) {
    case 'dry_run':
      return <DryRunView steps={outcome.steps} />;
    case 'waiting_approval':
      return <Waiting {...outcome} />;
    case 'failed':
      return <Failed {...outcome} />;
    case 'succeeded':
      return (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
          <div className="flex flex-wrap items-center justify-between gap-3">
            <StateBadge state="succeeded" />
            <RunLink id={outcome.runId} />
          </div>
          {outcome.warnings.map((warning) => (
            <p key={warning} className="untrusted text-sm text-warn">
              {warning}
            </p>
          ))}
          <Json value={outcome.output ?? null} label="What it answered" />
        </div>
      );
  }
};
