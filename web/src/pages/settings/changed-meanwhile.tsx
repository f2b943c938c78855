/** Somebody else saved this while it was being written: saving would take theirs back unseen. */
export const ChangedMeanwhile = ({ saved, onTake }: { saved: string; onTake: () => void }) => (
  <div role="alert" className="grid gap-2 rounded-lg bg-warn-soft p-3 text-sm text-warn">
    <p>Somebody changed this meanwhile. Saving replaces it. It is now:</p>
    <p className="untrusted font-mono whitespace-pre-wrap">{saved === '' ? 'empty' : saved}</p>
    <button type="button" className="button button-quiet justify-self-start" onClick={onTake}>
      Take it
    </button>
  </div>
);
