import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { arrange, mustShow } from './arrange.ts';
import { type ControlProps, useForm } from './form-context.tsx';
import { FormField } from './form-field.tsx';
import { isRecord, type Schema } from './schema.ts';
import { labelOf } from './words.ts';

/** The fields of an object, the rare ones folded. */
export const Fields = (props: {
  schema: Schema;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
  path: readonly string[];
  hidden?: readonly string[];
}) => {
  const { schema, value, onChange, path, hidden = [] } = props;
  const { problems } = useForm();
  const { inSight, folded } = arrange(schema, hidden);
  const [isOpen, setIsOpen] = useState(false);
  const open = isOpen || mustShow(folded, value, problems, path);
  const siblings = Object.keys(schema.properties ?? {});
  const change = (name: string, next: unknown) => {
    const { [name]: _, ...rest } = value;
    onChange(next === undefined ? rest : { ...value, [name]: next });
  };
  const draw = (name: string) => (
    <FormField
      key={name}
      schema={schema.properties?.[name] ?? {}}
      label={schema.properties?.[name]?.title ?? labelOf(name, siblings)}
      value={value[name]}
      path={[...path, name]}
      required={schema.required?.includes(name) ?? false}
      siblings={siblings}
      onChange={(next) => change(name, next)}
    />
  );
  const Icon = open ? ChevronDown : ChevronRight;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {inSight.map(draw)}
      {folded.length > 0 && (
        <button
          type="button"
          aria-expanded={open}
          className="button button-bare -ml-2 justify-self-start px-2"
          onClick={() => setIsOpen(!open)}
        >
          <Icon aria-hidden="true" className="size-4" />
          More fields ({folded.length})
        </button>
      )}
      {open && folded.map(draw)}
    </div>
  );
};

/** A group of fields inside a form. */
export const FieldsControl = ({ schema, value, onChange, path }: ControlProps) => (
  <div className="rounded-lg border border-line p-3">
    <Fields schema={schema} value={isRecord(value) ? value : {}} onChange={onChange} path={path} />
  </div>
);
