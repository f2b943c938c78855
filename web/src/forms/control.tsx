import { ListX } from 'lucide-react';
import type { ReactNode } from 'react';
import { passFocus } from '../ui/pass-focus.ts';
import { FieldsControl } from './fields-control.tsx';
import { type ControlProps, useForm } from './form-context.tsx';
import { JsonControl } from './json-control.tsx';
import { MapControl } from './map-control.tsx';
import { ManyPicker, PickerControl } from './picker-control.tsx';
import { ChoiceControl, ManyChoice, NumberControl, SwitchControl, TimeControl } from './plain-controls.tsx';
import { RowsControl } from './rows-control.tsx';
import { fits, listKind, type Shape, shapeOf } from './schema.ts';
import { TextControl } from './text-control.tsx';
import { UnionControl } from './union-control.tsx';
import { VariableMenu } from './variable-menu.tsx';
import { isTemplate, toTemplate } from './variables.ts';

const drawn = (shape: Shape, props: ControlProps): ReactNode => {
  switch (shape.kind) {
    case 'text':
      return <TextControl {...props} />;
    case 'number':
      return <NumberControl {...props} />;
    case 'switch':
      return <SwitchControl {...props} />;
    case 'choice':
      return <ChoiceControl {...props} />;
    case 'time':
      return <TimeControl {...props} />;
    case 'picker':
      return <PickerControl {...props} schema={{ ...props.schema, picker: shape.picker }} />;
    case 'list': {
      const schema = { ...props.schema, items: shape.items };
      const kind = listKind(shape);
      if (kind === 'many-picker') return <ManyPicker {...props} schema={schema} />;
      return kind === 'many-choice' ? (
        <ManyChoice {...props} schema={schema} />
      ) : (
        <RowsControl {...props} schema={schema} />
      );
    }
    case 'fields':
      return <FieldsControl {...props} />;
    case 'map':
      return <MapControl {...props} />;
    case 'union':
      return <UnionControl {...props} />;
    case 'json':
      return <JsonControl {...props} />;
  }
};

/** The control for a value: drawn by its schema, a variable in its place, or JSON where it cannot be drawn. */
export const Control = (props: ControlProps) => {
  const { variables, disabled } = useForm();
  const { schema, value, onChange, label, tied } = props;
  const shape = shapeOf(schema);
  const isGroup = ['list', 'map', 'fields'].includes(shape.kind);
  const exchange = (next: unknown) => {
    onChange(next);
    passFocus(() => document.getElementById(tied.id));
  };
  if (shape.kind === 'text' && fits(shape, value)) return <TextControl {...props} />;
  if (isTemplate(value)) {
    return (
      <div className="flex items-start gap-1">
        {/* Groups have no label that names one field. */}
        <TextControl {...props} schema={{ type: 'string' }} tied={isGroup ? { 'aria-label': label, ...tied } : tied} />
        <button
          type="button"
          className="button button-bare shrink-0 px-2.5"
          aria-label={`Choose a value for ${label} instead of a variable`}
          title="Choose a value instead"
          disabled={disabled}
          onClick={() => exchange(undefined)}
        >
          <ListX aria-hidden="true" className="size-4" />
        </button>
      </div>
    );
  }
  const control = fits(shape, value) ? drawn(shape, props) : <JsonControl {...props} />;
  // Unions hold controls of their own; rows have the button at their foot.
  const hasOwn =
    ['union', 'map', 'fields'].includes(shape.kind) || (shape.kind === 'list' && listKind(shape) === 'rows');
  if (variables.length === 0 || disabled || hasOwn) return control;
  return (
    <div className="flex items-start gap-1">
      <div className="min-w-0 flex-1">{control}</div>
      <VariableMenu label={label} variables={variables} onPick={(path) => exchange(toTemplate(path))} />
    </div>
  );
};
