import { useEffect, useRef } from 'react';
import { Field } from '../../../ui/field.tsx';
import { FilterHelp } from './filter-help.tsx';

/** "Position 9: …" as the server says it, counted from 1. */
const placed = (error: string | undefined): { at: number; message: string } | undefined => {
  const found = /^Position (\d+): (.+)$/s.exec(error ?? '');
  return found === null ? undefined : { at: Number(found[1]) - 1, message: found[2] ?? '' };
};

/** The filter once more, with the place where it stops making sense. */
const Marked = ({ text, at, message }: { text: string; at: number; message: string }) => (
  <div role="alert" className="grid gap-1 rounded-lg bg-bad-soft p-3 text-xs text-bad">
    <p className="untrusted font-mono">
      {text.slice(0, at)}
      <mark data-part="mistake" className="rounded-sm bg-bad px-0.5 text-page">
        {text[at] ?? '␣'}
      </mark>
      {text.slice(at + 1)}
    </p>
    <p>
      <span className="font-medium">Position {at + 1}.</span> {message}
    </p>
  </div>
);

/** Which mail starts the agent, in the mail service's search syntax. */
export const SearchFilterField = (props: {
  value: string;
  onChange: (text: string) => void;
  error?: string | undefined;
}) => {
  const { value, onChange, error } = props;
  const place = useRef<HTMLInputElement>(null);
  const mistake = placed(error);
  // The cursor goes to where it went wrong, once for each refusal.
  useEffect(() => {
    const { at } = placed(error) ?? {};
    if (at === undefined) return;
    place.current?.focus();
    place.current?.setSelectionRange(at, at + 1);
  }, [error]);
  const insert = (pattern: string) => {
    onChange(value.trim() === '' ? pattern : `${value.trim()} AND ${pattern}`);
    place.current?.focus();
  };
  return (
    <div className="grid gap-2">
      <Field
        label="Search filter"
        optional
        hint="Leave it empty for every mail that arrives."
        error={mistake === undefined ? error : 'This filter is not understood.'}
      >
        <input
          ref={place}
          className="field font-mono"
          value={value}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          placeholder="subject:invoice AND hasAttachments:true"
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
      {mistake !== undefined && <Marked text={value} {...mistake} />}
      <FilterHelp onPick={insert} />
    </div>
  );
};
