import { Clock, Zap } from 'lucide-react';
import { useState } from 'react';
import { paceOf, type TriggerType } from '../trigger-types.ts';

const Kind = ({ type, onChoose }: { type: TriggerType; onChoose: (id: string) => void }) => {
  const Icon = type.instant ? Zap : Clock;
  return (
    <li>
      <button
        type="button"
        className="card grid h-full w-full content-start gap-1 p-3 text-left hover:border-accent hover:bg-hover"
        onClick={() => onChoose(type.id)}
      >
        <span className="flex flex-wrap items-center justify-between gap-x-2">
          <span className="text-sm font-medium">{type.title}</span>
          <span className="inline-flex items-center gap-1 text-xs text-muted">
            <Icon aria-hidden="true" className="size-3" />
            {paceOf(type)}
          </span>
        </span>
        <span className="text-xs text-muted">{type.purpose}</span>
      </button>
    </li>
  );
};

/** What can start an agent, by integration. */
export const TriggerTypeChoice = ({ types, onChoose }: { types: TriggerType[]; onChoose: (id: string) => void }) => {
  const [text, setText] = useState('');
  const words = text.toLowerCase().split(/\s+/);
  const found = types.filter((type) => {
    const about = `${type.integrationTitle} ${type.title} ${type.purpose}`.toLowerCase();
    return words.every((word) => about.includes(word));
  });
  const groups = [...new Set(found.map(({ integrationTitle }) => integrationTitle))];
  return (
    <div className="grid gap-5">
      <input
        className="field"
        aria-label="Search the triggers"
        placeholder="What should start it? New mail, card moved, comment …"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {groups.map((group) => (
        <section key={group} aria-label={group} className="grid gap-2">
          <h3 className="text-sm text-muted">{group}</h3>
          <ul className="grid gap-2 sm:grid-cols-2">
            {found
              .filter(({ integrationTitle }) => integrationTitle === group)
              .map((type) => (
                <Kind key={type.id} type={type} onChoose={onChoose} />
              ))}
          </ul>
        </section>
      ))}
      {found.length === 0 && <p className="text-sm text-muted">No trigger has these words.</p>}
    </div>
  );
};
