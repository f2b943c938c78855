import { type ReactNode, useState } from 'react';
import type { Approval } from '../../../../client/src/index.ts';
import { Json } from '../../ui/code.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { Message, quickLength, type Way } from './message.tsx';

const ways = { rendered: 'Rendered', text: 'Text', exact: 'Exact request' } as const;
type Shown = Way | 'exact';

const Switch = ({ value, choose, offered }: { value: Shown; choose: (way: Shown) => void; offered: Shown[] }) => (
  <div role="group" aria-label="How it is shown" className="flex flex-wrap rounded-lg bg-sunken p-1 max-sm:w-full">
    {offered.map((way) => (
      <button
        key={way}
        type="button"
        aria-pressed={value === way}
        onClick={() => choose(way)}
        className="min-h-10 rounded-md px-2 text-sm whitespace-nowrap sm:px-3 text-muted aria-pressed:bg-raised aria-pressed:font-medium aria-pressed:text-ink aria-pressed:shadow-sm max-sm:flex-1"
      >
        {ways[way]}
      </button>
    ))}
  </div>
);

const Requests = ({ approval }: { approval: Approval }) => (
  <div className="grid gap-4">
    <p className="text-sm text-muted">
      This is what goes to the service, in this order. Long files stand here by their size and SHA-256. The decision is
      bound to all of it.
    </p>
    {[approval.request, ...approval.following].map((request, at) => (
      <div key={at} className="grid gap-1.5">
        <h3 className="font-mono text-xs">
          <span className="font-semibold">{request.method}</span> <VisibleText text={request.path} />
        </h3>
        <Json
          value={Object.fromEntries(Object.entries(request).filter(([name]) => name !== 'method' && name !== 'path'))}
          label={`Request ${at + 1}`}
        />
      </div>
    ))}
    <p className="text-xs text-muted">
      Digest <span className="font-mono break-all">{approval.digest}</span>
    </p>
  </div>
);

/** Exactly what would be sent, and as whom. */
export const Letter = ({ approval, heading }: { approval: Approval; heading?: ReactNode }) => {
  const { view, account } = approval;
  const who = account.address ?? account.username ?? account.name;
  const all = [view, ...(view.parts ?? [])];
  const hasHtml = all.some(({ body }) => body?.html !== undefined);
  const isLong = all.some(({ body }) => (body?.html?.length ?? 0) > quickLength);
  const [chosen, choose] = useState<Shown>();
  const way = chosen ?? (hasHtml && !isLong ? 'rendered' : 'text');
  const drawn: Way = way === 'rendered' ? 'rendered' : 'text';
  return (
    <section aria-label="What would be sent" className="card grid grid-cols-[minmax(0,1fr)] gap-4 p-4 sm:p-6">
      {heading}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 text-sm">
          <span className="text-muted">{approval.status === 'pending' ? 'Would leave as ' : 'As '}</span>
          <span className="font-medium">
            <VisibleText text={who} />
          </span>
          {account.name !== who && (
            <span className="text-muted">
              {' '}
              (<VisibleText text={account.name} />)
            </span>
          )}
        </p>
        <Switch value={way} choose={choose} offered={[...(hasHtml ? (['rendered'] as const) : []), 'text', 'exact']} />
      </div>
      {way === 'exact' ? (
        <Requests approval={approval} />
      ) : (
        <>
          <Message
            part={view.parts === undefined ? view : { ...view, fields: {} }}
            own={account.address}
            way={drawn}
            opensAt={approval.status === 'pending' ? `/v1/approvals/${approval.id}/attachments` : undefined}
          />
          {view.parts?.map((part, at) => (
            <section key={at} aria-label={`Part ${at + 1}`} className="grid gap-3 rounded-lg border border-line p-4">
              <h3 className="text-sm text-muted">
                Part {at + 1} of {view.parts?.length}
              </h3>
              <Message part={part} own={account.address} way={drawn} />
            </section>
          ))}
        </>
      )}
    </section>
  );
};
