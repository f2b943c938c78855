import { ListFilter } from 'lucide-react';
import { Children, type ReactNode, useId, useState } from 'react';

type Way = { /** Whether the list is narrowed at all. */ any: boolean; clear: () => void };

/** The way back from a narrowed list to all of it. */
export const ShowAll = ({ any, clear }: Way) =>
  any && (
    <button type="button" className="button button-bare justify-self-start" onClick={clear}>
      Show all
    </button>
  );

/** As many as a phone shows without pushing the list out of sight. */
const mostAtOnce = 2;

/** The choices that narrow a list, as many side by side as there is room for; on a phone many of them are shown when asked for. */
export const FilterBar = (
  props: Way & {
    /** Stays in sight. */
    find?: ReactNode;
    /** Whether one of the choices narrows the list: then they are in sight. */
    chosen: boolean;
    children?: ReactNode;
  },
) => {
  const { find, chosen, children, ...way } = props;
  const id = useId();
  const [wanted, setWanted] = useState(false);
  const folds = Children.toArray(children).length > mostAtOnce && !chosen;
  return (
    <div className="grid grid-cols-2 items-end cramped:grid-cols-1 gap-3 sm:grid-cols-[repeat(auto-fill,minmax(9rem,1fr))]">
      {find}
      {folds && (
        <button
          type="button"
          className="button button-bare col-span-2 cramped:col-span-1 justify-self-start sm:hidden"
          aria-expanded={wanted}
          aria-controls={id}
          onClick={() => setWanted(!wanted)}
        >
          <ListFilter aria-hidden="true" className="size-4" />
          Filters
        </button>
      )}
      <div id={id} className={folds && !wanted ? 'hidden sm:contents' : 'contents'}>
        {children}
      </div>
      <ShowAll {...way} />
    </div>
  );
};
