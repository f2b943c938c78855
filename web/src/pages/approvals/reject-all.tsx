import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { inShort } from './people.tsx';
import { most, type NotRejected, useRejectAll } from './use-reject-all.ts';
import { useWhatWaits } from './use-what-waits.ts';

const ones = (count: number): string => (count === 1 ? '1 approval' : `${count.toLocaleString('en')} approvals`);

/** What could not be rejected, and why, each by itself. */
const Failures = ({ failures }: { failures: readonly NotRejected[] }) => {
  const whatWaits = useWhatWaits();
  return (
    <section className="grid gap-2 empty:hidden">
      <h3 className="text-sm font-medium">
        {failures.length === 1 ? 'This one was not rejected' : `These ${failures.length} were not rejected`}
      </h3>
      <ul aria-label="Not rejected" className="grid max-h-60 gap-2 overflow-y-auto text-sm">
        {failures.map(({ approval, message }) => (
          <li key={approval.id} className="rounded-lg bg-warn-soft p-2 text-warn [overflow-wrap:anywhere]">
            <Link to="/approvals/$id" params={{ id: approval.id }} className="link">
              <VisibleText text={whatWaits(approval)} />
            </Link>
            {inShort(approval.headline) !== '' && (
              <>
                {' to '}
                <VisibleText text={inShort(approval.headline)} />
              </>
            )}
            : <VisibleText text={message} />
          </li>
        ))}
      </ul>
    </section>
  );
};

/** Rejects all that is shown of one agent. What is approved must have been looked at, so there is no such thing for that. */
export const RejectAll = (props: {
  agent: string;
  query: object;
  /** There is more than one to reject. What has begun is shown to its end. */
  isOffered: boolean;
}) => {
  const { agent, query, isOffered } = props;
  const [open, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const { counted, left, failures, isBusy, problem, count, reject, stop } = useRejectAll();
  const among = Math.min(counted?.length ?? 0, most);
  const done = among - left.length - failures.length;
  const isMore = (counted?.length ?? 0) > most;
  const hasBegun = done > 0 || failures.length > 0;
  const close = () => {
    stop();
    setOpen(false);
  };
  return (
    <>
      {isOffered && (
        <button
          type="button"
          className="button button-quiet justify-self-start"
          onClick={() => {
            setOpen(true);
            void count(query);
          }}
        >
          <X aria-hidden="true" className="size-4" />
          Reject all of these …
        </button>
      )}
      <Dialog title="Reject all of these" open={open} onClose={close}>
        <div className="grid gap-4">
          <p role="status" className="text-sm empty:hidden">
            {counted === undefined && problem === undefined && 'Counting what waits …'}
            {counted?.length === 0 && 'Nothing of this waits any more.'}
            {hasBegun && !isBusy && `${done.toLocaleString('en')} of ${ones(among)} rejected.`}
            {isBusy && `${done.toLocaleString('en')} of ${ones(among)} rejected …`}
          </p>
          {isBusy && (
            <progress
              className="h-2 w-full accent-accent"
              aria-label="Rejected"
              max={among}
              value={among - left.length}
            />
          )}
          {among > 0 && !hasBegun && !isBusy && (
            <>
              <p className="text-sm text-muted">
                {isMore ? `The first ${ones(most)} of ` : `${ones(among)} of `}
                <VisibleText text={agent} /> {among === 1 ? 'is' : 'are'} rejected, as the list is narrowed now. None of
                them is sent, and none can be decided again. What is asked for from now on is not among them.
              </p>
              <Field label="Reason" optional hint="The agent receives it for each of them.">
                <textarea
                  className="field min-h-24 py-2"
                  dir="auto"
                  maxLength={1_000}
                  value={reason}
                  onChange={(event) => setReason(event.target.value)}
                />
              </Field>
            </>
          )}
          {failures.length > 0 && <Failures failures={failures} />}
          <Problem error={problem} />
          {problem !== undefined && left.length > 0 && (
            <p className="text-sm text-muted">It stopped there: {ones(left.length)} may still wait.</p>
          )}
          <div className="flex flex-wrap justify-end gap-2">
            {isBusy ? (
              <button type="button" className="button button-quiet" onClick={stop}>
                Stop
              </button>
            ) : (
              <button type="button" className="button button-quiet" onClick={close}>
                {hasBegun ? 'Close' : 'Keep as it is'}
              </button>
            )}
            {left.length > 0 && (
              <button
                type="button"
                className="button button-bad"
                disabled={isBusy}
                aria-busy={isBusy}
                onClick={() => void reject(reason.trim())}
              >
                {isBusy ? 'Rejecting …' : `Reject ${ones(left.length)}`}
              </button>
            )}
          </div>
        </div>
      </Dialog>
    </>
  );
};
