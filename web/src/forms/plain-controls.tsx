import { useEffect, useState } from 'react';
import { type ControlProps, useForm } from './form-context.tsx';
import { type Scalar, type Shape, shapeOf } from './schema.ts';
import { asText, choiceInWords, inWords } from './words.ts';

const byDefault = (value: unknown, required: boolean): string => {
  const words = inWords(value);
  if (words !== undefined) return `Default: ${words}`;
  return required ? 'Choose …' : 'Not set';
};

export const NumberControl = ({ schema, value, onChange, tied }: ControlProps) => {
  const { disabled } = useForm();
  const [text, setText] = useState(asText(value));
  // What is typed half way (“-”, “1.”) is no number yet, and must not be taken away.
  useEffect(() => {
    setText((now) => (now !== '' && Number(now) === value ? now : asText(value)));
  }, [value]);
  return (
    <input
      {...tied}
      className="field"
      type="number"
      step={schema.type === 'integer' ? 1 : 'any'}
      min={schema.minimum}
      max={schema.maximum}
      disabled={disabled}
      placeholder={inWords(schema.default)}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        onChange(target.value === '' ? undefined : target.valueAsNumber);
      }}
    />
  );
};

export const SwitchControl = ({ schema, value, onChange, tied, required }: ControlProps) => {
  const { disabled } = useForm();
  return (
    <select
      {...tied}
      className="field"
      disabled={disabled}
      value={asText(value)}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value === 'true')}
    >
      <option value="">{byDefault(schema.default, required)}</option>
      <option value="true">Yes</option>
      <option value="false">No</option>
    </select>
  );
};

export const ChoiceControl = ({ schema, value, onChange, tied, required }: ControlProps) => {
  const { disabled } = useForm();
  const { options } = shapeOf(schema) as Extract<Shape, { kind: 'choice' }>;
  const usual = options.find((option) => option === schema.default);
  return (
    <select
      {...tied}
      className="field"
      disabled={disabled}
      value={value === undefined ? '' : options.indexOf(value as Scalar)}
      onChange={({ target }) => onChange(target.value === '' ? undefined : options[Number(target.value)])}
    >
      <option value="">{byDefault(usual && choiceInWords(usual), required)}</option>
      {options.map((option, at) => (
        <option key={String(option)} value={at}>
          {choiceInWords(option)}
        </option>
      ))}
    </select>
  );
};

/** Several of a few. */
export const ManyChoice = ({ schema, value, onChange, label }: ControlProps) => {
  const { disabled } = useForm();
  const { options } = shapeOf(schema.items ?? {}) as Extract<Shape, { kind: 'choice' }>;
  const chosen = Array.isArray(value) ? value : Array.isArray(schema.default) ? schema.default : [];
  const toggle = (option: Scalar) => {
    const next = options.filter((each) => (each === option ? !chosen.includes(each) : chosen.includes(each)));
    onChange(next.length === 0 && !Array.isArray(schema.default) ? undefined : next);
  };
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-x-4">
      {options.map((option) => (
        <label key={String(option)} className="flex min-h-10 items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-accent-strong"
            disabled={disabled}
            checked={chosen.includes(option)}
            onChange={() => toggle(option)}
          />
          {choiceInWords(option)}
        </label>
      ))}
    </div>
  );
};

const written = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

const hereOffset = (day: string): string => {
  const minutes = -new Date(`${day}T12:00`).getTimezoneOffset();
  const two = (part: number) => String(Math.floor(Math.abs(part))).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
};

/** A day, with a time where the field admits one. Another way of writing it is kept as text. */
export const TimeControl = ({ schema, value, onChange, label, tied }: ControlProps) => {
  const { disabled } = useForm();
  const { withTime, needsOffset } = shapeOf(schema) as Extract<Shape, { kind: 'time' }>;
  const text = typeof value === 'string' ? value : '';
  const parts = written.exec(text);
  if (text !== '' && parts === null) {
    return (
      <input
        {...tied}
        className="field font-mono"
        disabled={disabled}
        value={text}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      />
    );
  }
  const [, day = '', time = '', offset = ''] = parts ?? [];
  const set = (nextDay: string, nextTime: string) => {
    if (nextDay === '') return onChange(undefined);
    const clock = nextTime === '' && needsOffset ? '00:00' : nextTime;
    if (clock === '') return onChange(nextDay);
    return onChange(`${nextDay}T${clock}:00${offset === '' && needsOffset ? hereOffset(nextDay) : offset}`);
  };
  return (
    <div className="flex flex-wrap gap-2">
      <input
        {...tied}
        type="date"
        className="field room-36 flex-1"
        disabled={disabled}
        value={day}
        onChange={({ target }) => set(target.value, time)}
      />
      {withTime && (
        <input
          type="time"
          aria-label={`${label}: time`}
          className="field room-28 flex-1"
          disabled={disabled || day === ''}
          value={time}
          onChange={({ target }) => set(day, target.value)}
        />
      )}
      {offset !== '' && <span className="self-center font-mono text-xs text-muted">{offset}</span>}
    </div>
  );
};
