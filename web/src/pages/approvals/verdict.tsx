import { Link } from '@tanstack/react-router';
import { ArrowRight, CheckCheck, CircleSlash, Hourglass, PencilLine, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Approval } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useRead } from '../../data/use-read.ts';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { whoOf } from '../../ui/who-of.ts';
import { useEndOf } from './use-end-of.ts';
import { useQueue } from './use-queue.ts';
import { useWhatWaits } from './use-what-waits.ts';

export const Panel = ({ tone, children }: { tone: 'good' | 'warn' | 'plain'; children: ReactNode }) => {
  const tones = {
    good: 'border-good/40 bg-good-soft',
    warn: 'border-warn/40 bg-warn-soft',
    plain: 'border-line bg-sunken',
  };
  return <div className={`grid gap-3 rounded-xl border p-4 text-sm sm:p-5 ${tones[tone]}`}>{children}</div>;
};

/** Which decision comes next, of those that somebody goes through. */
const WayOn = ({ id }: { id: string }) => {
  const { narrowed, order } = useQueue();
  const { data } = useRead('GET /v1/approvals', { query: { status: 'pending', ...narrowed, ...order, limit: 3 } });
  const whatWaits = useWhatWaits();
  if (data === undefined) return null;
  const next = data.items.find((each) => each.id !== id);
  if (next === undefined) {
    return (
      <p className="flex flex-wrap items-center gap-3">
        <span className="text-muted">
          {Object.keys(narrowed).length === 0
            ? 'Nothing else waits for a decision.'
            : 'Nothing else of what you went through waits for a decision.'}
        </span>
        <Link to="/approvals" className="link">
          All approvals
        </Link>
      </p>
    );
  }
  return (
    <Link
      to="/approvals/$id"
      params={{ id: next.id }}
      search={{ ...narrowed, ...order }}
      className="button button-quiet max-w-full justify-self-start"
    >
      <span className="truncate">
        Next: <VisibleText text={whatWaits(next).slice(0, 80)} />
      </span>
      <ArrowRight aria-hidden="true" className="size-4 shrink-0" />
    </Link>
  );
};

const Outcome = ({ approval }: { approval: Approval }) => {
  const run = useEndOf(approval.runId);
  const { workspace } = useSession();
  const link = (
    <Link to="/runs/$id" params={{ id: approval.runId }} className="link">
      See the run
    </Link>
  );
  if (run === undefined) return null;
  if (run.status === 'failed' || run.status === 'cancelled') {
    return (
      <p className="text-bad">
        Its run did not succeed: <VisibleText text={run.error?.message ?? run.status} /> {link}
      </p>
    );
  }
  if (run.status === 'succeeded') return <p>It was carried out. {link}</p>;
  // The run takes note of a decision a moment after it was made.
  const asked = run.journal.findLast(({ kind }) => kind === 'waiting_approval')?.data['approvalId'];
  if (run.status === 'waiting_approval' && asked !== approval.id)
    return <p>Its run waits for another decision. {link}</p>;
  if (workspace.stopped) return <p>Emergency stop: it is carried out when work goes on. {link}</p>;
  return <p aria-busy="true">It is being carried out … {link}</p>;
};

/** How it ended, by whom, and the way on. */
export const Verdict = ({ approval, isOver }: { approval: Approval; isOver: boolean }) => {
  const { member } = useSession();
  const { status, decidedBy, decidedAt, reason } = approval;
  const who = decidedBy === null ? undefined : decidedBy.id === member.id ? 'you' : whoOf(decidedBy);
  const by = (
    <>
      {who !== undefined && (
        <>
          {' by '}
          <VisibleText text={who} />
        </>
      )}
      {decidedAt !== null && (
        <>
          , <Time at={decidedAt} />
        </>
      )}
    </>
  );
  if (status === 'approved') {
    return (
      <Panel tone="good">
        <p className="flex items-center gap-2 text-base font-semibold text-good">
          <CheckCheck aria-hidden="true" className="size-5 shrink-0" />
          <span>Approved{by}</span>
        </p>
        <Outcome approval={approval} />
        <WayOn id={approval.id} />
      </Panel>
    );
  }
  const isExpired = status === 'expired' || (status === 'pending' && isOver);
  const Icon = isExpired ? Hourglass : CircleSlash;
  return (
    <Panel tone="plain">
      <p className="flex items-center gap-2 text-base font-semibold">
        <Icon aria-hidden="true" className="size-5 shrink-0" />
        <span>
          {isExpired && 'Expired: nobody decided in time'}
          {status === 'rejected' && <>Rejected{by}</>}
          {status === 'void' && 'Void: there is nothing left to decide'}
        </span>
      </p>
      <p className="text-muted">
        {status === 'rejected' && 'Nothing is sent, and the agent is told.'}
        {status !== 'rejected' && 'Nothing is sent.'}
        {reason !== null && !isExpired && (
          <>
            {' '}
            {status === 'rejected' ? 'Reason: ' : ''}
            <VisibleText text={reason} />
          </>
        )}
      </p>
      <WayOn id={approval.id} />
    </Panel>
  );
};

/** Somebody changed it while it was looked at. */
export const Changed = ({ onShow }: { onShow: () => void }) => (
  <Panel tone="warn">
    <p className="flex items-center gap-2 text-base font-semibold text-warn">
      <RefreshCw aria-hidden="true" className="size-5 shrink-0" />
      This was changed while you looked at it
    </p>
    <p>What you see below is not what waits any more. Nothing was approved.</p>
    <button type="button" className="button button-main justify-self-start" onClick={onShow}>
      Show what it is now
    </button>
  </Panel>
);

/** Changed by the person at the screen. */
export const Edited = () => (
  <Panel tone="warn">
    <p className="flex items-center gap-2 font-medium text-warn">
      <PencilLine aria-hidden="true" className="size-4 shrink-0" />
      Changed, and not sent yet. Look at it once more, then decide.
    </p>
  </Panel>
);
