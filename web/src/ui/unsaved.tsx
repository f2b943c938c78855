import { useBlocker } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useEffect, useId, useState } from 'react';
import { Dialog } from './dialog.tsx';

type Place = { pathname: string; search: object };
type Move = { current: Place; next: Place };

const Question = ({ isAsked, onStay, onLeave }: { isAsked: boolean; onStay: () => void; onLeave: () => void }) => (
  <Dialog title="Leave without saving?" open={isAsked} onClose={onStay}>
    <div className="grid gap-5 text-sm">
      <p className="text-muted">What you changed here is not saved.</p>
      <div className="flex flex-wrap justify-end gap-2">
        <button type="button" className="button button-quiet" onClick={onStay}>
          Stay here
        </button>
        <button type="button" className="button button-bad" onClick={onLeave}>
          Leave
        </button>
      </div>
    </div>
  </Dialog>
);

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
    <Question
      isAsked={isAsked}
      onStay={() => isAsked && blocker.reset()}
      onLeave={() => {
        onLeave?.();
        if (isAsked) blocker.proceed();
      }}
    />
  );
};

/** For what ends a page without leaving its address: asks first where the end of the window would. */
export const useAskFirst = () => {
  const [asked, setAsked] = useState<() => void>();
  const askFirst = (act: () => void) => {
    const isNothingLost = dispatchEvent(new Event('beforeunload', { cancelable: true }));
    if (isNothingLost) act();
    else setAsked(() => act);
  };
  const stay = () => setAsked(undefined);
  const leave = () => {
    stay();
    asked?.();
  };
  return { askFirst, question: <Question isAsked={asked !== undefined} onStay={stay} onLeave={leave} /> };
};

const Parts = createContext<Set<string>>(new Set());

/** A page of several forms, each saved by itself: whoever leaves is asked once for all of them. */
export const UnsavedParts = ({ children }: { children: ReactNode }) => {
  const [parts] = useState(() => new Set<string>());
  const isSamePlace = ({ current, next }: Move) =>
    current.pathname === next.pathname && JSON.stringify(current.search) === JSON.stringify(next.search);
  return (
    <Parts value={parts}>
      {children}
      <Unsaved isChanged mayLeave={(move) => parts.size === 0 || (move !== undefined && isSamePlace(move))} />
    </Parts>
  );
};

/** Tells the page around it whether a part of it holds what is not saved. */
export const useUnsaved = (isChanged: boolean): void => {
  const parts = useContext(Parts);
  const id = useId();
  useEffect(() => {
    if (!isChanged) return;
    parts.add(id);
    return () => void parts.delete(id);
  }, [parts, id, isChanged]);
};
