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

const skippedWords = (missed: number | undefined): string => {
  if (missed === undefined) return 'Looking what was skipped during the pause …';
  if (missed === 0) return 'Nothing was skipped so far during the pause.';
  if (missed === 1) return 'One occurrence was skipped during the pause.';
  return `${missed.toLocaleString('en')} occurrences were skipped during the pause.`;
};

/** One that looks for itself rests while it is paused. */
const restsInPause = ({ watches }: Trigger): boolean => watches.some(({ resource }) => resource.startsWith('poll/'));

/** Goes on after a pause; what happened meanwhile is skipped or caught up, as the person decides. */
export const ResumeTrigger = ({ trigger }: { trigger: Trigger }) => {
  const { id } = trigger;
  const rests = restsInPause(trigger);
  const [open, setOpen] = useState(false);
  const [catchUp, setCatchUp] = useState(false);
  const missed = useRead('GET /v1/triggers/{id}/diagnosis', { params: { id } }, { enabled: open && !rests }).data
    ?.skippedInPause;
  const change = useWrite('PATCH /v1/triggers/{id}', {
    refresh: ['triggers', 'events', 'runs', 'overview'],
    done: 'It goes on.',
  });
  const resume = async () => {
    // A refusal is told, and what was chosen stays.
    await change.mutateAsync({ params: { id }, body: { state: 'enabled', catchUp } }).then(
      () => setOpen(false),
      () => {},
    );
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
            {rests
              ? 'It did not look during the pause. What happened meanwhile is looked for when it goes on.'
              : skippedWords(missed)}
          </p>
          <fieldset className="grid gap-2">
            <legend className="sr-only">What happened during the pause</legend>
            <Choice
              checked={!catchUp}
              onChoose={() => setCatchUp(false)}
              title="Only what happens from now on"
              about={
                rests
                  ? 'What happened during the pause is listed as skipped.'
                  : 'What was skipped during the pause stays skipped.'
              }
            />
            <Choice
              checked={catchUp}
              onChoose={() => setCatchUp(true)}
              title="Catch up"
              about={
                rests
                  ? 'What happened during the pause starts the agent after all.'
                  : 'What was skipped during the pause and is still listed starts the agent after all.'
              }
            />
          </fieldset>
          <div className="flex justify-end gap-2">
            <button
              type="button"
              className="button button-quiet"
              disabled={change.isPending}
              onClick={() => setOpen(false)}
            >
              Stay paused
            </button>
            <button
              type="button"
              className="button button-main"
              disabled={change.isPending}
              aria-busy={change.isPending}
              onClick={() => void resume()}
            >
              {change.isPending ? 'Resuming …' : 'Resume now'}
            </button>
          </div>
        </div>
      </Dialog>
    </>
  );
};
