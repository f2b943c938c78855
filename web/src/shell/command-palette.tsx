import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import type { Answer } from '../../../client/src/index.ts';
import { whoIfNotNamed } from '../data/use-names.ts';
import { useRead } from '../data/use-read.ts';
import { Dialog } from '../ui/dialog.tsx';
import { type Command, findCommands } from './find-commands.ts';
import { places } from './places.ts';

/** Whose it is: many accounts may have one name. */
const accountWords = (account: Answer<'GET /v1/names'>['accounts'][number]): string => {
  const { endUserId } = account;
  const endUser = endUserId === null ? undefined : `end user ${endUserId}`;
  return ['Account', whoIfNotNamed(account), endUser].filter((words) => words !== undefined).join(', ');
};

const useCommands = (open: boolean): Command[] => {
  const { data } = useRead('GET /v1/names', {}, { enabled: open });
  const { agents = [], tools = [], accounts = [], triggers = [] } = data ?? {};
  const agentOf = new Map(agents.map(({ id, name }) => [id, name]));
  return [
    ...places.map(({ title, about, to }) => ({ title, hint: about, to })),
    { title: 'Triggers', hint: 'All that start agents, and whether they work', to: '/triggers' },
    {
      title: 'Broken triggers',
      hint: 'What cannot start its agent, and why',
      to: '/triggers',
      search: { state: 'broken' },
    },
    { title: 'New agent', hint: 'Make an agent', to: '/agents/new' },
    { title: 'New tool', hint: 'Make a tool of steps', to: '/tools/new' },
    ...agents.map(({ id, name }) => ({ title: name, hint: 'Agent', to: `/agents/${id}` })),
    ...tools.map(({ id, name }) => ({ title: name, hint: 'Tool', to: `/tools/${id}` })),
    ...accounts.map((account) => ({
      title: account.name,
      hint: accountWords(account),
      to: `/integrations/${account.integration}`,
      search: { account: account.id },
    })),
    ...triggers.map(({ id, name, agentId }) => ({
      title: name,
      hint: `Trigger of ${agentOf.get(agentId) ?? 'its agent'}`,
      to: `/triggers/${id}`,
    })),
  ];
};

/** Ctrl K or ⌘ K: go anywhere by typing. */
export const CommandPalette = ({ open, setOpen }: { open: boolean; setOpen: (open: boolean) => void }) => {
  const navigate = useNavigate();
  const listId = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const found = findCommands(useCommands(open), text);

  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [setOpen]);

  useEffect(() => {
    document.getElementById(`${listId}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [listId, at]);

  const close = () => {
    setOpen(false);
    setText('');
    setAt(0);
  };
  const go = (command: Command | undefined) => {
    if (command === undefined) return;
    close();
    void navigate({ to: command.to, search: command.search ?? {} });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setAt((at + step + found.length) % found.length);
    }
    if (event.key === 'Enter') go(found[at]);
  };

  return (
    <Dialog title="Go to" open={open} onClose={close} isLight>
      <div className="grid gap-3">
        <div className="relative">
          <Search aria-hidden="true" className="absolute top-3 left-3 size-4 text-muted" />
          <input
            className="field pl-9"
            role="combobox"
            aria-label="Page, agent, tool or account"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={found[at] === undefined ? undefined : `${listId}-${at}`}
            placeholder="Page, agent, tool or account"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
        <ul id={listId} role="listbox" aria-label="Found" className="grid">
          {found.map((command, index) => (
            <li
              key={`${command.to} ${command.title} ${index}`}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === at}
              onMouseMove={() => setAt(index)}
              onClick={() => go(command)}
              className={`flex min-h-10 cursor-default items-center justify-between gap-4 rounded-lg px-3 text-sm cramped:flex-wrap cramped:gap-x-4 cramped:gap-y-0 cramped:py-1 ${index === at ? 'bg-hover' : ''}`}
            >
              <span className="truncate">{command.title}</span>
              <span className="truncate text-xs text-muted">{command.hint}</span>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p className="text-sm text-muted">Nothing has this name.</p>}
      </div>
    </Dialog>
  );
};
