import { useNavigate } from '@tanstack/react-router';
import { Ban, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import type { Run, SwitchboardError } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useWrite } from '../../data/use-write.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Replay } from '../events/replay.tsx';

type Doubles = { method: string; path: string }[];
const touches = ['runs', 'approvals', 'events', 'overview'];

/** Says what would be done twice, and does it only when told so. */
const Doubts = (props: { refusal: SwitchboardError; busy: boolean; onClose: () => void; onAgain: () => void }) => {
  const { refusal, busy, onClose, onAgain } = props;
  const isUnknown = refusal.code === 'outcome_unknown';
  const writes = (refusal.details?.[isUnknown ? 'unknown' : 'done'] ?? []) as Doubles;
  return (
    <div className="grid gap-4 text-sm">
      <p>
        {isUnknown
          ? 'It is not known whether this has happened. Look at the service first: trying again may do it twice.'
          : 'This was done outside, by this run or by another that tries the same. Trying again does it once more.'}
      </p>
      <ul className="grid gap-1 rounded-lg bg-sunken p-3 font-mono text-xs">
        {writes.map(({ method, path }, at) => (
          <li key={at} className="untrusted">
            {method} {path}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap justify-end gap-2">
        <button type="button" className="button button-quiet" onClick={onClose}>
          Keep as it is
        </button>
        <button type="button" className="button button-bad" disabled={busy} onClick={onAgain}>
          Try again all the same
        </button>
      </div>
    </div>
  );
};

const Retry = ({ run }: { run: Run }) => {
  const navigate = useNavigate();
  const [allowed, setAllowed] = useState<{ evenIfUnknown?: true; evenIfDone?: true }>({});
  const [refusal, setRefusal] = useState<SwitchboardError>();
  const retry = useWrite('POST /v1/runs/{id}/retry', { refresh: touches, quiet: true });
  const again = (body: typeof allowed) => {
    setAllowed(body);
    retry.mutate(
      { params: { id: run.id }, body },
      {
        onSuccess: ({ runId }) => {
          setRefusal(undefined);
          void navigate({ to: '/runs/$id', params: { id: runId } });
        },
        onError: setRefusal,
      },
    );
  };
  const doubted = refusal?.details?.['unknown'] !== undefined || refusal?.details?.['done'] !== undefined;
  const close = () => {
    setRefusal(undefined);
    setAllowed({});
  };
  return (
    <>
      <button type="button" className="button button-quiet" disabled={retry.isPending} onClick={() => again({})}>
        <RotateCcw aria-hidden="true" className="size-4" />
        Try again
      </button>
      <Dialog title="Try this run again?" open={refusal !== undefined} onClose={close}>
        {refusal !== undefined && doubted && (
          <Doubts
            refusal={refusal}
            busy={retry.isPending}
            onClose={close}
            onAgain={() =>
              again({
                ...allowed,
                ...(refusal.code === 'outcome_unknown' ? { evenIfUnknown: true } : { evenIfDone: true }),
              })
            }
          />
        )}
        {refusal !== undefined && !doubted && (
          <div className="grid gap-4 text-sm">
            <p role="alert">{refusal.message}</p>
            <button type="button" className="button button-quiet justify-self-end" onClick={close}>
              Close
            </button>
          </div>
        )}
      </Dialog>
    </>
  );
};

/** What can be done about a run. */
export const RunActions = ({ run }: { run: Run }) => {
  const { may } = useSession();
  const cancel = useWrite('POST /v1/runs/{id}/cancel', { refresh: touches });
  if (!may('builder')) return null;
  const isOpen = run.finishedAt === null;
  return (
    <>
      {run.eventId !== undefined && <Replay id={run.eventId} before="fired" />}
      {isOpen && run.cancelling !== true && (
        <Confirm
          title="Cancel this run?"
          action="Cancel the run"
          className="button button-bad"
          trigger={
            <>
              <Ban aria-hidden="true" className="size-4" />
              Cancel
            </>
          }
          onConfirm={() => cancel.mutateAsync({ params: { id: run.id } })}
        >
          <p>It stops before its next write or turn of a model, and what it asks approval for becomes void.</p>
          <p>What it has already done stays done.</p>
        </Confirm>
      )}
      {(run.status === 'failed' || run.status === 'cancelled') && <Retry run={run} />}
    </>
  );
};
