import { Trash2 } from 'lucide-react';
import { useId } from 'react';
import { type ControlProps, useForm } from './form-context.tsx';
import { GroupFoot } from './group-foot.tsx';
import { messageAt } from './problems.ts';
import { blank, isRecord, type Shape, shapeOf } from './schema.ts';

/** Fields whose names are chosen here, such as URL parameters. */
export const MapControl = ({ schema, value, onChange, path, label, tied }: ControlProps) => {
  const { disabled, problems, Control } = useForm();
  const id = useId();
  const { values } = shapeOf(schema) as Extract<Shape, { kind: 'map' }>;
  const rows = isRecord(value) ? Object.entries(value) : [];
  const set = (next: [string, unknown][]) => onChange(next.length === 0 ? undefined : Object.fromEntries(next));
  const change = (at: number, row: [string, unknown]) => set(rows.map((each, index) => (index === at ? row : each)));
  return (
    <div className="grid gap-2">
      {rows.map(([name, each], at) => {
        const error = messageAt(problems, [...path, name], true);
        return (
          <div key={at} className="flex flex-wrap items-start gap-1">
            <input
              className="field w-40 flex-none max-sm:w-full"
              aria-label={`${label}: name ${at + 1}`}
              disabled={disabled}
              value={name}
              // A name that stands there already would swallow the other row.
              onChange={({ target }) =>
                rows.some(([other], index) => index !== at && other === target.value)
                  ? undefined
                  : change(at, [target.value, each])
              }
            />
            <div className="min-w-0 flex-1">
              <Control
                schema={values}
                value={each}
                path={[...path, name]}
                label={`${label} ${name}`}
                required
                tied={{
                  id: `${id}-${at}`,
                  'aria-label': `${label}: value of ${name}`,
                  'aria-describedby': undefined,
                  'aria-invalid': error === undefined ? undefined : true,
                }}
                onChange={(next) => change(at, [name, next ?? blank(values) ?? ''])}
              />
              {error !== undefined && <p className="text-xs text-bad">{error}</p>}
            </div>
            <button
              type="button"
              className="button button-bare shrink-0 px-2.5"
              aria-label={`Remove ${name}`}
              disabled={disabled}
              onClick={() => set(rows.filter((_, index) => index !== at))}
            >
              <Trash2 aria-hidden="true" className="size-4" />
            </button>
          </div>
        );
      })}
      <GroupFoot
        id={tied.id}
        label={label}
        isFull={rows.some(([name]) => name === '')}
        onAdd={() => set([...rows, ['', blank(values) ?? '']])}
        onChange={onChange}
      />
    </div>
  );
};
