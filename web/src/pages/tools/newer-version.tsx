import type { Tool } from '../../../../client/src/index.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Time } from '../../ui/time.tsx';

/** Somebody else, or another tab, saved meanwhile: nothing is overwritten unseen. */
export const NewerVersion = (props: {
  theirs: Tool | undefined;
  mine: number | undefined;
  onClose: () => void;
  onLoad: (tool: Tool) => void;
  onOverwrite: () => void;
}) => {
  const { theirs, mine, onClose, onLoad, onOverwrite } = props;
  return (
    <Dialog title="A newer version was saved" open={theirs !== undefined} onClose={onClose}>
      {theirs !== undefined && (
        <div className="grid gap-5 text-sm">
          <p className="text-muted">
            Version {theirs.version} was saved <Time at={theirs.updatedAt} />, after you began with version{' '}
            {mine ?? '?'}. Yours is not saved yet.
          </p>
          <div className="flex flex-wrap justify-end gap-2">
            <button type="button" className="button button-quiet" onClick={onClose}>
              Keep editing
            </button>
            <button type="button" className="button button-bad" onClick={() => onLoad(theirs)}>
              Discard mine, load version {theirs.version}
            </button>
            <button type="button" className="button button-bad" onClick={onOverwrite}>
              Save mine over it
            </button>
          </div>
        </div>
      )}
    </Dialog>
  );
};
