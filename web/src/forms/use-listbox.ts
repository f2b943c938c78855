import { type KeyboardEvent, useEffect, useId, useState } from 'react';

/** Arrows, Home, End and Enter over a list, as screen readers expect it of a combobox. */
export const useListbox = (count: number, onPick: (at: number) => void) => {
  const id = useId();
  const [at, setAt] = useState(0);
  const current = Math.min(at, count - 1);
  const optionId = (index: number) => `${id}-${index}`;
  useEffect(() => {
    document.getElementById(`${id}-${current}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, current]);

  /** Whether the key was for the list. */
  const onKey = (event: KeyboardEvent): boolean => {
    const to = { ArrowDown: (current + 1) % count, ArrowUp: (current - 1 + count) % count }[event.key];
    if (to !== undefined && count > 0) setAt(to);
    else if (event.key === 'Enter' && current >= 0) onPick(current);
    else return false;
    event.preventDefault();
    return true;
  };
  return {
    at: current,
    setAt,
    onKey,
    input: {
      role: 'combobox' as const,
      'aria-autocomplete': 'list' as const,
      'aria-controls': id,
      'aria-activedescendant': current < 0 ? undefined : optionId(current),
      autoComplete: 'off',
    },
    list: { id, role: 'listbox' as const },
    option: (index: number) => ({
      id: optionId(index),
      role: 'option' as const,
      'aria-selected': index === current,
      onMouseMove: () => setAt(index),
      // Keeps the focus in the field that is typed in.
      onMouseDown: (event: { preventDefault(): void }) => event.preventDefault(),
      onClick: () => onPick(index),
    }),
  };
};
