import { Ellipsis } from 'lucide-react';
import { useRef, useState } from 'react';
import { type ControlProps, useForm } from './form-context.tsx';
import { blank, fits, type Shape, shapeOf } from './schema.ts';
import { variantNames } from './words.ts';

/** A value that can be given in several ways. What was typed in one way is there again on the way back. */
export const UnionControl = (props: ControlProps) => {
  const { disabled, Control } = useForm();
  const { schema, value, onChange, label } = props;
  const { variants } = shapeOf(schema) as Extract<Shape, { kind: 'union' }>;
  const names = variantNames(variants);
  const { anyOf: _, oneOf: __, ...outer } = schema;
  const [chosen, setChosen] = useState<number>();
  const kept = useRef(new Map<number, unknown>());
  const found = variants.findIndex((each) => fits(shapeOf(each), value));
  const at = chosen ?? Math.max(0, found);
  const variant = variants[at] ?? {};
  const choose = (next: number) => {
    kept.current.set(at, value);
    setChosen(next);
    onChange(kept.current.get(next) ?? blank(variants[next] ?? {}));
  };
  // The plain way is the usual one; the others are offered on request.
  const [isAsked, setIsAsked] = useState(false);
  if (at === 0 && !isAsked && ['text', 'choice'].includes(shapeOf(variant).kind)) {
    return (
      <div className="flex items-start gap-1">
        <div className="min-w-0 flex-1">
          <Control {...props} schema={{ ...outer, ...variant }} />
        </div>
        <button
          type="button"
          className="button button-bare shrink-0 px-2.5"
          aria-label={`Give ${label} in another way`}
          title={`Another way: ${names.slice(1).join(', ')}`}
          disabled={disabled}
          onClick={() => setIsAsked(true)}
        >
          <Ellipsis aria-hidden="true" className="size-4" />
        </button>
      </div>
    );
  }
  return (
    <div className="flex flex-wrap items-start gap-1">
      <select
        className="field w-auto max-w-full flex-none"
        aria-label={`${label}: given as`}
        disabled={disabled}
        value={at}
        onChange={({ target }) => choose(Number(target.value))}
      >
        {names.map((name, index) => (
          <option key={name} value={index}>
            {name}
          </option>
        ))}
      </select>
      <div className={`room-48 flex-1 ${shapeOf(variant).kind === 'fields' ? 'basis-full' : ''}`}>
        <Control {...props} schema={{ default: schema.default, ...variant }} />
      </div>
    </div>
  );
};
