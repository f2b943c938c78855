import { useNames } from '../../data/use-names.ts';
import { Choice } from '../../forms/choice.tsx';
import { Day } from '../../ui/day.tsx';
import { Unread } from '../../ui/unread.tsx';
import { kinds } from './audit-words.ts';
import type { Wanted } from './use-wanted.ts';

const effects = [
  ['', 'Every effect'],
  ['send', 'Sends'],
  ['write', 'Writes'],
  ['destroy', 'Removals'],
] as const;

type Words = readonly [value: string, words: string];

const Select = (props: {
  label: string;
  wide?: boolean;
  value: string;
  choices: readonly Words[];
  onChoose: (value: string) => void;
}) => (
  <select
    className={`field ${props.wide === true ? 'max-lg:col-span-2' : ''}`}
    aria-label={props.label}
    value={props.value}
    onChange={(event) => props.onChoose(event.target.value)}
  >
    {props.choices.map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </select>
);

/** Which records are wanted: whose, what they did, and when. */
export const AuditFilters = ({ wanted, set }: { wanted: Wanted; set: (change: Partial<Wanted>) => void }) => {
  const { accounts, agents, read } = useNames();
  return (
    <search className="grid grid-cols-2 items-end cramped:grid-cols-1 gap-3 lg:grid-cols-[repeat(3,minmax(0,1fr))_minmax(0,1.5fr)]">
      <Select label="Kind" wide value={wanted.kind} choices={kinds} onChoose={(kind) => set({ kind })} />
      <input
        className="field max-lg:col-span-2 lg:col-span-3"
        type="search"
        aria-label="Search"
        placeholder="A name, an id or a word"
        value={wanted.text}
        onChange={(event) => set({ text: event.target.value })}
      />
      <Choice
        label="Account"
        value={wanted.account}
        none="Every account"
        choices={[...accounts]}
        onChoose={(account) => set({ account })}
      />
      <Choice
        label="Agent"
        value={wanted.agent}
        none="Every agent"
        choices={[...agents]}
        onChoose={(agent) => set({ agent })}
      />
      <Select label="Effect" value={wanted.effect} choices={effects} onChoose={(effect) => set({ effect })} />
      <div className="grid grid-cols-2 gap-3 max-lg:col-span-2">
        <Day label="From" value={wanted.from} onChoose={(from) => set({ from })} />
        <Day label="To" value={wanted.to} onChoose={(to) => set({ to })} />
      </div>
      <div className="col-span-full grid gap-3 empty:hidden">
        <Unread of={read} />
      </div>
    </search>
  );
};
