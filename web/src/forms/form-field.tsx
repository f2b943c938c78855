import { useId } from 'react';
import { VisibleText } from '../ui/visible-text.tsx';
import { withShortIds } from './chosen-words.ts';
import { useForm } from './form-context.tsx';
import { messageAt } from './problems.ts';
import { isNullable, listKind, type Schema, shapeOf } from './schema.ts';
import { inLabels } from './words.ts';

const groups = new Set(['list', 'fields', 'map']);

/** One named field: label, control, hint, and what is wrong with it. */
export const FormField = (props: {
  schema: Schema;
  label: string;
  value: unknown;
  onChange: (value: unknown) => void;
  path: readonly string[];
  required: boolean;
  /** The names of all fields of its group. */
  siblings: readonly string[];
}) => {
  const { schema, label, value, onChange, path, required, siblings } = props;
  const { problems, disabled, Control } = useForm();
  const id = useId();
  const shape = shapeOf(schema);
  const isGroup = groups.has(shape.kind);
  // Rows and fields of their own say what is wrong with each; what was chosen into a list does not.
  const isOneControl = !isGroup || (shape.kind === 'list' && listKind(shape) !== 'rows');
  const error = messageAt(problems, path, isOneControl);
  const { description } = schema;
  const described = [description === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`];
  const tied = {
    id,
    'aria-describedby': described.filter(Boolean).join(' ') || undefined,
    'aria-invalid': error === undefined ? undefined : (true as const),
  };
  const name = (
    <>
      {label}
      {required && (
        <span className="text-bad" title="Required">
          {' *'}
          <span className="sr-only"> required</span>
        </span>
      )}
    </>
  );
  return (
    <div
      className="grid grid-cols-[minmax(0,1fr)] gap-1.5"
      data-field={path.join('.')}
      {...(isGroup ? { role: 'group', 'aria-labelledby': `${id}-label` } : {})}
    >
      <div className="flex items-center justify-between gap-2">
        {isGroup ? (
          <span id={`${id}-label`} className="text-sm font-medium [overflow-wrap:anywhere]">
            {name}
          </span>
        ) : (
          <label htmlFor={id} className="text-sm font-medium [overflow-wrap:anywhere]">
            {name}
          </label>
        )}
        {isNullable(schema) && !disabled && (
          <button
            type="button"
            className="min-h-8 px-1 text-xs text-muted underline underline-offset-4 hover:text-ink"
            onClick={() => onChange(value === null ? undefined : null)}
          >
            {value === null ? 'Do not clear' : 'Clear it'}
            <span className="sr-only"> ({label})</span>
          </button>
        )}
      </div>
      {value === null ? (
        <p className="flex min-h-10 items-center rounded-lg bg-sunken px-3 text-sm text-muted">Will be cleared.</p>
      ) : (
        <Control {...{ schema, value, onChange, path, label, required, tied }} />
      )}
      {description !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-muted [overflow-wrap:anywhere]">
          {inLabels(description, siblings)}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-xs text-bad [overflow-wrap:anywhere]">
          <VisibleText text={withShortIds(inLabels(error, siblings))} />
        </p>
      )}
    </div>
  );
};
