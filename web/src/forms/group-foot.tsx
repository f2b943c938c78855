import { Plus } from 'lucide-react';
import { passFocus } from '../ui/pass-focus.ts';
import { useForm } from './form-context.tsx';
import { VariableMenu } from './variable-menu.tsx';
import { toTemplate } from './variables.ts';

/** Below rows: one more, or a variable for all of them. */
export const GroupFoot = (props: {
  id: string;
  label: string;
  isFull: boolean;
  onAdd: () => void;
  onChange: (value: unknown) => void;
}) => {
  const { variables, disabled } = useForm();
  if (disabled) return null;
  return (
    <div className="flex gap-1">
      <button
        type="button"
        id={props.id}
        className="button button-quiet"
        disabled={props.isFull}
        aria-label={`Add to ${props.label}`}
        onClick={props.onAdd}
      >
        <Plus aria-hidden="true" className="size-4" />
        Add
      </button>
      {variables.length > 0 && (
        <VariableMenu
          label={`all of ${props.label}`}
          variables={variables}
          onPick={(path) => {
            props.onChange(toTemplate(path));
            passFocus(() => document.getElementById(props.id));
          }}
        />
      )}
    </div>
  );
};
