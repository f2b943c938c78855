import { CopyButton } from '../../../ui/code.tsx';
import { Dialog } from '../../../ui/dialog.tsx';

/** What requests to another platform are signed with. It cannot be read again. */
export const SecretOnce = ({ secret, onClose }: { secret: string | undefined; onClose: () => void }) => (
  <Dialog title="Signing secret" open={secret !== undefined} onClose={onClose}>
    <div data-part="shown-once" className="grid gap-4 text-sm">
      <p className="text-muted">
        Requests to the other platform are signed with it. Keep it there; it is shown this once and cannot be read
        again.
      </p>
      <code className="rounded-lg bg-sunken p-3 [overflow-wrap:anywhere]">{secret}</code>
      <div className="flex justify-end gap-2">
        <CopyButton text={secret ?? ''} what="the signing secret" />
        <button type="button" className="button button-main" onClick={onClose}>
          I have it
        </button>
      </div>
    </div>
  </Dialog>
);
