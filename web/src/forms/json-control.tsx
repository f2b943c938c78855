import { useEffect, useState } from 'react';
import type { ControlProps } from './form-context.tsx';
import { isRecord } from './schema.ts';
import { unreadable } from './unreadable.ts';

const show = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, undefined, 2));

const parse = (text: string, isFields: boolean): { value: unknown } | { wrong: string } => {
  if (text.trim() === '') return { value: undefined };
  try {
    const value: unknown = JSON.parse(text);
    return isFields && !isRecord(value) ? { wrong: 'fields stand in braces' } : { value };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
};

/** A value as JSON, for what cannot be drawn. Text that is no JSON yet stays, and no form is sent without it. */
export const JsonControl = ({
  value,
  onChange,
  tied,
  rows = 5,
  disabled,
  isFields = false,
}: Pick<ControlProps, 'value' | 'onChange' | 'tied'> & {
  rows?: number;
  disabled?: boolean;
  /** Nothing but an object fits. */
  isFields?: boolean;
}) => {
  const [text, setText] = useState(() => show(value));
  useEffect(() => {
    setText((now) => {
      const parsed = parse(now, isFields);
      return 'wrong' in parsed || JSON.stringify(parsed.value) === JSON.stringify(value) ? now : show(value);
    });
  }, [value, isFields]);
  const parsed = parse(text, isFields);
  return (
    <div className="grid gap-1">
      <textarea
        {...tied}
        {...unreadable('wrong' in parsed)}
        className="field py-2 font-mono text-xs"
        rows={rows}
        spellCheck={false}
        disabled={disabled}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          const next = parse(target.value, isFields);
          if ('value' in next) onChange(next.value);
        }}
      />
      {'wrong' in parsed && (
        <p role="status" className="text-xs text-warn">
          Not JSON yet, so the value before it is kept: {parsed.wrong}
        </p>
      )}
    </div>
  );
};
