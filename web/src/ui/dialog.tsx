import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';

const controls = 'input, select, textarea, button, a';

/** A window over the page. The browser keeps the focus in it and closes it on Escape. */
export const Dialog = (props: {
  title: string;
  open: boolean;
  onClose: () => void;
  size?: 'small' | 'large';
  children: ReactNode;
}) => {
  const { title, open, onClose, size = 'small', children } = props;
  const place = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = place.current;
    if (dialog === null) return;
    if (open && !dialog.open) {
      dialog.showModal();
      dialog.querySelector<HTMLElement>(`[data-part=body] :is(${controls})`)?.focus();
    }
    if (!open && dialog.open) dialog.close();
  }, [open]);
  return (
    <dialog
      ref={place}
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={(event) => event.target === place.current && onClose()}
      className={`m-auto w-full rounded-2xl border border-line bg-raised p-0 text-ink shadow-2xl max-sm:mx-0 max-sm:mb-0 max-sm:max-w-full max-sm:rounded-b-none ${
        size === 'large' ? 'sm:max-w-3xl' : 'sm:max-w-lg'
      }`}
    >
      {open && (
        <div className="grid max-h-[90dvh] grid-rows-[auto_1fr]">
          <header className="flex items-center justify-between gap-4 border-b border-line py-3 pr-3 pl-5">
            <h2 id={titleId} className="text-base">
              {title}
            </h2>
            <button type="button" className="button button-bare px-2.5" onClick={onClose} aria-label="Close">
              <X aria-hidden="true" className="size-4" />
            </button>
          </header>
          <div data-part="body" className="overflow-y-auto p-5">
            {children}
          </div>
        </div>
      )}
    </dialog>
  );
};
