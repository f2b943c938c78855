import { type KeyboardEvent, useEffect, useRef } from 'react';
import { Field } from '../../../ui/field.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { FilterHelp } from './filter-help.tsx';
import { useFilterCheck } from './use-filter-check.ts';

/** "Position 9: …" as the server says it: characters, counted from 1. */
const placed = (error: string | undefined): { at: number; message: string } | undefined => {
  const found = /^Position (\d+): (.+)$/s.exec(error ?? '');
  return found === null ? undefined : { at: Number(found[1]) - 1, message: found[2] ?? '' };
};

/** How many units of the text lie before a character, as the browser counts them. */
const unitsBefore = (text: string, at: number): number => Array.from(text).slice(0, at).join('').length;

/** Where a text begins: the server counts from there. */
const begin = (text: string): number => text.length - text.trimStart().length;

/** The filter once more, with the place where it stops making sense. */
const Marked = ({
  text,
  at,
  message,
  role,
}: {
  text: string;
  at: number;
  message: string;
  role: 'alert' | 'status';
}) => {
  const characters = Array.from(text);
  return (
    <div role={role} className="grid gap-1 rounded-lg bg-bad-soft p-3 text-xs text-bad">
      <p className="untrusted font-mono">
        {characters.slice(0, at).join('')}
        <mark data-part="mistake" className="rounded-sm bg-bad px-0.5 text-page">
          {characters[at] ?? '␣'}
        </mark>
        {characters.slice(at + 1).join('')}
      </p>
      <p>
        <span className="font-medium">Position {at + 1}.</span> {message}
      </p>
    </div>
  );
};

/** It grows with what is written, so that all of it is seen on a phone; it stays one field of its form. */
const sendOnEnter = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  // As in a field of one line: not while the button is disabled.
  event.currentTarget.form?.querySelector<HTMLButtonElement>('button[type=submit]')?.click();
};

/** Which mail starts the agent, in the mail service's search syntax; checked while it is typed. */
export const SearchFilterField = (props: {
  /** Of the trigger, for the check. */
  type: string;
  /** Empty while none is chosen. */
  accountId: string;
  value: string;
  onChange: (text: string) => void;
  /** Why it was refused when it was tried or saved. */
  error?: string | undefined;
}) => {
  const { type, accountId, value, onChange } = props;
  const place = useRef<HTMLTextAreaElement>(null);
  const checked = useFilterCheck({ type, accountId, text: value });
  const error = props.error ?? checked?.message;
  const mistake = placed(error);
  const refused = placed(props.error)?.at;
  // The cursor goes to where it went wrong, once for each refusal.
  useEffect(() => {
    const input = place.current;
    if (refused === undefined || input === null) return;
    const from = begin(input.value) + unitsBefore(input.value.trim(), refused);
    const to = begin(input.value) + unitsBefore(input.value.trim(), refused + 1);
    input.focus();
    input.setSelectionRange(from, to);
  }, [refused]);
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
        <textarea
          ref={place}
          rows={1}
          className="field max-h-72 field-sizing-content resize-none py-2 font-mono"
          value={value}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          placeholder="subject:invoice AND hasAttachments:true"
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={sendOnEnter}
        />
      </Field>
      {mistake !== undefined && (
        <Marked
          text={(props.error === undefined && checked !== undefined ? checked.text : value).trim()}
          role={props.error === undefined ? 'status' : 'alert'}
          {...mistake}
        />
      )}
      {error === undefined && checked !== undefined && checked.hints.length > 0 && (
        <div role="status" className="grid gap-1 rounded-lg bg-warn-soft p-3 text-xs text-warn">
          {checked.hints.map((hint) => (
            <p key={hint}>
              <VisibleText text={hint} />
            </p>
          ))}
        </div>
      )}
      <FilterHelp onPick={insert} />
    </div>
  );
};
