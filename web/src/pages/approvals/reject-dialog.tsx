import { TextQuote } from 'lucide-react';
import { useState } from 'react';
import type { Approval, SwitchboardError } from '../../../../client/src/index.ts';
import { useKept } from '../../data/use-kept.ts';
import { useWrite } from '../../data/use-write.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { Panel } from './verdict.tsx';

/** The reason somebody types. It outlives a session that ends, and so does the window in which it was being typed. */
export const useReason = (id: string) => {
  const {
    value: { text, isTyping } = { text: '', isTyping: false },
    keep,
    forget,
  } = useKept<{
    text: string;
    isTyping: boolean;
  }>(`reason ${id}`);
  const [open, setOpen] = useState(isTyping);
  return {
    text,
    open,
    type: (typed: string) => keep({ text: typed, isTyping: true }),
    show: (shown: boolean) => {
      setOpen(shown);
      keep({ text, isTyping: shown && text !== '' });
    },
    forget: () => {
      setOpen(false);
      forget();
    },
  };
};

type Reason = ReturnType<typeof useReason>;

/** Refuses, with words that the agent receives. */
export const RejectDialog = (props: {
  id: string;
  reason: Reason;
  /** It still waits. What was decided elsewhere is told by the page, which this window would hide. */
  isPending: boolean;
  /** It is another than the one that is shown below the window. */
  isChanged: boolean;
  onRejected: (approval: Approval) => void;
  onRefused: (error: SwitchboardError) => void;
}) => {
  const { id, reason, isPending, isChanged, onRejected, onRefused } = props;
  const reject = useWrite('POST /v1/approvals/{id}/reject', { quiet: true });
  const close = () => reason.open && reason.show(false);
  const refuse = () => {
    const text = reason.text.trim();
    reject.mutate(
      { params: { id }, body: text === '' ? {} : { reason: text } },
      { onSuccess: onRejected, onError: (error) => error.status === 409 && onRefused(error) },
    );
  };
  return (
    <Dialog title="Reject" open={reason.open && isPending} onClose={close} isLight>
      <div className="grid gap-4">
        <p role="status" className="rounded-lg bg-warn-soft p-3 text-sm text-warn empty:hidden">
          {isChanged && 'This was changed while you were writing. Go back to see it, or reject it as it is now.'}
        </p>
        <Field label="Reason" optional hint="The agent receives it, and can do better next time. Nothing is sent.">
          <textarea
            className="field min-h-28 py-2"
            dir="auto"
            maxLength={1_000}
            value={reason.text}
            onChange={(event) => reason.type(event.target.value)}
          />
        </Field>
        {reject.error !== null && reject.error.status !== 409 && <Problem error={reject.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <button type="button" className="button button-quiet" onClick={close}>
            Back
          </button>
          <button
            type="button"
            className="button button-bad"
            disabled={reject.isPending}
            aria-busy={reject.isPending}
            onClick={refuse}
          >
            {reject.isPending ? 'Rejecting …' : 'Reject'}
          </button>
        </div>
      </div>
    </Dialog>
  );
};

/** It was decided while this person was typing a reason: nobody gets it, but it can be copied. */
export const ReasonTooLate = ({ reason }: { reason: Reason }) =>
  reason.text.trim() === '' ? null : (
    <section aria-label="Your reason">
      <Panel tone="warn">
        <p className="flex items-center gap-2 text-base font-semibold text-warn">
          <TextQuote aria-hidden="true" className="size-5 shrink-0" />
          Your reason was not used
        </p>
        <p>It was decided before you rejected. Your words are still here, so that you can copy them.</p>
        <p className="max-h-48 overflow-y-auto rounded-lg bg-page p-2 whitespace-pre-wrap">
          <VisibleText text={reason.text} />
        </p>
        <button type="button" className="button button-quiet justify-self-start" onClick={reason.forget}>
          Throw it away
        </button>
      </Panel>
    </section>
  );
