import { useBlocker } from '@tanstack/react-router';
import { Dialog } from './dialog.tsx';

/** Asks before changes are lost, whatever leads away. */
export const Unsaved = ({ isChanged, onLeave }: { isChanged: boolean; onLeave?: () => void }) => {
  const blocker = useBlocker({
    shouldBlockFn: () => isChanged,
    enableBeforeUnload: () => isChanged,
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
