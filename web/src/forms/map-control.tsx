import { Trash2 } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { enter, passFocus } from '../ui/pass-focus.ts';
import { type ControlProps, useForm } from './form-context.tsx';
import { GroupFoot } from './group-foot.tsx';
import { messageAt } from './problems.ts';
import { blank, isRecord, type Shape, shapeOf } from './schema.ts';
import { unreadable } from './unreadable.ts';

type Row = [name: string, value: unknown];

const rowsOf = (value: unknown): Row[] => (isRecord(value) ? Object.entries(value) : []);

const standsTwice = (rows: readonly Row[], name: string): boolean => rows.filter(([each]) => each === name).length > 1;

/**
 * Fields whose names are chosen here, such as URL parameters. The rows are kept apart from the value, which holds no name twice: one
 * that is being typed may pass by another. Until it has, the value before it is kept.
 */
export const MapControl = ({ schema, value, onChange, path, label, tied }: ControlProps) => {
  const { disabled, problems, Control } = useForm();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const { values } = shapeOf(schema) as Extract<Shape, { kind: 'map' }>;
  const [rows, setRows] = useState(() => rowsOf(value));
  const told = useRef(value);
  useEffect(() => {
    if (JSON.stringify(value) === JSON.stringify(told.current)) return;
    told.current = value;
    setRows(rowsOf(value));
  }, [value]);
  const set = (next: Row[]) => {
    setRows(next);
    if (next.some(([name]) => standsTwice(next, name))) return;
    told.current = next.length === 0 ? undefined : Object.fromEntries(next);
    onChange(told.current);
  };
  const change = (at: number, row: Row) => set(rows.map((each, index) => (index === at ? row : each)));
  return (
    <div ref={list} className="grid gap-2">
      {rows.map(([name, each], at) => {
        const error = messageAt(problems, [...path, name], true);
        const isTwice = standsTwice(rows, name);
        return (
          <div key={at} className="flex flex-wrap items-start gap-1">
            <input
              className="field w-40 flex-none max-sm:w-full"
              aria-label={`${label}: name ${at + 1}`}
              disabled={disabled}
              value={name}
              {...unreadable(isTwice)}
              onChange={({ target }) => change(at, [target.value, each])}
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
              onClick={() => {
                set(rows.filter((_, index) => index !== at));
                passFocus(() => document.getElementById(tied.id));
              }}
            >
              <Trash2 aria-hidden="true" className="size-4" />
            </button>
            {isTwice && (
              <p role="status" className="w-full text-xs text-warn">
                This name is here twice, so what was here before is kept. Choose another, or remove one.
              </p>
            )}
          </div>
        );
      })}
      <GroupFoot
        id={tied.id}
        label={label}
        isFull={rows.some(([name]) => name === '')}
        onAdd={() => {
          set([...rows, ['', blank(values) ?? '']]);
          enter(() => list.current?.children[rows.length]);
        }}
        onChange={onChange}
      />
    </div>
  );
};
