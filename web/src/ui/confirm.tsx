import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';

type Question = {
  title: string;
  action: string;
  onConfirm: () => Promise<unknown> | void;
  tone?: 'bad' | 'main';
  children: ReactNode;
};

/** The window that asks once more, where something else than a button of its own opens it. */
export const Confirmation = (props: Question & { open: boolean; onClose: () => void }) => {
  const { title, action, onConfirm, tone = 'bad', open, onClose, children } = props;
  const [busy, setBusy] = useState(false);
  const act = async () => {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch {
      // The refusal is told by whoever asked the server.
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} open={open} onClose={onClose}>
      <div className="grid gap-5 text-sm">
        <div className="grid gap-2 text-muted">{children}</div>
        <div className="flex flex-wrap justify-end gap-2">
          <button type="button" className="button button-quiet" onClick={onClose}>
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
  );
};

/** A button that says what it would do, and does it only after a second, named press. */
export const Confirm = (props: Question & { trigger: ReactNode; className?: string; disabled?: boolean }) => {
  const { trigger, className = 'button button-quiet', disabled, ...question } = props;
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={className} disabled={disabled} onClick={() => setOpen(true)}>
        {trigger}
      </button>
      <Confirmation {...question} open={open} onClose={() => setOpen(false)} />
    </>
  );
};
