import { useId, useMemo, useState } from 'react';
import { VisibleText } from '../ui/visible-text.tsx';
import type { SavedNames } from './chosen-words.ts';
import { Control } from './control.tsx';
import { Fields } from './fields-control.tsx';
import { FormProvider } from './form-context.tsx';
import { JsonControl } from './json-control.tsx';
import { type FieldProblem, problemsBelow } from './problems.ts';
import { isRecord, type Schema } from './schema.ts';
import type { Variable } from './variables.ts';

const none: never[] = [];
const nowhere = {};

/** A form made from the JSON Schema of a step's input or a trigger's configuration. */
export const SchemaForm = (props: {
  /** As GET /v1/steps/{id} and GET /v1/integrations give it. */
  schema: Record<string, unknown>;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
  /** What the server refused: `problemsOf(error)`. */
  errors?: readonly FieldProblem[];
  /** Where this form stands in what was sent, e.g. `config` or `steps[0].input`. */
  place?: string;
  /** Whose folders, boards and lists fill the drop-downs; without it they take typed ids and names. */
  accountId?: string | undefined;
  /** Of the account: decides what narrows a drop-down. */
  integration?: string | undefined;
  /** Values known outside the form that narrow drop-downs: `board`, `card`, `mailbox`. */
  scope?: Record<string, string>;
  /** What was chosen before was called so when it was saved. */
  names?: SavedNames;
  /** What can be put in place of a value. */
  variables?: readonly Variable[];
  /** Fields not to be asked for. */
  hidden?: readonly string[];
  /** Without the way to edit all of it as JSON. */
  plain?: boolean;
  disabled?: boolean;
}) => {
  const { value, onChange, errors = none, place = '', accountId, integration, scope = nowhere } = props;
  const { names = nowhere, variables = none, hidden = none, plain = false, disabled = false } = props;
  const schema = props.schema as Schema;
  const id = useId();
  const [asJson, setAsJson] = useState(false);
  const problems = useMemo(() => problemsBelow(errors, place), [errors, place]);
  const known = Object.keys(schema.properties ?? {}).filter((name) => !hidden.includes(name));
  const homeless = problems.filter(({ field }) => !known.includes(field.split(/[.[]/)[0] ?? ''));
  const others = Object.fromEntries(Object.entries(value).filter(([name]) => !known.includes(name)));
  const form = { accountId, integration, variables, problems, disabled, schema, value, scope, names, Control };
  const isEmpty = known.length === 0 && Object.keys(others).length === 0;

  return (
    <FormProvider value={form}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {homeless.length > 0 && (
          <ul role="alert" className="rounded-lg bg-bad-soft px-3 py-2 text-sm text-bad">
            {homeless.map(({ field, message }) => (
              <li key={`${field} ${message}`}>
                <VisibleText text={field === '' ? message : `${field}: ${message}`} />
              </li>
            ))}
          </ul>
        )}
        {asJson ? (
          <label className="grid gap-1.5 text-sm font-medium" htmlFor={id}>
            All fields as JSON
            <JsonControl
              value={value}
              isFields
              rows={12}
              disabled={disabled}
              tied={{ id, 'aria-describedby': undefined, 'aria-invalid': undefined }}
              onChange={(next) => onChange(isRecord(next) ? next : {})}
            />
          </label>
        ) : (
          <>
            <Fields schema={schema} value={value} onChange={onChange} path={none} hidden={hidden} />
            {Object.keys(others).length > 0 && (
              <label className="grid gap-1.5 text-sm font-medium" htmlFor={id}>
                Fields that this form does not know
                <JsonControl
                  value={others}
                  isFields
                  disabled={disabled}
                  tied={{ id, 'aria-describedby': undefined, 'aria-invalid': undefined }}
                  onChange={(next) => {
                    const kept = Object.entries(value).filter(([name]) => known.includes(name));
                    onChange({ ...Object.fromEntries(kept), ...(isRecord(next) ? next : {}) });
                  }}
                />
              </label>
            )}
            {isEmpty && <p className="text-sm text-muted">Nothing to fill in.</p>}
          </>
        )}
        {!isEmpty && !disabled && !plain && (
          <button
            type="button"
            className="min-h-10 justify-self-end px-1 text-xs text-muted underline underline-offset-4 hover:text-ink"
            onClick={() => setAsJson(!asJson)}
          >
            {asJson ? 'Show the form' : 'Edit as JSON'}
          </button>
        )}
      </div>
    </FormProvider>
  );
};
