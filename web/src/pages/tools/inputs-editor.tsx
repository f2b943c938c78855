import { Plus, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import type { ToolInput } from '../../../../client/src/index.ts';
import { useRead } from '../../data/use-read.ts';
import { type FieldProblem, messageAt, problemsBelow } from '../../forms/problems.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { Field } from '../../ui/field.tsx';
import { enter, passFocus } from '../../ui/pass-focus.ts';
import { Unread } from '../../ui/unread.tsx';
import { changeInput, type Draft, type DraftInput, newInput, settled, typeWords } from './draft.ts';

/** An input of another type keeps what still makes sense. */
const retyped = ({ uid, name, description, required }: DraftInput, type: ToolInput['type']): DraftInput => {
  const kept = { uid, name, type, ...(description === undefined ? {} : { description }) };
  return type === 'account'
    ? { ...kept, required: true, integration: 'mail' }
    : { ...kept, required: required ?? false };
};

const without = <Field extends keyof DraftInput>(input: DraftInput, field: Field): DraftInput => {
  const { [field]: _, ...rest } = input;
  return rest as unknown as DraftInput;
};

const AccountPart = ({
  input,
  onChange,
  error,
}: {
  input: DraftInput;
  onChange: (input: DraftInput) => void;
  error?: string | undefined;
}) => {
  const integrations = useRead('GET /v1/integrations');
  const { data } = integrations;
  const chosen = data?.items.find(({ name }) => name === input.integration);
  const offered = [...new Set(chosen?.auth.flatMap(({ permissionTypes }) => permissionTypes) ?? [])];
  return (
    <>
      <Field label="Integration" error={error}>
        <select
          className="field"
          value={input.integration ?? ''}
          onChange={({ target }) => onChange({ ...without(input, 'permissionType'), integration: target.value })}
        >
          {data === undefined && <option value={input.integration ?? ''}>{input.integration}</option>}
          {data?.items.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </Field>
      <Field label="With permission">
        <select
          className="field"
          value={input.permissionType ?? ''}
          onChange={({ target }) =>
            onChange(
              target.value === ''
                ? without(input, 'permissionType')
                : { ...input, permissionType: target.value as NonNullable<ToolInput['permissionType']> },
            )
          }
        >
          <option value="">any</option>
          {data === undefined && input.permissionType !== undefined && (
            <option value={input.permissionType}>{input.permissionType.replaceAll('_', ' ')}</option>
          )}
          {offered.map((type) => (
            <option key={type} value={type}>
              {type.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </Field>
      <div className="empty:hidden sm:col-span-2">
        <Unread of={integrations} />
      </div>
    </>
  );
};

const InputRow = (props: {
  at: number;
  input: DraftInput;
  onChange: (input: DraftInput) => void;
  onRemove: () => void;
  problems: readonly FieldProblem[];
  disabled: boolean;
}) => {
  const { at, input, onChange, onRemove, disabled } = props;
  const wrong = problemsBelow(props.problems, `inputs[${at}]`);
  const isAccount = input.type === 'account';
  return (
    <li aria-label={`Input ${input.name}`} className="card p-4">
      <fieldset disabled={disabled} className="grid items-start gap-x-3 gap-y-2 sm:grid-cols-2">
        <Field label="Name" error={messageAt(wrong, ['name'], true)}>
          <input
            className="field font-mono"
            value={input.name}
            onChange={({ target }) => onChange({ ...input, name: target.value })}
          />
        </Field>
        <Field label="Type" error={messageAt(wrong, ['type'], true)}>
          <select
            className="field"
            value={input.type}
            onChange={({ target }) => onChange(retyped(input, target.value as ToolInput['type']))}
          >
            {Object.entries(typeWords).map(([type, words]) => (
              <option key={type} value={type}>
                {words}
              </option>
            ))}
          </select>
        </Field>
        {isAccount && <AccountPart input={input} onChange={onChange} error={messageAt(wrong, ['integration'], true)} />}
        <div className="sm:col-span-2">
          <Field label="Description" optional hint="Tells people and models what belongs here.">
            <input
              className="field"
              value={input.description ?? ''}
              onChange={({ target }) =>
                onChange(target.value === '' ? without(input, 'description') : { ...input, description: target.value })
              }
            />
          </Field>
        </div>
        {!isAccount && input.required !== true && (
          <div className="sm:col-span-2">
            <SchemaForm
              schema={{ properties: { default: { type: input.type, title: 'Default', maxLength: 5_000 } } }}
              value={input.default === undefined ? {} : { default: input.default }}
              onChange={(next) =>
                onChange(next.default === undefined ? without(input, 'default') : { ...input, default: next.default })
              }
              errors={props.problems}
              place={`inputs[${at}]`}
              disabled={disabled}
              plain
            />
          </div>
        )}
        <div className="flex items-center justify-between gap-3 sm:col-span-2">
          {isAccount ? (
            <span className="text-sm text-muted">An account must always be given.</span>
          ) : (
            <label className="flex min-h-10 items-center gap-2 text-sm">
              <input
                type="checkbox"
                className="size-4 accent-accent-strong"
                checked={input.required ?? false}
                onChange={({ target }) => onChange({ ...without(input, 'default'), required: target.checked })}
              />
              Must be given
            </label>
          )}
          {!disabled && (
            <button
              type="button"
              className="button button-bare"
              aria-label={`Remove input ${input.name}`}
              onClick={onRemove}
            >
              <Trash2 aria-hidden="true" className="size-4" />
              Remove
            </button>
          )}
        </div>
      </fieldset>
    </li>
  );
};

/** What the tool is given each time it runs. */
export const InputsEditor = (props: {
  draft: Draft;
  onChange: (draft: Draft) => void;
  problems: readonly FieldProblem[];
  disabled: boolean;
}) => {
  const { draft, onChange, problems, disabled } = props;
  const adding = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const setInputs = (change: (draft: Draft) => DraftInput[]) => {
    const now = settled(draft);
    onChange({ ...now, inputs: change(now) });
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {draft.inputs.length === 0 && (
        <p className="text-sm text-muted">
          None yet: the tool does the same each time. Inputs are what an agent or a person gives it.
        </p>
      )}
      <ul ref={list} className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {draft.inputs.map((input, at) => (
          <InputRow
            key={input.uid}
            at={at}
            input={input}
            problems={problems}
            disabled={disabled}
            onChange={(next) => onChange(changeInput(draft, at, next))}
            onRemove={() => {
              setInputs(({ inputs }) => inputs.toSpliced(at, 1));
              passFocus(() => adding.current);
            }}
          />
        ))}
      </ul>
      {!disabled && (
        <button
          ref={adding}
          type="button"
          className="button button-quiet justify-self-start"
          onClick={() => {
            setInputs((now) => [...now.inputs, newInput(now)]);
            enter(() => list.current?.lastElementChild);
          }}
        >
          <Plus aria-hidden="true" className="size-4" />
          Add an input
        </button>
      )}
    </div>
  );
};
