import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';

/** A button that says what it would do, and does it only after a second, named press. */
export const Confirm = (props: {
  trigger: ReactNode;
  title: string;
  action: string;
  onConfirm: () => Promise<unknown> | void;
  tone?: 'bad' | 'main';
  className?: string;
  disabled?: boolean;
  children: ReactNode;
}) => {
  const {
    trigger,
    title,
    action,
    onConfirm,
    tone = 'bad',
    className = 'button button-quiet',
    disabled,
    children,
  } = props;
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const act = async () => {
    setBusy(true);
    try {
      await onConfirm();
      setOpen(false);
    } catch {
      // The refusal is told by whoever asked the server.
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button type="button" className={className} disabled={disabled} onClick={() => setOpen(true)}>
        {trigger}
      </button>
      <Dialog title={title} open={open} onClose={() => setOpen(false)}>
        <div className="grid gap-5 text-sm">
          <div className="grid gap-2 text-muted">{children}</div>
          <div className="flex flex-wrap justify-end gap-2">
            <button type="button" className="button button-quiet" onClick={() => setOpen(false)}>
              Keep as it is
            </button>
            <button
              type="button"
              className={`button button-${tone}`}
              disabled={busy}
              aria-busy={busy}
              onClick={() => void act()}
            >
              {action}
            </button>
          </div>
        </div>
      </Dialog>
    </>
  );
};
