import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { VisibleText, withoutUnseen } from './visible-text.tsx';

const arrived: { at: string | undefined; isMoved: boolean } = { at: undefined, isMoved: false };

/** Who hears pages is told of a new one by its heading, which gets the focus; not at the first, nor where a field of it took the focus. */
const useArrival = (heading: RefObject<HTMLElement | null>, title: string): void => {
  // The address changes before the page does.
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  useEffect(() => {
    const { activeElement, body } = document;
    const isNew = arrived.at !== undefined && arrived.at !== pathname;
    arrived.at = pathname;
    arrived.isMoved ||= isNew;
    const isTaken =
      heading.current?.closest('main')?.contains(activeElement) === true && activeElement !== heading.current;
    const isLeft = activeElement === body || activeElement === heading.current;
    if (isTaken || !arrived.isMoved || !(isNew || isLeft)) return;
    // A name that came later is told, too.
    heading.current?.blur();
    heading.current?.focus({ preventScroll: true });
  }, [pathname, title, heading]);
};

/** A page: its title (also of the window), what it is for, what can be done here. */
export const Page = (props: {
  title: string;
  /** Which of its kind it is, or which of its tabs is open, for the window. */
  which?: string | undefined;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) => {
  const { title, which, about, actions, children } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = withoutUnseen([which, title, 'Switchboard'].filter((each) => each !== undefined).join(' · '));
  }, [title, which]);
  useArrival(heading, title);
  return (
    <div className="mx-auto grid w-full max-w-6xl grid-cols-[minmax(0,1fr)] gap-6 px-4 py-6 sm:px-8 sm:py-8">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="grid min-w-0 gap-1">
          <h1 ref={heading} tabIndex={-1} className="text-2xl outline-none [overflow-wrap:anywhere]">
            <VisibleText text={title} />
          </h1>
          {about !== undefined && <p className="max-w-2xl text-sm text-muted [overflow-wrap:anywhere]">{about}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2 sm:justify-end">{actions}</div>}
      </header>
      {children}
    </div>
  );
};

/** A part of a page with a heading of its own. */
export const Section = (props: { title: string; about?: ReactNode; actions?: ReactNode; children: ReactNode }) => {
  const { title, about, actions, children } = props;
  return (
    <section aria-label={title} className="grid grid-cols-[minmax(0,1fr)] content-start gap-3">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-lg">{title}</h2>
          {about !== undefined && <p className="text-sm text-muted">{about}</p>}
        </div>
        {actions}
      </header>
      {children}
    </section>
  );
};
