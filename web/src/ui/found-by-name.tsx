import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import type { useFilters } from '../data/use-filters.ts';
import { FilterBar } from './filter-bar.tsx';
import { Find } from './find.tsx';
import { Listed } from './listed.tsx';
import { Empty } from './states.tsx';

/** A list in which people look for something by a part of its name. */
export const FoundByName = (
  props: ComponentProps<typeof Listed> & {
    filters: ReturnType<typeof useFilters<'query'>>;
    icon: LucideIcon;
    /** What the list is of, such as "tool". */
    kind: string;
    /** What it can be narrowed by besides. */
    narrow?: ReactNode;
  },
) => {
  const { filters, icon, kind, narrow, empty, ...listed } = props;
  const { values, set, clear, any } = filters;
  const { data, items } = listed.of;
  const hasNone = data !== undefined && items.length === 0 && !any;
  const isNameAlone = Object.keys(values).every((name) => name === 'query');
  const notFound = (
    <Empty icon={icon} title={`No ${kind} is ${isNameAlone ? 'called' : 'like'} that`}>
      <p>{isNameAlone ? 'Look for another part of the name.' : 'Choose otherwise, or show all.'}</p>
    </Empty>
  );
  return (
    <>
      {!hasNone && (
        <FilterBar
          any={any}
          chosen={any}
          clear={clear}
          find={<Find label="Find by name" value={values.query} onFind={(part) => set('query', part, 'place')} />}
        >
          {narrow}
        </FilterBar>
      )}
      <Listed {...listed} empty={any ? notFound : empty} />
    </>
  );
};
