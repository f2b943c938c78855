import { Trash2 } from 'lucide-react';
import { useId, useRef } from 'react';
import { enter, passFocus } from '../ui/pass-focus.ts';
import { type ControlProps, useForm } from './form-context.tsx';
import { GroupFoot } from './group-foot.tsx';
import { messageAt } from './problems.ts';
import { blank } from './schema.ts';

/** A list with a row for each entry. */
export const RowsControl = ({ schema, value, onChange, path, label, tied }: ControlProps) => {
  const { disabled, problems, Control } = useForm();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const rows = Array.isArray(value) ? (value as unknown[]) : [];
  const items = schema.items ?? {};
  const isFull = rows.length >= (schema.maxItems ?? Number.POSITIVE_INFINITY);
  const set = (next: unknown[]) => onChange(next.length === 0 ? undefined : next);
  return (
    <div ref={list} className="grid gap-2">
      {rows.map((row, at) => {
        const place = [...path, String(at)];
        const error = messageAt(problems, place, true);
        return (
          <div key={at} className="grid gap-1">
            <div className="flex items-start gap-1">
              <div className="min-w-0 flex-1">
                <Control
                  schema={items}
                  value={row}
                  path={place}
                  label={`${label} ${at + 1}`}
                  required
                  tied={{
                    id: `${id}-${at}`,
                    'aria-label': `${label} ${at + 1}`,
                    'aria-describedby': error === undefined ? undefined : `${id}-${at}-error`,
                    'aria-invalid': error === undefined ? undefined : true,
                  }}
                  onChange={(next) => set(rows.map((each, index) => (index === at ? (next ?? blank(items)) : each)))}
                />
              </div>
              <button
                type="button"
                className="button button-bare shrink-0 px-2.5"
                aria-label={`Remove ${label} ${at + 1}`}
                disabled={disabled}
                onClick={() => {
                  set(rows.filter((_, index) => index !== at));
                  passFocus(() => document.getElementById(tied.id));
                }}
              >
                <Trash2 aria-hidden="true" className="size-4" />
              </button>
            </div>
            {error !== undefined && (
              <p id={`${id}-${at}-error`} className="text-xs text-bad">
                {error}
              </p>
            )}
          </div>
        );
      })}
      <GroupFoot
        id={tied.id}
        label={label}
        isFull={isFull}
        onAdd={() => {
          set([...rows, blank(items) ?? '']);
          enter(() => list.current?.children[rows.length]);
        }}
        onChange={onChange}
      />
    </div>
  );
};
