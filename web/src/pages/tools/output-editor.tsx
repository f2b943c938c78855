import { useId } from 'react';
import { type FieldProblem, problemsBelow } from '../../forms/problems.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import type { Variable } from '../../forms/variables.ts';

const schema = {
  properties: {
    output: {
      title: 'Answer',
      description: 'A text that is one variable becomes its value, with its type.',
      anyOf: [
        { type: 'string', title: 'One value' },
        { type: 'object', title: 'Named fields', additionalProperties: { type: 'string' } },
        { title: 'JSON' },
      ],
    },
  },
};

/** What the tool answers: the last step's answer, or what is put together here. */
export const OutputEditor = (props: {
  value: unknown;
  onChange: (output: unknown) => void;
  variables: readonly Variable[];
  problems: readonly FieldProblem[];
  disabled: boolean;
}) => {
  const { value, onChange, variables, problems, disabled } = props;
  const group = useId();
  const isOwn = value !== undefined;
  const wrong = problemsBelow(problems, 'output').map(({ field, message }) => ({
    field: field === '' ? 'output' : `output.${field}`,
    message,
  }));
  return (
    <div className="card grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <div role="radiogroup" aria-label="The tool answers" className="flex flex-wrap gap-x-5">
        <label className="flex min-h-10 items-center gap-2 text-sm">
          <input
            type="radio"
            name={group}
            className="size-4 accent-accent-strong"
            checked={!isOwn}
            disabled={disabled}
            onChange={() => onChange(undefined)}
          />
          What the last step answers
        </label>
        <label className="flex min-h-10 items-center gap-2 text-sm">
          <input
            type="radio"
            name={group}
            className="size-4 accent-accent-strong"
            checked={isOwn}
            disabled={disabled}
            onChange={() => onChange('')}
          />
          Something of its own
        </label>
      </div>
      {isOwn && (
        <SchemaForm
          schema={schema}
          value={{ output: value }}
          onChange={({ output }) => onChange(output ?? '')}
          errors={wrong}
          variables={variables}
          disabled={disabled}
          plain
        />
      )}
    </div>
  );
};
