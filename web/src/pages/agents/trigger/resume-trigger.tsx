import { Play } from 'lucide-react';
import { useState } from 'react';
import type { Trigger } from '../../../../../client/src/index.ts';
import { useRead } from '../../../data/use-read.ts';
import { useWrite } from '../../../data/use-write.ts';
import { Dialog } from '../../../ui/dialog.tsx';

const Choice = (props: { checked: boolean; onChoose: () => void; title: string; about: string }) => (
  <label className="flex min-h-10 cursor-pointer gap-3 rounded-lg border border-line p-3 has-checked:border-accent has-checked:bg-accent-soft">
    <input type="radio" name="catch-up" className="mt-1" checked={props.checked} onChange={props.onChoose} />
    <span className="grid gap-0.5">
      <span className="text-sm font-medium">{props.title}</span>
      <span className="text-xs text-muted">{props.about}</span>
    </span>
  </label>
);

/** Goes on after a pause; what happened meanwhile is skipped or caught up, as the person decides. */
export const ResumeTrigger = ({ trigger: { id } }: { trigger: Trigger }) => {
  const [open, setOpen] = useState(false);
  const [catchUp, setCatchUp] = useState(false);
  const missed = useRead('GET /v1/triggers/{id}/diagnosis', { params: { id } }, { enabled: open }).data?.skippedInPause;
  const change = useWrite('PATCH /v1/triggers/{id}', {
    refresh: ['triggers', 'events', 'runs', 'overview'],
    done: 'It goes on.',
  });
  const resume = async () => {
    await change.mutateAsync({ params: { id }, body: { state: 'enabled', catchUp } }).catch(() => {});
    setOpen(false);
  };
  return (
    <>
      <button type="button" className="button button-main" onClick={() => setOpen(true)}>
        <Play aria-hidden="true" className="size-4" />
        Resume
      </button>
      <Dialog title="Resume the trigger" open={open} onClose={() => setOpen(false)}>
        <div className="grid gap-4">
          <p className="text-sm text-muted">
            {missed === undefined && 'Looking what was skipped during the pause …'}
            {missed === 0 && 'Nothing was skipped so far during the pause.'}
            {missed === 1 && 'One occurrence was skipped during the pause.'}
            {missed !== undefined &&
              missed > 1 &&
              `${missed.toLocaleString('en')} occurrences were skipped during the pause.`}
          </p>
          <fieldset className="grid gap-2">
            <legend className="sr-only">What happened during the pause</legend>
            <Choice
              checked={!catchUp}
              onChoose={() => setCatchUp(false)}
              title="Only what happens from now on"
              about="What was skipped during the pause stays skipped."
            />
            <Choice
              checked={catchUp}
              onChoose={() => setCatchUp(true)}
              title="Catch up"
              about="What was skipped during the pause and is still listed starts the agent after all."
            />
          </fieldset>
          <div className="flex justify-end gap-2">
            <button type="button" className="button button-quiet" onClick={() => setOpen(false)}>
              Stay paused
            </button>
            <button
              type="button"
              className="button button-main"
              disabled={change.isPending}
              onClick={() => void resume()}
            >
              Resume now
            </button>
          </div>
        </div>
      </Dialog>
    </>
  );
};
