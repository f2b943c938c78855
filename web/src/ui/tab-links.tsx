import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** The parts of a page, each with an address of its own. The open one is in sight, also where not all fit. */
export const TabLinks = (props: {
  label: string;
  to: string;
  tabs: readonly { name: string; title: string; search: Record<string, string> }[];
  current: string | undefined;
}) => {
  const { label, to, tabs, current } = props;
  const place = useRef<HTMLUListElement>(null);
  useEffect(() => {
    place.current?.querySelector(`[data-tab="${current}"]`)?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  return (
    <nav aria-label={label} className="-mx-4 overflow-x-auto px-4 sm:mx-0 sm:px-0">
      <ul ref={place} className="flex min-w-max gap-1 border-b border-line">
        {tabs.map(({ name, title, search }) => (
          <li key={name} data-tab={name}>
            <Link
              to={to}
              search={search}
              // Otherwise the one without words in its address is current on all of them.
              activeOptions={{ exact: true }}
              aria-current={name === current ? 'page' : undefined}
              className={`-mb-px flex min-h-11 items-center border-b-2 px-3 text-sm focus-visible:-outline-offset-2 ${
                name === current
                  ? 'border-accent font-medium text-accent'
                  : 'border-transparent text-muted hover:text-ink forced-colors:border-b-0'
              }`}
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
};
