import { ArrowDown, ArrowUp, ChevronDown, ChevronRight, Copy, GripVertical, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Step, ToolInput } from '../../../../client/src/index.ts';
import { useStepTitle } from '../../data/use-steps.ts';
import { type FieldProblem, messageAt, problemsBelow } from '../../forms/problems.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import type { Variable } from '../../forms/variables.ts';
import { Badge, EffectBadge } from '../../ui/badge.tsx';
import { Field } from '../../ui/field.tsx';
import { Loading, Problem } from '../../ui/states.tsx';
import type { DraftStep } from './draft.ts';
import { IntegrationIcon } from './integration-icon.tsx';
import { StepAccount } from './step-account.tsx';
import { StepPermission } from './step-permission.tsx';

// A tool is rehearsed and repeated as a whole, so these stand nowhere inside it.
const reserved = ['idempotencyKey', 'dryRun'];

export type StepCardProps = {
  at: number;
  count: number;
  step: DraftStep;
  details: Step | undefined;
  failure: unknown;
  onReadAgain: () => void;
  inputs: readonly ToolInput[];
  variables: readonly Variable[];
  problems: readonly FieldProblem[];
  /** Whose lists fill the drop-downs. */
  accountId: string | undefined;
  disabled: boolean;
  onChange: (step: DraftStep) => void;
  onRename: (key: string) => void;
  onMove: (to: number) => void;
  onDuplicate: () => void;
  onRemove: () => void;
  onNewAccountInput: () => void;
  drag: { onDragStart: () => void; onDragEnter: () => void; onDragEnd: () => void; isDragged: boolean };
};

const IconButton = (props: { icon: typeof Copy; label: string; onClick: () => void; disabled?: boolean }) => (
  <button
    type="button"
    className="button button-bare px-2.5"
    aria-label={props.label}
    title={props.label}
    disabled={props.disabled}
    onClick={props.onClick}
  >
    <props.icon aria-hidden="true" className="size-4" />
  </button>
);

const Body = (props: StepCardProps & { about: Step }) => {
  const { at, step, about, inputs, variables, problems, accountId, disabled, onChange } = props;
  const below = problemsBelow(problems, `steps[${at}]`);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5 border-t border-line p-4">
      {about.deprecated !== undefined && <p className="text-sm text-warn">{about.deprecated}</p>}
      <StepAccount
        integration={about.integration}
        step={about.id}
        inputs={inputs}
        value={step.account}
        onChange={(account) => onChange({ ...step, account })}
        onNewInput={props.onNewAccountInput}
        error={messageAt(below, ['account'], true)}
        disabled={disabled}
      />
      <SchemaForm
        schema={about.input}
        value={step.input}
        onChange={(input) => onChange({ ...step, input })}
        errors={problems}
        place={`steps[${at}].input`}
        accountId={accountId}
        integration={about.integration}
        variables={variables}
        hidden={reserved}
        disabled={disabled}
      />
      {about.effect !== 'read' && (
        <StepPermission
          effect={about.effect}
          value={step.permission}
          onChange={(permission) => onChange({ ...step, permission })}
          disabled={disabled}
        />
      )}
      <Field
        label="Name in variables"
        hint={`Later steps find its answer at steps.${step.key}.output.`}
        error={messageAt(below, ['key'], true)}
      >
        <input
          className="field max-w-64 font-mono"
          value={step.key}
          disabled={disabled}
          onChange={({ target }) => props.onRename(target.value)}
        />
      </Field>
    </div>
  );
};

/** One step of a tool: whom it acts for, what it is given, whether it may send by itself. */
export const StepCard = (props: StepCardProps) => {
  const { at, count, step, details, failure, problems, disabled, drag } = props;
  const [isFolded, setIsFolded] = useState(false);
  const wrong = problemsBelow(problems, `steps[${at}]`).length;
  const isOpen = !isFolded || wrong > 0;
  const title = useStepTitle()(step.step);
  const Fold = isOpen ? ChevronDown : ChevronRight;
  return (
    <li
      aria-label={`Step ${at + 1}: ${title}`}
      tabIndex={-1}
      data-uid={step.uid}
      className={`card outline-none focus-visible:outline-2 ${drag.isDragged ? 'opacity-50' : ''} ${wrong > 0 ? 'border-bad/60' : ''}`}
      onDragEnter={drag.onDragEnter}
      onDragOver={(event) => event.preventDefault()}
    >
      <header className="flex flex-wrap items-center gap-x-1 gap-y-1 py-1.5 pr-2 pl-1">
        {!disabled && count > 1 && (
          <span
            draggable
            aria-hidden="true"
            title="Drag to another place"
            className="hidden cursor-grab p-2 text-muted sm:block"
            onDragStart={drag.onDragStart}
            onDragEnd={drag.onDragEnd}
          >
            <GripVertical className="size-4" />
          </span>
        )}
        <button
          type="button"
          className="flex min-h-10 min-w-0 flex-1 items-center gap-2.5 rounded-lg px-2 text-left max-sm:basis-full cramped:flex-wrap"
          aria-expanded={isOpen}
          onClick={() => setIsFolded(isOpen)}
        >
          <Fold aria-hidden="true" className="size-4 shrink-0 text-muted" />
          <span className="text-sm text-muted">{at + 1}</span>
          <IntegrationIcon of={step.step} className="size-4 text-accent" />
          <span className="text-sm font-semibold">{title}</span>
          {details !== undefined && <EffectBadge effect={details.effect} />}
          {details?.deprecated !== undefined && <Badge tone="warn">deprecated</Badge>}
          {wrong > 0 && <Badge tone="bad">{wrong === 1 ? '1 mistake' : `${wrong} mistakes`}</Badge>}
        </button>
        {!disabled && (
          <div className="flex max-sm:ml-auto">
            <IconButton
              icon={ArrowUp}
              label={`Move ${title} up`}
              disabled={at === 0}
              onClick={() => props.onMove(at - 1)}
            />
            <IconButton
              icon={ArrowDown}
              label={`Move ${title} down`}
              disabled={at === count - 1}
              onClick={() => props.onMove(at + 1)}
            />
            <IconButton icon={Copy} label={`Duplicate ${title}`} onClick={props.onDuplicate} />
            <IconButton icon={Trash2} label={`Remove ${title}`} onClick={props.onRemove} />
          </div>
        )}
      </header>
      {messageAt(problemsBelow(problems, `steps[${at}]`), ['step'], true) !== undefined && (
        <p role="alert" className="px-4 pb-3 text-sm text-bad">
          {messageAt(problemsBelow(problems, `steps[${at}]`), ['step'], true)}
        </p>
      )}
      {isOpen && details !== undefined && <Body {...props} about={details} />}
      {isOpen && details === undefined && (
        <div className="p-4">
          {failure ? (
            <Problem error={failure} retry={props.onReadAgain} />
          ) : (
            <Loading what="Reading the step" rows={1} />
          )}
        </div>
      )}
    </li>
  );
};
