import { Search } from 'lucide-react';
import { useRef, useState } from 'react';
import type { StepSummary } from '../../../../client/src/index.ts';
import { useRead } from '../../data/use-read.ts';
import { useListbox } from '../../forms/use-listbox.ts';
import { Badge, EffectBadge } from '../../ui/badge.tsx';
import { Problem } from '../../ui/states.tsx';
import { IntegrationIcon } from './integration-icon.tsx';

const groupOf = ({ integration, group }: StepSummary): string =>
  `${integration.charAt(0).toUpperCase()}${integration.slice(1)} · ${group}`;

/** As the server searches: every word somewhere in the step; an integration's name lists all it can do. */
const matches = ({ id, title, group, purpose }: StepSummary, text: string): boolean => {
  const hay = `${id} ${title} ${group} ${purpose}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => hay.includes(word));
};

/** Steps of one group stand together, the deprecated ones last. */
const ordered = (steps: readonly StepSummary[]): StepSummary[] =>
  [...Map.groupBy(steps, groupOf).values()].flatMap((group) =>
    group.toSorted((a, b) => Number(a.deprecated !== undefined) - Number(b.deprecated !== undefined)),
  );

/** The search bar: an integration's name lists all it can do; other words narrow. */
export const StepSearch = ({ onAdd }: { onAdd: (step: StepSummary) => void }) => {
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  // All at once: a list that lagged behind the typing would let Enter add another step than the one that was meant.
  const { data, error, isPending, refetch } = useRead('GET /v1/steps', {}, { enabled: isOpen });
  const found = ordered((data?.items ?? []).filter((step) => matches(step, text)));
  const close = () => {
    setIsOpen(false);
    setText('');
  };
  const open = () => {
    setIsOpen(true);
    // The list opens downwards and needs room there.
    const { bottom } = box.current?.getBoundingClientRect() ?? { bottom: 0 };
    if (innerHeight - bottom < 320) box.current?.scrollIntoView({ block: 'center' });
  };
  const listbox = useListbox(found.length, (at) => {
    const step = found[at];
    if (step === undefined) return;
    close();
    onAdd(step);
  });
  return (
    <div
      ref={box}
      className="relative"
      onBlur={({ relatedTarget }) => !box.current?.contains(relatedTarget) && setIsOpen(false)}
    >
      <Search aria-hidden="true" className="absolute top-3.5 left-3.5 size-4 text-muted" />
      <input
        {...listbox.input}
        aria-expanded={isOpen}
        aria-label="Add a step"
        className="field min-h-11 pl-10"
        placeholder="Add a step: type mail, board, or what it should do"
        value={text}
        onFocus={open}
        onClick={open}
        onChange={({ target }) => {
          setText(target.value);
          setIsOpen(true);
          listbox.setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close();
          else if (event.key === 'ArrowDown' && !isOpen) open();
          else if (isOpen) listbox.onKey(event);
        }}
      />
      {isOpen && (
        <div
          // Browsers make what scrolls a stop of the Tab key.
          tabIndex={-1}
          className="absolute inset-x-0 top-full z-20 mt-1 max-h-[28rem] overflow-y-auto rounded-xl border border-line bg-raised p-1.5 shadow-xl outline-none"
        >
          <p role="status" className="sr-only">
            {found.length} steps found
          </p>
          <ul {...listbox.list} aria-label="Steps">
            {found.map((step, index) => {
              const previous = found[index - 1];
              const isFirst = previous === undefined || groupOf(previous) !== groupOf(step);
              return (
                <li key={step.id} role="presentation">
                  {isFirst && (
                    <p
                      role="presentation"
                      className="flex items-center gap-1.5 px-2.5 pt-2.5 pb-1 text-xs font-medium text-muted"
                    >
                      <IntegrationIcon of={step.integration} className="size-3.5" />
                      {groupOf(step)}
                    </p>
                  )}
                  <div
                    {...listbox.option(index)}
                    className={`flex min-h-11 cursor-default items-center justify-between gap-3 rounded-lg px-2.5 py-1.5 ${index === listbox.at ? 'bg-hover' : ''}`}
                  >
                    <span className="min-w-0">
                      <span className="block text-sm font-medium">{step.title}</span>
                      <span className="block truncate text-xs text-muted">{step.purpose}</span>
                    </span>
                    <span className="flex shrink-0 items-center gap-1.5">
                      {step.deprecated !== undefined && <Badge tone="warn">deprecated</Badge>}
                      <EffectBadge effect={step.effect} />
                    </span>
                  </div>
                </li>
              );
            })}
          </ul>
          {error !== null && <Problem error={error} retry={() => void refetch()} />}
          {isPending && <p className="px-2.5 py-2 text-sm text-muted">Loading …</p>}
          {found.length === 0 && !isPending && error === null && (
            <p className="px-2.5 py-2 text-sm text-muted">No step does this. Try mail, board, card, label or send.</p>
          )}
        </div>
      )}
    </div>
  );
};
