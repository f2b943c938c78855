import { useState } from 'react';
import type { Approval, SwitchboardError } from '../../../../client/src/index.ts';
import { useWrite } from '../../data/use-write.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';

/** Refuses, with words that the agent receives. */
export const RejectDialog = (props: {
  id: string;
  open: boolean;
  onClose: () => void;
  onRejected: (approval: Approval) => void;
  onRefused: (error: SwitchboardError) => void;
}) => {
  const { id, open, onClose, onRejected, onRefused } = props;
  const [reason, setReason] = useState('');
  const reject = useWrite('POST /v1/approvals/{id}/reject', { quiet: true });
  const refuse = () =>
    reject.mutate(
      { params: { id }, body: reason.trim() === '' ? {} : { reason: reason.trim() } },
      { onSuccess: onRejected, onError: (error) => error.status === 409 && onRefused(error) },
    );
  return (
    <Dialog title="Reject" open={open} onClose={onClose}>
      <div className="grid gap-4">
        <Field label="Reason" optional hint="The agent receives it, and can do better next time. Nothing is sent.">
          <textarea
            className="field min-h-28 py-2"
            maxLength={1_000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
        {reject.error !== null && reject.error.status !== 409 && <Problem error={reject.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <button type="button" className="button button-quiet" onClick={onClose}>
            Back
          </button>
          <button type="button" className="button button-bad" disabled={reject.isPending} onClick={refuse}>
            Reject
          </button>
        </div>
      </div>
    </Dialog>
  );
};
