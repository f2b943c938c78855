import { type ReactNode, useEffect } from 'react';

/** A page: its title (also of the window), what it is for, what can be done here. */
export const Page = (props: { title: string; about?: ReactNode; actions?: ReactNode; children: ReactNode }) => {
  const { title, about, actions, children } = props;
  useEffect(() => {
    document.title = `${title} · Switchboard`;
  }, [title]);
  return (
    <div className="mx-auto grid w-full max-w-6xl grid-cols-[minmax(0,1fr)] gap-6 px-4 py-6 sm:px-8 sm:py-8">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="grid gap-1">
          <h1 className="text-2xl [overflow-wrap:anywhere]">{title}</h1>
          {about !== undefined && <p className="max-w-2xl text-sm text-muted">{about}</p>}
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
        <div>
          <h2 className="text-lg">{title}</h2>
          {about !== undefined && <p className="text-sm text-muted">{about}</p>}
        </div>
        {actions}
      </header>
      {children}
    </section>
  );
};
