import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Field } from './field.tsx';

const pauseMs = 250;

/** Looks for a part of a name in a list while it is typed. What is looked for stands in the address. */
export const Find = (props: { label: string; value: string | undefined; onFind: (part: string) => void }) => {
  const { label, value = '', onFind } = props;
  const [text, setText] = useState(value);
  const told = useRef(value);
  // The way back changes the address, too; what was typed since it was told is not taken away.
  useEffect(() => {
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  const tell = useEffectEvent((part: string) => {
    if (part === value) return;
    told.current = part;
    onFind(part);
  });
  useEffect(() => {
    const timer = setTimeout(() => tell(text.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div className="sm:col-span-2">
      <Field label={label}>
        <input
          className="field"
          type="search"
          maxLength={200}
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
    </div>
  );
};
