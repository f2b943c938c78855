import { ChevronDown, LoaderCircle } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { VisibleText } from '../ui/visible-text.tsx';
import type { ControlProps } from './form-context.tsx';
import { useListbox } from './use-listbox.ts';

export type Item = { value: string; label: string; hint?: string | undefined };

const mostRows = 100;

const matches = ({ label, hint = '', value }: Item, text: string): boolean => {
  const hay = `${label} ${hint} ${value}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => hay.includes(word));
};

/** A drop-down to search in. Unless it is closed, what is not in it can be typed: an id or a name. */
export const Combobox = (props: {
  tied: Partial<ControlProps['tied']>;
  label: string;
  /** What is chosen, as people call it. */
  shown: string;
  items: readonly Item[];
  onPick: (value: string) => void;
  onOpen?: () => void;
  isPending?: boolean;
  error?: unknown;
  retry?: () => void;
  /** Above the list, such as the board that is looked at. */
  header?: ReactNode;
  /** Why there is no list yet. */
  note?: string | undefined;
  placeholder?: string;
  disabled?: boolean;
  required?: boolean;
  isClosed?: boolean;
}) => {
  const { tied, label, shown, items, onPick, onOpen, isPending = false, error, retry, header, note } = props;
  const { isClosed = false } = props;
  const [text, setText] = useState<string>();
  const [isOpen, setIsOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const typed = text?.trim() ?? '';
  const fitting = items.filter((item) => typed === '' || matches(item, typed));
  const found = fitting.slice(0, mostRows);
  const isNew = !isClosed && typed !== '' && !items.some((item) => item.label === typed || item.value === typed);
  const rows = isNew ? [...found, { value: typed, label: `Use “${typed}”`, hint: 'as id or name' }] : found;

  // It opens downwards, where there may be little room, and grows as its values come.
  useEffect(() => {
    if (isOpen) list.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen, rows.length]);

  const close = () => {
    setIsOpen(false);
    setText(undefined);
  };
  const pick = (value: string) => {
    onPick(value);
    close();
  };
  const listbox = useListbox(rows.length, (at) => {
    const row = rows[at];
    if (row !== undefined) pick(row.value);
  });
  const open = () => {
    if (!isOpen) onOpen?.();
    setIsOpen(true);
  };
  // What was typed counts, also when it was not chosen from the list.
  const leave = () => {
    if (text === undefined || text === shown) return close();
    const exact = items.find((item) => item.label === typed);
    if (!isClosed) return pick(exact?.value ?? typed);
    const only = exact ?? (fitting.length === 1 ? fitting[0] : undefined);
    return only === undefined ? close() : pick(only.value);
  };

  return (
    <div
      ref={box}
      className="relative"
      onBlur={(event) => {
        if (!box.current?.contains(event.relatedTarget)) leave();
      }}
    >
      <input
        {...tied}
        {...listbox.input}
        aria-expanded={isOpen}
        className="field pr-9"
        disabled={props.disabled}
        required={props.required}
        placeholder={props.placeholder}
        value={text ?? shown}
        onClick={({ currentTarget }) => {
          open();
          // Letters look for another one, and are not added to what is chosen.
          if (isClosed && text === undefined) currentTarget.select();
        }}
        onChange={(event) => {
          setText(event.target.value);
          listbox.setAt(0);
          open();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && isOpen) {
            event.preventDefault();
            event.stopPropagation();
            close();
          } else if (!isOpen && event.key === 'ArrowDown') {
            event.preventDefault();
            open();
          } else if (isOpen) listbox.onKey(event);
        }}
      />
      <span aria-hidden="true" className="pointer-events-none absolute top-0 right-3 flex h-10 items-center text-muted">
        {isPending ? <LoaderCircle className="size-4 animate-spin" /> : <ChevronDown className="size-4" />}
      </span>
      {isOpen && (
        <div
          ref={list}
          className="absolute inset-x-0 top-full z-20 mt-1 scroll-mb-4 [main_&]:scroll-mb-36 grid max-h-80 grid-rows-[auto_1fr] overflow-hidden rounded-lg border border-line bg-raised text-sm shadow-xl"
        >
          {header}
          <div tabIndex={-1} className="overflow-y-auto p-1 outline-none">
            <ul {...listbox.list} aria-label={label}>
              {rows.map((item, index) => (
                <li
                  key={item.value}
                  {...listbox.option(index)}
                  className={`flex min-h-10 cursor-default items-center justify-between gap-3 rounded-md px-2.5 py-1 ${index === listbox.at ? 'bg-hover' : ''}`}
                >
                  <VisibleText text={item.label} />
                  {item.hint !== undefined && (
                    <span className="text-xs text-muted">
                      <VisibleText text={item.hint} />
                    </span>
                  )}
                </li>
              ))}
            </ul>
            <div role="status">
              {isPending && <p className="px-2.5 py-2 text-muted">Loading …</p>}
              {error !== null && error !== undefined && (
                <p className="grid justify-items-start gap-1 px-2.5 py-2 text-bad">
                  {(error as Error).message}
                  {retry !== undefined && (
                    <button type="button" className="link" onClick={retry}>
                      Try again
                    </button>
                  )}
                </p>
              )}
              {fitting.length > found.length && (
                <p className="px-2.5 py-2 text-muted">
                  {fitting.length - found.length} more are not shown. Type a part of the name to find them.
                </p>
              )}
              {note !== undefined && <p className="px-2.5 py-2 text-muted">{note}</p>}
              {rows.length === 0 && !isPending && !error && note === undefined && (
                <p className="px-2.5 py-2 text-muted">
                  {isClosed
                    ? 'Nothing is called like that.'
                    : 'Nothing to choose from here. Type an id or a name instead.'}
                </p>
              )}
            </div>
          </div>
        </div>
      )}
    </div>
  );
};
