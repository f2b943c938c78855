import { Braces } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useRef, useState } from 'react';
import { useListbox } from './use-listbox.ts';
import type { Variable } from './variables.ts';

const Choices = ({ variables, onPick }: { variables: readonly Variable[]; onPick: (path: string) => void }) => {
  const [text, setText] = useState('');
  const words = text.toLowerCase().split(/\s+/);
  const found = variables
    .filter(({ path, label, group }) => words.every((word) => `${path} ${label} ${group}`.toLowerCase().includes(word)))
    .slice(0, 200);
  const listbox = useListbox(found.length, (at) => {
    const chosen = found[at];
    if (chosen !== undefined) onPick(chosen.path);
  });
  return (
    <>
      <input
        {...listbox.input}
        aria-expanded="true"
        aria-label="Search the variables"
        className="field"
        placeholder="Search"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          listbox.setAt(0);
        }}
        onKeyDown={listbox.onKey}
      />
      <ul {...listbox.list} aria-label="Variables" className="max-h-72 overflow-y-auto">
        {found.map(({ path, label, group, hint }, index) => (
          <li key={path} role="presentation">
            {group !== found[index - 1]?.group && <p className="px-2 pt-2 pb-1 text-xs text-muted">{group}</p>}
            <div
              {...listbox.option(index)}
              title={hint}
              className={`cursor-default rounded-md px-2 py-2 [overflow-wrap:anywhere] ${index === listbox.at ? 'bg-hover' : ''}`}
            >
              <span className="font-mono text-xs">{label}</span>
              {hint !== undefined && <span className="block truncate text-xs text-muted">{hint}</span>}
            </div>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="px-2 py-1 text-muted">No variable has this name.</p>}
    </>
  );
};

/** What is only known when it runs, to put in place of a value. */
export const VariableMenu = (props: {
  label: string;
  variables: readonly Variable[];
  onPick: (path: string) => void;
}) => {
  const [isOpen, setIsOpen] = useState(false);
  const isPicked = useRef(false);
  const name = `Use a variable in ${props.label}`;
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger
        type="button"
        className="button button-bare shrink-0 px-2.5 font-normal"
        aria-label={name}
        title="Use a variable"
      >
        <Braces aria-hidden="true" className="size-4" />
      </Popover.Trigger>
      {/* Not in a portal: inside a dialog that would lie beneath it. */}
      <Popover.Content
        align="end"
        sideOffset={4}
        aria-label={name}
        // Whoever picked one goes on where it was put; the button would open the menu again with the next blank.
        onCloseAutoFocus={(event) => {
          if (isPicked.current) event.preventDefault();
          isPicked.current = false;
        }}
        className="z-40 grid w-80 max-w-[calc(100vw-2rem)] gap-2 rounded-xl border border-line bg-raised p-2 text-sm shadow-xl"
      >
        <Choices
          variables={props.variables}
          onPick={(path) => {
            isPicked.current = true;
            setIsOpen(false);
            props.onPick(path);
          }}
        />
      </Popover.Content>
    </Popover.Root>
  );
};
