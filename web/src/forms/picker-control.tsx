import { X } from 'lucide-react';
import { useState } from 'react';
import { VisibleText } from '../ui/visible-text.tsx';
import { asSaved, nameIn, savedNameIn, unnamed } from './chosen-words.ts';
import { Combobox } from './combobox.tsx';
import { type ControlProps, useForm } from './form-context.tsx';
import { narrowingOf, useOptions } from './use-options.ts';

/** Everything a drop-down of the service needs: its values, the board to look at, and what is missing. */
const useChoices = (picker: string, isWanted: boolean) => {
  const form = useForm();
  const narrowing = narrowingOf(form, picker);
  const [board, setBoard] = useState('');
  const needsBoard = 'needs' in narrowing && narrowing.needs === 'board';
  const boards = useOptions('boards', needsBoard ? [{}] : [], isWanted);
  const looked = board === '' && boards.options.length === 1 ? (boards.options[0]?.value ?? '') : board;
  const browsing = needsBoard && looked !== '' ? [{ board: looked }] : [];
  const found = useOptions(picker, 'asks' in narrowing ? narrowing.asks : browsing, isWanted);
  const header = needsBoard && (
    <label className="flex items-center gap-2 border-b border-line p-2 text-xs text-muted">
      On board
      <select className="field min-h-9 flex-1" value={looked} onChange={(event) => setBoard(event.target.value)}>
        <option value="">Choose a board …</option>
        {boards.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
  let note: string | undefined;
  if (form.accountId === undefined) note = 'Choose an account to see a list. An id or a name can be typed.';
  else if ('needs' in narrowing && narrowing.needs === 'card') note = 'Choose the card first, or type an id or a name.';
  else if (needsBoard && looked === '' && !boards.isPending) note = 'Choose a board to see its entries, or type an id.';
  return {
    items: found.options,
    isWhole: 'asks' in narrowing && form.accountId !== undefined && found.error === null,
    isPending: found.isPending || boards.isPending,
    error: found.error ?? boards.error,
    retry: found.error === null ? boards.retry : found.retry,
    header,
    note: found.error === null && boards.error === null ? note : undefined,
  };
};

/** A value of the service: a folder, a label, a board, a list, a card, a member. */
export const PickerControl = ({ schema, value, onChange, label, tied }: ControlProps) => {
  const { disabled } = useForm();
  const current = typeof value === 'string' ? value : '';
  const [isWanted, setIsWanted] = useState(false);
  const { isWhole: _, ...choices } = useChoices(schema.picker ?? '', isWanted || current !== '');
  const shown = nameIn({ options: choices.items }, current) ?? current;
  return (
    <Combobox
      tied={tied}
      label={label}
      shown={shown}
      {...choices}
      disabled={disabled}
      onOpen={() => setIsWanted(true)}
      onPick={(next) => onChange(next === '' ? undefined : next)}
      placeholder="Search or type"
    />
  );
};

/** Several values of the service. */
export const ManyPicker = ({ schema, value, onChange, label, tied }: ControlProps) => {
  const { disabled, names } = useForm();
  const current = Array.isArray(value) ? (value as string[]) : [];
  const [isWanted, setIsWanted] = useState(false);
  const { isWhole, ...choices } = useChoices(schema.items?.picker ?? '', isWanted || current.length > 0);
  const offer = { options: choices.items, isPending: choices.isPending, isWhole };
  const nameOf = (id: string) => {
    const saved = savedNameIn(names, id);
    return nameIn(offer, id) ?? (saved === undefined ? unnamed(offer, id) : asSaved(offer, saved));
  };
  const set = (next: string[]) => onChange(next.length === 0 ? undefined : next);
  return (
    <div className="grid gap-2">
      {current.length > 0 && (
        <ul className="flex flex-wrap gap-1.5" aria-label={`${label}, chosen`}>
          {current.map((id) => (
            <li key={id} className="flex items-center rounded-3xl bg-accent-soft pl-3 text-sm text-accent">
              <span className="py-1">
                <VisibleText text={nameOf(id)} />
              </span>
              <button
                type="button"
                className="grid size-10 place-items-center rounded-full hover:bg-hover sm:size-8"
                aria-label={`Remove ${nameOf(id)}`}
                disabled={disabled}
                onClick={() => set(current.filter((each) => each !== id))}
              >
                <X aria-hidden="true" className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Combobox
        tied={{ 'aria-label': label, ...tied }}
        label={label}
        shown=""
        {...choices}
        items={choices.items.filter(({ value: each, id = each }) => !current.includes(each) && !current.includes(id))}
        disabled={disabled}
        onOpen={() => setIsWanted(true)}
        onPick={(next) => next !== '' && !current.includes(next) && set([...current, next])}
        placeholder={current.length === 0 ? 'Search or type' : 'Add another'}
      />
    </div>
  );
};
