import { useRef } from 'react';
import { type ControlProps, useForm } from './form-context.tsx';
import { type Shape, shapeOf } from './schema.ts';
import { VariableMenu } from './variable-menu.tsx';
import { isKnown, isListed, isTemplate, placeholdersIn, toTemplate, type Variable } from './variables.ts';
import { asText, inWords } from './words.ts';

const judged = (path: string, variables: readonly Variable[]): { look: string; doubt: string } => {
  if (!isKnown(path, variables)) return { look: 'bg-bad-soft text-bad', doubt: 'is not there' };
  if (isListed(path, variables)) return { look: 'bg-accent-soft text-accent', doubt: '' };
  return { look: 'bg-warn-soft text-warn', doubt: 'is not among what that step is known to answer' };
};

/** The variables that a text holds; those that lead nowhere stand out. */
const Held = ({ text }: { text: string }) => {
  const { variables } = useForm();
  const held = [...new Set(placeholdersIn(text))];
  if (held.length === 0 || variables.length === 0) return null;
  return (
    <ul aria-label="Variables in it" className="flex flex-wrap gap-1">
      {held.map((path) => {
        const { look, doubt } = judged(path, variables);
        return (
          <li key={path} className={`rounded px-1.5 py-0.5 font-mono text-xs [overflow-wrap:anywhere] ${look}`}>
            {path}
            {doubt !== '' && <span className="font-sans"> {doubt}</span>}
          </li>
        );
      })}
    </ul>
  );
};

// Names and addresses are one line, however long the service lets them be.
const oneLine = /name|title|subject|id$|cursor|endpoint|query|url|item|folder/i;

/** Text, with variables put in where the cursor stands. */
export const TextControl = ({ schema, value, onChange, path, label, tied }: ControlProps) => {
  const { variables, disabled } = useForm();
  const place = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const text = asText(value);
  const { lines } = shapeOf(schema) as Extract<Shape, { kind: 'text' }>;
  const set = (next: string) => onChange(next === '' ? undefined : next);
  const insert = (variable: string) => {
    const control = place.current;
    const start = control?.selectionStart ?? text.length;
    const end = control?.selectionEnd ?? start;
    const put = toTemplate(variable);
    set(text.slice(0, start) + put + text.slice(end));
    requestAnimationFrame(() => {
      control?.focus();
      control?.setSelectionRange(start + put.length, start + put.length);
    });
  };
  const shared = {
    ...tied,
    ref: place,
    disabled,
    value: text,
    placeholder: inWords(schema.default) ?? (schema.examples?.[0] as string | undefined),
    onChange: ({ target }: { target: { value: string } }) => set(target.value),
  };
  const isLong = lines && !oneLine.test(path.at(-1) ?? '');
  return (
    <div className="grid min-w-0 flex-1 gap-1.5">
      <div className="flex items-start gap-1">
        {isLong ? (
          <textarea {...shared} rows={Math.min(12, Math.max(3, text.split('\n').length))} className="field py-2" />
        ) : (
          <input {...shared} className={`field ${isTemplate(text) ? 'font-mono' : ''}`} />
        )}
        {variables.length > 0 && !disabled && <VariableMenu label={label} variables={variables} onPick={insert} />}
      </div>
      <Held text={text} />
    </div>
  );
};
