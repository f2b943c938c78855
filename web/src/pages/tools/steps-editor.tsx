import { useEffect, useRef, useState } from 'react';
import type { StepSummary } from '../../../../client/src/index.ts';
import { type FieldProblem, messageAt } from '../../forms/problems.ts';
import { passFocus } from '../../ui/pass-focus.ts';
import { copyOf, type Draft, type DraftStep, moved, newInput, newStep } from './draft.ts';
import { StepCard } from './step-card.tsx';
import { StepSearch } from './step-search.tsx';
import type { useStepDetails } from './use-catalogue.ts';
import { variablesBefore } from './variables-of.ts';

/** The steps in their order, and the search bar that adds one. */
export const StepsEditor = (props: {
  draft: Draft;
  onChange: (draft: Draft) => void;
  onRename: (at: number, key: string) => void;
  details: ReturnType<typeof useStepDetails>;
  problems: readonly FieldProblem[];
  /** What the try panel was given: its accounts fill drop-downs of steps whose account is an input. */
  tried: Record<string, unknown>;
  disabled: boolean;
}) => {
  const { draft, onChange, details, problems, tried, disabled } = props;
  const [dragged, setDragged] = useState<string>();
  const list = useRef<HTMLOListElement>(null);
  const [added, setAdded] = useState<string>();
  useEffect(() => {
    if (added === undefined) return;
    const card = list.current?.querySelector<HTMLElement>(`[data-uid="${added}"]`);
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: 'nearest' });
    setAdded(undefined);
  }, [added]);

  const setSteps = (steps: DraftStep[]) => onChange({ ...draft, steps });
  const insert = (at: number, step: DraftStep) => {
    setSteps(draft.steps.toSpliced(at, 0, step));
    setAdded(step.uid);
  };
  const add = (summary: StepSummary) => insert(draft.steps.length, newStep(draft, summary));
  const accountOf = ({ account }: DraftStep): string | undefined => {
    const id = 'id' in account ? account.id : 'input' in account ? tried[account.input] : undefined;
    return typeof id === 'string' && id !== '' ? id : undefined;
  };
  const withAccountInput = (at: number, integration: string) => {
    const input = newInput(draft, { name: 'account', type: 'account', integration });
    const steps = draft.steps.map((step, index) => (index === at ? { ...step, account: { input: input.name } } : step));
    onChange({ ...draft, inputs: [...draft.inputs, input], steps });
  };
  const error = messageAt(problems, ['steps'], false);

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <ol ref={list} className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {draft.steps.map((step, at) => (
          <StepCard
            key={step.uid}
            at={at}
            count={draft.steps.length}
            step={step}
            details={details.steps.get(step.step)}
            failure={details.errors.get(step.step)}
            onReadAgain={() => details.retry(step.step)}
            inputs={draft.inputs}
            variables={variablesBefore(draft, at, details.steps)}
            problems={problems}
            accountId={accountOf(step)}
            disabled={disabled}
            onChange={(next) => setSteps(draft.steps.map((each, index) => (index === at ? next : each)))}
            onRename={(key) => props.onRename(at, key)}
            onMove={(to) => setSteps(moved(draft.steps, at, to))}
            onDuplicate={() => insert(at + 1, copyOf(draft, step))}
            onRemove={() => {
              setSteps(draft.steps.toSpliced(at, 1));
              passFocus(() => list.current?.querySelectorAll<HTMLElement>('[data-uid]')[Math.max(0, at - 1)]);
            }}
            onNewAccountInput={() => withAccountInput(at, step.step.split('.')[0] ?? '')}
            drag={{
              isDragged: dragged === step.uid,
              onDragStart: () => setDragged(step.uid),
              onDragEnd: () => setDragged(undefined),
              onDragEnter: () => {
                const from = draft.steps.findIndex(({ uid }) => uid === dragged);
                if (from !== -1 && from !== at) setSteps(moved(draft.steps, from, at));
              },
            }}
          />
        ))}
      </ol>
      {!disabled && <StepSearch onAdd={add} />}
      {error !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  );
};
