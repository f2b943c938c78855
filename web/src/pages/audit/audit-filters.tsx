import { useNames } from '../../data/use-names.ts';
import { Day } from '../../ui/day.tsx';
import { Field } from '../../ui/field.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { Narrow } from '../../ui/narrow.tsx';
import { Unread } from '../../ui/unread.tsx';
import { kinds } from './audit-words.ts';
import type { Wanted } from './use-wanted.ts';

const effects = [
  ['send', 'Sends'],
  ['write', 'Writes'],
  ['destroy', 'Removals'],
] as const;

const everything: Wanted = { kind: '', text: '', account: '', agent: '', effect: '', from: '', to: '' };

/** Which records are wanted: whose, what they did, and when. */
export const AuditFilters = ({ wanted, set }: { wanted: Wanted; set: (change: Partial<Wanted>) => void }) => {
  const { accounts, agents, read } = useNames();
  const { text, ...choices } = wanted;
  const chosen = Object.values(choices).some((value) => value !== '');
  return (
    <search className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <FilterBar
        any={chosen || text !== ''}
        chosen={chosen}
        clear={() => set(everything)}
        find={
          <div className="col-span-2 cramped:col-span-1">
            <Field label="Search">
              <input
                className="field"
                type="search"
                placeholder="A name, an id or a word"
                value={text}
                onChange={(event) => set({ text: event.target.value })}
              />
            </Field>
          </div>
        }
      >
        <Narrow label="Kind" value={wanted.kind} choices={kinds} onChoose={(kind) => set({ kind })} />
        <Narrow label="Effect" value={wanted.effect} choices={effects} onChoose={(effect) => set({ effect })} />
        <Narrow label="Account" value={wanted.account} choices={accounts} onChoose={(account) => set({ account })} />
        <Narrow label="Agent" value={wanted.agent} choices={agents} onChoose={(agent) => set({ agent })} />
        <Day label="From" value={wanted.from} onChoose={(from) => set({ from })} />
        <Day label="To" value={wanted.to} onChoose={(to) => set({ to })} />
      </FilterBar>
      <Unread of={read} />
    </search>
  );
};
