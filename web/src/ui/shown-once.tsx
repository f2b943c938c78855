import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from './code.tsx';

/** A secret that cannot be read again: shown whole, to be taken along now. */
export const ShownOnce = ({ value, what, children }: { value: string; what: string; children?: ReactNode }) => (
  <div data-part="shown-once" className="grid grid-cols-[minmax(0,1fr)] gap-3 text-sm">
    <p className="flex gap-2 rounded-lg bg-warn-soft p-3 text-warn">
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {children ?? `Copy the ${what} now: it is not shown again.`}
      </span>
    </p>
    <div className="grid gap-2 sm:grid-cols-[minmax(0,1fr)_auto]">
      <code
        aria-label={what}
        className="rounded-lg bg-sunken px-3 py-2.5 font-mono text-xs [overflow-wrap:anywhere] select-all"
      >
        {value}
      </code>
      <CopyButton text={value} what={what} />
    </div>
  </div>
);
