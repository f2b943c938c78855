import { Check, CircleAlert, type LucideIcon, PenLine, X } from 'lucide-react';
import { type Ref, useEffect, useRef, useState } from 'react';
import type { Approval, SwitchboardError } from '../../../../client/src/index.ts';
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
  'sticky bottom-[calc(--spacing(14)+env(safe-area-inset-bottom))] z-20 -mx-4 -mb-6 border-t border-line bg-raised px-4 py-3 sm:-mx-8 sm:-mb-8 sm:px-8 lg:bottom-4 lg:mx-0 lg:mb-0 lg:rounded-xl lg:border lg:px-4 lg:shadow-lg cramped:static';

const looks = {
  Reject: { icon: X, className: 'button-bad flex-1' },
  Edit: { icon: PenLine, className: 'button-quiet flex-1' },
  Approve: { icon: Check, className: 'button-main flex-[2] lg:px-8' },
} satisfies Record<string, { icon: LucideIcon; className: string }>;

const Choice = (props: {
  word: keyof typeof looks;
  busy?: boolean;
  disabled: boolean;
  onClick: () => void;
  ref?: Ref<HTMLButtonElement>;
}) => {
  const { word, busy = false, disabled, onClick, ref } = props;
  const { icon: Icon, className } = looks[word];
  return (
    <button
      ref={ref}
      type="button"
      className={`button min-h-12 max-[22.5rem]:px-2 lg:flex-none ${className}`}
      disabled={disabled}
      aria-busy={busy}
      onClick={onClick}
    >
      <Icon aria-hidden="true" className="size-4" />
      {busy ? 'Approving …' : word}
    </button>
  );
};

/** Why it could not be approved, where the eye is. The server decides once, so a second try does no harm. */
const Refusal = ({ error }: { error: SwitchboardError }) => (
  <p role="alert" className="flex gap-2 pb-3 text-sm text-bad [overflow-wrap:anywhere]">
    <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
    {error.status === 0
      ? 'Switchboard does not answer, so this is not approved as far as we know. Try again: it is sent once at most.'
      : error.message}
  </p>
);

/** The decision, within reach of a thumb. */
export const DecisionBar = (props: {
  approval: Approval;
  busy: boolean;
  refusal: SwitchboardError | undefined;
  /** From editing, with nothing changed. */
  isBack: boolean;
  onApprove: () => void;
  onEdit: () => void;
  onReject: () => void;
}) => {
  const { approval, busy, refusal, isBack, onApprove, onEdit, onReject } = props;
  const { may, member, workspace } = useSession();
  const awake = useAwake(approval.digest);
  const people = inShort(approval.view);
  const edit = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isBack) edit.current?.focus();
  }, [isBack]);
  if (!may('approver')) {
    return (
      <p className={`${place} text-sm text-muted`}>
        You can look, but not decide: your role is {member.role}. Approvers, builders and owners decide.
      </p>
    );
  }
  return (
    <div role="group" aria-label="Decision" className={place}>
      {workspace.stopped && (
        <p className="pb-2 text-xs text-muted">
          Emergency stop: an approval is kept, and carried out when work goes on.
        </p>
      )}
      {refusal !== undefined && <Refusal error={refusal} />}
      <div className="flex items-center gap-2 max-lg:flex-wrap lg:justify-end">
        <p className="mr-auto line-clamp-2 min-w-0 text-sm text-muted max-lg:hidden">
          {people !== '' && (
            <>
              To <VisibleText text={people} />
            </>
          )}
        </p>
        <Choice word="Reject" disabled={busy} onClick={onReject} />
        {approval.effect === 'send' && <Choice ref={edit} word="Edit" disabled={busy} onClick={onEdit} />}
        <Choice word="Approve" busy={busy} disabled={busy || !awake} onClick={onApprove} />
      </div>
    </div>
  );
};
