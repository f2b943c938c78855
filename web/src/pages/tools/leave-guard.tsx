import { useBlocker } from '@tanstack/react-router';
import { Dialog } from '../../ui/dialog.tsx';

/** Asks before unsaved changes are left behind, also when the window is closed. */
export const LeaveGuard = ({
  isDirty,
  mayLeave,
  onDiscard,
}: {
  isDirty: boolean;
  mayLeave: () => boolean;
  onDiscard: () => void;
}) => {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && !mayLeave() && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty && !mayLeave(),
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog title="Leave without saving?" open onClose={blocker.reset}>
      <div className="grid gap-5 text-sm">
        <p className="text-muted">Your changes to this tool are not saved yet.</p>
        <div className="flex flex-wrap justify-end gap-2">
          <button type="button" className="button button-quiet" onClick={blocker.reset}>
            Stay here
          </button>
          <button
            type="button"
            className="button button-bad"
            onClick={() => {
              onDiscard();
              blocker.proceed();
            }}
          >
            Leave and discard
          </button>
        </div>
      </div>
    </Dialog>
  );
};
