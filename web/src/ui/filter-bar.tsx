import type { ReactNode } from 'react';

type Way = { /** Whether the list is narrowed at all. */ any: boolean; clear: () => void };

/** The way back from a narrowed list to all of it. */
export const ShowAll = ({ any, clear }: Way) =>
  any && (
    <button type="button" className="button button-bare justify-self-start" onClick={clear}>
      Show all
    </button>
  );

/** The choices that narrow a list, as many side by side as there is room for. */
export const FilterBar = ({ children, ...way }: Way & { children: ReactNode }) => (
  <div className="grid grid-cols-2 items-end cramped:grid-cols-1 gap-3 sm:grid-cols-[repeat(auto-fill,14rem)]">
    {children}
    <ShowAll {...way} />
  </div>
);
