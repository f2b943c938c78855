import { X } from 'lucide-react';
import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef, useState } from 'react';
import { Toasts, useToast } from './toast.tsx';
import { VisibleText } from './visible-text.tsx';

const controls = 'input, select, textarea, button, a';

/**
 * A window over the page. The browser keeps the focus in it and closes it on Escape, as going back does. What was typed in it, or is shown in it this once, is
 * not lost by a slip: a click beside it does nothing then, and Escape warns first.
 */
export const Dialog = (props: {
  title: string;
  open: boolean;
  onClose: () => void;
  size?: 'small' | 'large';
  /** What is typed in it is worth nothing afterwards. */
  isLight?: boolean;
  /** It is open by what stands in the address: going back closes it by itself. */
  isInAddress?: boolean;
  children: ReactNode;
}) => {
  const { title, open, onClose, size = 'small', isLight = false, isInAddress = false, children } = props;
  const place = useRef<HTMLDialogElement>(null);
  const isTyped = useRef(false);
  const isPressedBeside = useRef(false);
  const [isWarned, setIsWarned] = useState(false);
  const titleId = useId();
  const { enter } = useToast();
  useEffect(() => (open ? enter(titleId) : undefined), [open, enter, titleId]);
  useEffect(() => {
    const dialog = place.current;
    if (dialog === null) return;
    if (open && !dialog.open) {
      isTyped.current = false;
      setIsWarned(false);
      dialog.showModal();
      dialog.querySelector<HTMLElement>(`[data-part=body] :is(${controls})`)?.focus();
    }
    if (!open && dialog.open) dialog.close();
  }, [open]);
  const wouldLose = () =>
    !isLight && (isTyped.current || (place.current?.querySelector('[data-part=shown-once]') ?? null) !== null);
  const warn = (event: SyntheticEvent) => {
    if (event.target !== place.current || isWarned || !wouldLose()) return;
    event.preventDefault();
    setIsWarned(true);
  };
  return (
    <dialog
      ref={place}
      aria-labelledby={titleId}
      data-in-address={isInAddress || undefined}
      // Told a moment later, also when it was closed from here: by then it may be open again.
      onClose={() => open && !place.current?.open && onClose()}
      onCancel={warn}
      onInput={() => {
        isTyped.current = true;
      }}
      // A click that ends a selection begun inside is none beside it.
      onPointerDown={({ target }) => {
        isPressedBeside.current = target === place.current;
      }}
      onClick={({ target }) => target === place.current && isPressedBeside.current && !wouldLose() && onClose()}
      className={`m-auto w-full rounded-2xl border border-line bg-raised p-0 text-ink shadow-2xl max-sm:mx-0 max-sm:mb-0 max-sm:max-w-full max-sm:rounded-b-none ${
        size === 'large' ? 'sm:max-w-3xl' : 'sm:max-w-lg'
      }`}
    >
      {open && (
        <div className="grid max-h-[90dvh] grid-cols-[minmax(0,1fr)] grid-rows-[auto_1fr]">
          <header className="flex items-center justify-between gap-4 border-b border-line py-3 pr-3 pl-5">
            <h2 id={titleId} className="min-w-0 flex-1 text-base [overflow-wrap:anywhere]">
              <VisibleText text={title} />
            </h2>
            <button type="button" className="button button-bare px-2.5" onClick={onClose} aria-label="Close">
              <X aria-hidden="true" className="size-4" />
            </button>
          </header>
          <div data-part="body" className="overflow-y-auto p-5">
            <p role="alert" className="rounded-lg bg-warn-soft p-3 text-sm text-warn not-empty:mb-4 empty:hidden">
              {isWarned &&
                'What is in this window is not kept. Press Escape or go back once more to close it all the same.'}
            </p>
            {children}
          </div>
          <Toasts window={titleId} />
        </div>
      )}
    </dialog>
  );
};
