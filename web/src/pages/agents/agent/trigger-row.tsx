import { Link } from '@tanstack/react-router';
import { Mail, Pencil, SquareKanban, Stethoscope } from 'lucide-react';
import type { Trigger } from '../../../../../client/src/index.ts';
import { useSession } from '../../../data/session.tsx';
import { useRead } from '../../../data/use-read.ts';
import { StateBadge } from '../../../ui/badge.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { usePlacesInWords } from '../chosen-names.ts';
import { filterOf } from '../filter-of.ts';
import { paceOf, useTriggerTypes } from '../trigger-types.ts';
import { UnfitEvent } from '../unfit-event.tsx';

const obstacles: Record<string, string> = {
  needs_reconnect: 'its account must be connected again',
  paused: 'its account is paused',
  disconnected: 'its account is disconnected',
};

/** One trigger of an agent. */
export const TriggerRow = ({ trigger, onEdit }: { trigger: Trigger; onEdit: () => void }) => {
  const { may } = useSession();
  const { id, name, type, state, reason, missing, accountId } = trigger;
  const definition = useTriggerTypes().typeOf(type);
  const account = useRead('GET /v1/accounts/{id}', { params: { id: accountId } });
  const Icon = type.startsWith('mail.') ? Mail : SquareKanban;
  const filter = filterOf(trigger);
  const places = usePlacesInWords(trigger);
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 p-4">
      <Icon aria-hidden="true" className="mt-1 size-4 shrink-0 text-muted" />
      <div className="grid min-w-0 flex-1 basis-52 gap-1">
        <div className="flex flex-wrap items-center gap-2">
          <Link
            to={`/triggers/${id}`}
            className="min-h-6 py-0.5 text-sm font-medium [overflow-wrap:anywhere] hover:underline"
          >
            <VisibleText text={name} />
          </Link>
          <StateBadge state={state} />
          {account.data !== undefined && account.data.state !== 'connected' && (
            <span className="text-xs text-warn">{obstacles[account.data.state]}</span>
          )}
        </div>
        <p className="text-xs text-muted [overflow-wrap:anywhere]">
          {definition === undefined
            ? type
            : `${definition.title === name ? '' : `${definition.title} · `}${paceOf(definition)}`}{' '}
          · <VisibleText text={account.data?.name ?? 'its account'} />
          {places !== undefined && (
            <>
              {' · '}
              <VisibleText text={places} />
            </>
          )}
        </p>
        {filter !== undefined && (
          <code className="text-xs">
            <VisibleText text={filter} />
          </code>
        )}
        {reason !== null && (
          <p className="text-xs text-bad">
            <VisibleText text={reason} />
          </p>
        )}
        <UnfitEvent missing={missing} title={definition?.title ?? type} />
      </div>
      <div className="flex gap-1">
        <Link to={`/triggers/${id}`} className="button button-bare px-2.5">
          <Stethoscope aria-hidden="true" className="size-4" />
          <span>Why it fires</span>
        </Link>
        {may('builder') && (
          <button type="button" className="button button-bare px-2.5" onClick={onEdit} aria-label={`Edit ${name}`}>
            <Pencil aria-hidden="true" className="size-4" />
          </button>
        )}
      </div>
    </li>
  );
};
