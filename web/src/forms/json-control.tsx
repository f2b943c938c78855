import { useEffect, useState } from 'react';
import type { ControlProps } from './form-context.tsx';

const show = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, undefined, 2));

const parse = (text: string): { value: unknown } | { wrong: string } => {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
};

/** A value as JSON, for what cannot be drawn. Text that is no JSON yet stays; the value before it is kept. */
export const JsonControl = ({
  value,
  onChange,
  tied,
  rows = 5,
  disabled,
}: Pick<ControlProps, 'value' | 'onChange' | 'tied'> & { rows?: number; disabled?: boolean }) => {
  const [text, setText] = useState(() => show(value));
  useEffect(() => {
    setText((now) => {
      const parsed = parse(now);
      return 'wrong' in parsed || JSON.stringify(parsed.value) === JSON.stringify(value) ? now : show(value);
    });
  }, [value]);
  const parsed = parse(text);
  return (
    <div className="grid gap-1">
      <textarea
        {...tied}
        {...('wrong' in parsed ? { 'data-unreadable': true, 'aria-invalid': true } : {})}
        className="field py-2 font-mono text-xs"
        rows={rows}
        spellCheck={false}
        disabled={disabled}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          const next = parse(target.value);
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
