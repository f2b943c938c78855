import { CircleAlert, type LucideIcon } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';

/** Says what is being waited for, if it takes long enough to wonder. Its place is kept, so that nothing jumps. */
export const Loading = ({ what, rows = 3 }: { what: string; rows?: number }) => {
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-busy="true" className="grid gap-3">
      <p className={`text-sm text-muted ${isLong ? '' : 'invisible'}`}>{what} …</p>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} aria-hidden="true" className="h-14 animate-pulse rounded-xl bg-sunken" />
      ))}
    </div>
  );
};

/** What went wrong, in the server's words, and a way on. */
export const Problem = ({ error, retry }: { error: unknown; retry?: () => void }) => {
  if (error === null || error === undefined) return null;
  const { message, requestId } = error as { message: string; requestId?: string };
  return (
    <div role="alert" className="grid gap-2 rounded-xl border border-bad/40 bg-bad-soft p-4 text-sm text-bad">
      <p className="flex gap-2 [overflow-wrap:anywhere]">
        <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        {message}
      </p>
      {(retry !== undefined || requestId !== undefined) && (
        <div className="flex flex-wrap items-center gap-3">
          {retry !== undefined && (
            <button type="button" className="button button-quiet" onClick={retry}>
              Try again
            </button>
          )}
          {requestId !== undefined && <span className="text-xs">Reference: {requestId}</span>}
        </div>
      )}
    </div>
  );
};

/** Nothing here yet: what would be, and how to get it. */
export const Empty = ({ icon: Icon, title, children }: { icon: LucideIcon; title: string; children?: ReactNode }) => (
  <div className="card grid justify-items-center gap-3 px-6 py-12 text-center">
    <span className="rounded-full bg-accent-soft p-3 text-accent">
      <Icon aria-hidden="true" className="size-6" />
    </span>
    <h2 className="text-base">{title}</h2>
    <div className="grid max-w-md justify-items-center gap-4 text-sm text-muted">{children}</div>
  </div>
);
