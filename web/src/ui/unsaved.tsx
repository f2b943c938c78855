import { useBlocker } from '@tanstack/react-router';
import { Dialog } from './dialog.tsx';

type Move = { current: { pathname: string }; next: { pathname: string } };

/** Asks before changes are lost, whatever leads away. `mayLeave`: none are, by this move or by the end of the window. */
export const Unsaved = ({
  isChanged,
  mayLeave = () => false,
  onLeave,
}: {
  isChanged: boolean;
  mayLeave?: (move?: Move) => boolean;
  onLeave?: () => void;
}) => {
  const blocker = useBlocker({
    shouldBlockFn: (move) => isChanged && !mayLeave(move),
    enableBeforeUnload: () => isChanged && !mayLeave(),
    withResolver: true,
  });
  const isAsked = blocker.status === 'blocked';
  return (
    <Dialog title="Leave without saving?" open={isAsked} onClose={() => isAsked && blocker.reset()}>
      <div className="grid gap-5 text-sm">
        <p className="text-muted">What you changed here is not saved.</p>
        <div className="flex flex-wrap justify-end gap-2">
          <button type="button" className="button button-quiet" onClick={() => isAsked && blocker.reset()}>
            Stay here
          </button>
          <button
            type="button"
            className="button button-bad"
            onClick={() => {
              onLeave?.();
              if (isAsked) blocker.proceed();
            }}
          >
            Leave
          </button>
        </div>
      </div>
    </Dialog>
  );
};
