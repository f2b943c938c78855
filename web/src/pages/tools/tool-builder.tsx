import { useEffect, useMemo, useRef, useState } from 'react';
import type { Tool } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useWayOn } from '../../data/use-way-on.ts';
import { messageAt } from '../../forms/problems.ts';
import { Field } from '../../ui/field.tsx';
import { GoneMeanwhile } from '../../ui/gone.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { Unsaved } from '../../ui/unsaved.tsx';
import { type Draft, renameStep, settled } from './draft.ts';
import { InputsEditor } from './inputs-editor.tsx';
import { NewerVersion } from './newer-version.tsx';
import { OutputEditor } from './output-editor.tsx';
import { StepsEditor } from './steps-editor.tsx';
import { ToolActions } from './tool-actions.tsx';
import { recall } from './try-memory.ts';
import { TryPanel } from './try-panel.tsx';
import { useStepDetails } from './use-catalogue.ts';
import { useDraft } from './use-draft.ts';
import { useSave } from './use-save.ts';
import { variablesBefore } from './variables-of.ts';

/** Where a tool is made, changed and tried. One that was deleted elsewhere meanwhile can be made anew from what is here. */
export const ToolBuilder = (props: { tool?: Tool; isLost?: boolean; start: Draft; slot: string }) => {
  const { tool, isLost = false, start, slot } = props;
  const { may } = useSession();
  const { say } = useToast();
  const wayOn = useWayOn();
  const disabled = !may('builder');
  const state = useDraft(tool, start, slot);
  const { draft: typed, base, version, isDirty, restoredAt, adopt } = state;
  const draft = useMemo(() => settled(typed), [typed]);
  const stored = isLost ? undefined : base;
  const { save, problems, clearProblems, error, conflict, setConflict, isSaving } = useSave({
    draft,
    base: stored,
    version,
  });
  const details = useStepDetails(draft.steps.map(({ step }) => step));
  const [tried, setTried] = useState(() => recall(tool?.id));
  const leaving = useRef(false);

  const isOutdated = tool !== undefined && version !== undefined && tool.version > version;
  useEffect(() => {
    if (isOutdated && !isDirty) adopt(tool);
  }, [isOutdated, isDirty, tool, adopt]);

  const change = (next: Draft) => {
    // Places of mistakes are told by number: after a move they would stand at the wrong step.
    if (next.steps.length !== draft.steps.length || next.steps.some(({ uid }, at) => uid !== draft.steps[at]?.uid))
      clearProblems();
    state.setDraft(next);
  };
  const discard = () => {
    clearProblems();
    state.discard();
  };
  const settle = async (saved: Tool, leadTo = wayOn()) => {
    if (tool !== undefined && !isLost) return adopt(saved);
    leaving.current = true;
    state.forget();
    await leadTo({ to: `/tools/${saved.id}`, replace: true });
  };
  const saveNow = async (over = false) => {
    const leadTo = wayOn();
    const saved = await save({ over });
    if (saved === undefined) return;
    say(`Saved as version ${saved.version}.`);
    await settle(saved, leadTo);
  };
  const savedForTry = async (): Promise<Tool | undefined> => {
    if (stored !== undefined && !isDirty) return stored;
    const saved = await save();
    // From here on it is changed, not made once more.
    if (saved !== undefined) adopt(saved);
    return saved;
  };
  const wrong = problems.length;

  return (
    <Page
      title={base?.name ?? 'New tool'}
      about={
        base === undefined ? (
          'Steps in order, with what each is given. An agent gets it as one tool.'
        ) : (
          <>
            Version {version} · changed <Time at={base.updatedAt} />
            {isDirty && <span className="text-warn"> · not saved yet</span>}
          </>
        )
      }
      actions={
        !disabled && (
          <ToolActions
            tool={stored}
            isDirty={isDirty}
            isSaving={isSaving}
            onSave={() => void saveNow()}
            onDeleted={() => {
              leaving.current = true;
              state.forget();
            }}
          />
        )
      }
    >
      {disabled && (
        <p className="text-sm text-muted">You can look at this tool; a builder or an owner can change and try it.</p>
      )}
      {restoredAt !== undefined && isDirty && (
        <p
          role="status"
          className="flex flex-wrap items-center gap-3 rounded-xl bg-info-soft px-4 py-2 text-sm text-info"
        >
          Your changes of <Time at={restoredAt} /> are here again; they are not saved yet.
          <button type="button" className="link" onClick={discard}>
            Discard them
          </button>
        </p>
      )}
      {isLost && !disabled && (
        <p role="alert" className="rounded-xl bg-warn-soft px-4 py-2 text-sm text-warn">
          This tool was deleted elsewhere. Saving makes a new one of what is here.
        </p>
      )}
      {isLost && disabled && <GoneMeanwhile />}
      {isOutdated && isDirty && (
        <p role="status" className="rounded-xl bg-warn-soft px-4 py-2 text-sm text-warn">
          Version {tool.version} was saved elsewhere while you were writing. Saving asks what shall count.
        </p>
      )}
      {wrong > 0 && (
        <p role="alert" className="rounded-xl bg-bad-soft px-4 py-3 text-sm text-bad">
          Not saved: {wrong === 1 ? 'one place needs attention. It is' : `${wrong} places need attention. Each is`}{' '}
          marked below.
        </p>
      )}
      {!isDirty && <Problem error={error} />}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-8">
          <div className="card grid gap-4 p-4">
            <Field label="Name" error={messageAt(problems, ['name'], true)}>
              <input
                className="field"
                value={draft.name}
                disabled={disabled}
                maxLength={200}
                onChange={({ target }) => change({ ...draft, name: target.value })}
              />
            </Field>
            <Field
              label="Description"
              optional
              hint="Tells a model when to use the tool."
              error={messageAt(problems, ['description'], true)}
            >
              <textarea
                className="field py-2"
                rows={2}
                value={draft.description}
                disabled={disabled}
                onChange={({ target }) => change({ ...draft, description: target.value })}
              />
            </Field>
          </div>
          <Section title="Inputs" about="What it is given each time it runs.">
            <InputsEditor draft={typed} onChange={change} problems={problems} disabled={disabled} />
          </Section>
          <Section title="Steps" about="Carried out from top to bottom; each sees what came before it.">
            <StepsEditor
              draft={draft}
              onChange={change}
              onRename={(at, key) => change(renameStep(typed, at, key))}
              details={details}
              problems={problems}
              tried={tried.values}
              disabled={disabled}
            />
          </Section>
          <Section title="Answer" about="What whoever ran the tool gets back.">
            <OutputEditor
              value={draft.output}
              onChange={(output) => {
                const { output: _, ...rest } = draft;
                change(output === undefined ? rest : { ...rest, output });
              }}
              variables={variablesBefore(draft, draft.steps.length, details.steps)}
              problems={problems}
              disabled={disabled}
            />
          </Section>
          {isDirty && !disabled && (
            <div className="sticky bottom-16 z-10 flex flex-wrap items-center justify-end gap-2 rounded-xl border border-line bg-raised px-4 py-2 shadow-lg lg:bottom-3 cramped:static">
              <div className="w-full empty:hidden">
                <Problem error={error} />
              </div>
              <span className="mr-auto text-sm text-muted">Not saved yet</span>
              <button type="button" className="button button-bare" onClick={discard}>
                Discard changes
              </button>
              <button
                type="button"
                className="button button-main"
                disabled={isSaving}
                aria-busy={isSaving}
                onClick={() => void saveNow()}
              >
                Save
              </button>
            </div>
          )}
        </div>
        {!disabled && (
          <div className="lg:sticky lg:top-6 lg:-m-1 lg:max-h-[calc(100dvh-3rem)] lg:overflow-y-auto lg:p-1">
            <Section title="Try it">
              <TryPanel
                draft={draft}
                isDirty={isDirty || stored === undefined}
                saved={savedForTry}
                tried={tried}
                onTried={setTried}
                onSaved={(saved) => {
                  if (tool === undefined || isLost) void settle(saved);
                }}
              />
            </Section>
          </div>
        )}
      </div>
      <Unsaved
        isChanged={isDirty}
        mayLeave={(move) => leaving.current || (move !== undefined && move.current.pathname === move.next.pathname)}
        onLeave={state.forget}
      />
      <NewerVersion
        theirs={conflict}
        mine={version}
        onClose={() => setConflict(undefined)}
        onLoad={(theirs) => {
          setConflict(undefined);
          clearProblems();
          adopt(theirs);
        }}
        onOverwrite={() => void saveNow(true)}
      />
    </Page>
  );
};
