import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronDown, TriangleAlert } from 'lucide-react';
import { useEffect, useId, useRef } from 'react';
import type { Account, Integration } from '../../../../client/src/index.ts';
import { useFilters } from '../../data/use-filters.ts';
import { Badge, StateBadge } from '../../ui/badge.tsx';
import { Time } from '../../ui/time.tsx';
import { AccountDetail } from './account-detail.tsx';
import type { Connect } from './use-connect.ts';
import { methodWords } from './words.ts';

export const whoIs = ({ identity, name }: Account): string => {
  const known = identity.address ?? identity.username ?? identity.name;
  return known === name ? identity.name : known;
};

/** One account: who it is and how it stands; opened, everything about it. The address remembers which is open. */
export const AccountCard = (props: { account: Account; integration: Integration; connecting: Connect }) => {
  const { account, integration, connecting } = props;
  const { account: opened } = useSearch({ strict: false }) as { account?: string };
  const { values: narrowed } = useFilters(['query', 'state']);
  const navigate = useNavigate();
  const place = useRef<HTMLElement>(null);
  const detailId = useId();
  const open = opened === account.id;
  const toggle = () =>
    void navigate({
      to: `/integrations/${integration.name}`,
      search: open ? narrowed : { ...narrowed, account: account.id },
      replace: true,
      resetScroll: false,
    });
  useEffect(() => {
    if (open) place.current?.scrollIntoView({ block: 'nearest' });
  }, [open]);
  return (
    <article ref={place} className="card row-lazy scroll-mt-20" aria-label={account.name}>
      <h3 className="contents">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={detailId}
          onClick={toggle}
          className="flex w-full items-center gap-4 rounded-xl p-4 text-left hover:bg-hover"
        >
          <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-2">
            <span className="grid room-40 flex-1 gap-0.5">
              <span className="untrusted font-medium tracking-normal">{account.name}</span>
              <span className="untrusted text-sm font-normal tracking-normal text-muted">{whoIs(account)}</span>
            </span>
            <span className="flex flex-wrap items-center gap-2 text-xs font-normal tracking-normal text-muted">
              {account.endUserId !== undefined && <Badge tone="info">End user {account.endUserId}</Badge>}
              {account.identity.kind !== undefined && <Badge>{account.identity.kind}</Badge>}
              <span>{methodWords[account.authMethod] ?? account.authMethod}</span>
              <span aria-hidden="true">·</span>
              <Time at={account.createdAt} />
            </span>
            <StateBadge state={account.state} />
          </span>
          <ChevronDown
            aria-hidden="true"
            className={`size-4 shrink-0 text-muted transition-transform ${open ? 'rotate-180' : ''}`}
          />
        </button>
      </h3>
      {account.reason !== undefined && account.state !== 'connected' && (
        <p className="mx-4 mb-4 flex gap-2 rounded-lg bg-bad-soft p-3 text-sm text-bad">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          <span className="untrusted">{account.reason}</span>
        </p>
      )}
      <div id={detailId}>
        {open && <AccountDetail account={account} integration={integration} connecting={connecting} />}
      </div>
    </article>
  );
};
