import { Check, PenLine, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Approval } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { inShort } from './people.tsx';

const wakesMs = 500;

/** False for a moment after something new is shown, so that a second tap cannot fall on it. */
const useAwake = (what: string): boolean => {
  const [awake, setAwake] = useState(false);
  useEffect(() => {
    setAwake(false);
    const timer = setTimeout(() => setAwake(true), wakesMs);
    return () => clearTimeout(timer);
  }, [what]);
  return awake;
};

const place =
  'fixed inset-x-0 bottom-[calc(3.5rem+env(safe-area-inset-bottom))] z-20 border-t border-line bg-raised px-4 py-3 lg:sticky lg:bottom-4 lg:rounded-xl lg:border lg:shadow-lg';

/** The decision, within reach of a thumb. */
export const DecisionBar = (props: {
  approval: Approval;
  busy: boolean;
  onApprove: () => void;
  onEdit: () => void;
  onReject: () => void;
}) => {
  const { approval, busy, onApprove, onEdit, onReject } = props;
  const { may, member, workspace } = useSession();
  const awake = useAwake(approval.digest);
  const people = inShort(approval.view);
  if (!may('approver')) {
    return (
      <>
        <div aria-hidden="true" className="h-24 lg:hidden" />
        <p className={`${place} text-sm text-muted`}>
          You can look, but not decide: your role is {member.role}. Approvers, builders and owners decide.
        </p>
      </>
    );
  }
  return (
    <>
      {/* What the bar would cover on a phone. */}
      <div aria-hidden="true" className="h-24 lg:hidden" />
      <div role="group" aria-label="Decision" className={place}>
        {workspace.stopped && (
          <p className="pb-2 text-xs text-muted">
            Emergency stop: an approval is kept, and carried out when work goes on.
          </p>
        )}
        <div className="flex items-center gap-2 lg:justify-end">
          <p className="mr-auto line-clamp-2 min-w-0 text-sm text-muted max-lg:hidden">
            {people !== '' && (
              <>
                To <VisibleText text={people} />
              </>
            )}
          </p>
          <button
            type="button"
            className="button button-bad min-h-12 flex-1 lg:flex-none"
            disabled={busy}
            onClick={onReject}
          >
            <X aria-hidden="true" className="size-4" />
            Reject
          </button>
          {approval.effect === 'send' && (
            <button
              type="button"
              className="button button-quiet min-h-12 flex-1 lg:flex-none"
              disabled={busy}
              onClick={onEdit}
            >
              <PenLine aria-hidden="true" className="size-4" />
              Edit
            </button>
          )}
          <button
            type="button"
            className="button button-main min-h-12 flex-[2] lg:flex-none lg:px-8"
            disabled={busy || !awake}
            aria-busy={busy}
            onClick={onApprove}
          >
            <Check aria-hidden="true" className="size-4" />
            {busy ? 'Approving …' : 'Approve'}
          </button>
        </div>
      </div>
    </>
  );
};
