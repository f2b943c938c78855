import { Link } from '@tanstack/react-router';
import { Bot, ChevronRight, KeyRound, User } from 'lucide-react';
import { memo, useState } from 'react';
import type { AuditRecord } from '../../../../client/src/index.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Json } from '../../ui/code.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { placeOf, sentenceOf } from './audit-words.ts';

const icons = { member: User, key: KeyRound, system: Bot };
const kinds = { member: 'Member', key: 'API key', system: 'Switchboard' };

// Not "minutes ago": thousands of rows would each have to keep that true.
const shortly = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

const toneOf = (action: string): Tone | undefined => {
  if (action === 'effect.unknown' || action === 'workspace.stopped') return 'bad';
  if (action === 'effect.sent') return 'info';
  if (/needs_reconnect|\.paused|not_sent|rejected/.test(action)) return 'warn';
  return undefined;
};

/** What it was done to, and the way there as long as it is there. */
const Target = ({ id, name }: { id: string; name: string | undefined }) => {
  const place = placeOf(id);
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-1">
      {place !== undefined && !(place.isNamed && name === undefined) && (
        <Link to={place.to} className="link">
          <VisibleText text={name ?? 'Look at it'} />
        </Link>
      )}
      <code className="self-center font-mono text-xs [overflow-wrap:anywhere]">{id}</code>
    </span>
  );
};

/** Who did what, to what and when; opened, every detail. */
export const AuditRow = memo(({ record, name }: { record: AuditRecord; name: string | undefined }) => {
  const { actor, action, target, at, details } = record;
  const [open, setOpen] = useState(false);
  const Icon = icons[actor.kind];
  const tone = toneOf(action);
  const runId = details['runId'];
  return (
    <li>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="flex min-h-12 cursor-pointer items-start gap-3 px-4 py-3 text-sm hover:bg-hover">
          <span className="mt-0.5 grid size-7 shrink-0 place-items-center rounded-full bg-sunken text-muted">
            <Icon aria-label={kinds[actor.kind]} className="size-4" />
          </span>
          <span className="min-w-0 flex-1">
            <span className="untrusted">
              <span className="font-medium">{actor.name}</span> {sentenceOf(record)}
            </span>
            <span className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
              <Badge {...(tone === undefined ? {} : { tone })}>{action}</Badge>
              {target !== null &&
                (name === undefined ? (
                  <code className="font-mono [overflow-wrap:anywhere]">{target}</code>
                ) : (
                  <VisibleText text={name} />
                ))}
              <time dateTime={at}>{shortly.format(new Date(at))}</time>
            </span>
          </span>
          <ChevronRight aria-hidden="true" className={`mt-1 size-4 shrink-0 text-muted ${open ? 'rotate-90' : ''}`} />
        </summary>
        {open && (
          <div className="grid gap-3 px-4 pb-4 sm:pl-14">
            <p className="flex flex-wrap gap-x-5 gap-y-2 text-sm text-muted">
              <span>
                {new Date(at).toLocaleString('en', { dateStyle: 'full', timeStyle: 'long' })} · {kinds[actor.kind]}{' '}
                <code className="font-mono text-xs">{actor.id}</code>
              </span>
              {target !== null && <Target id={target} name={name} />}
              {typeof runId === 'string' && (
                <Link to="/runs/$id" params={{ id: runId }} className="link">
                  The run
                </Link>
              )}
            </p>
            {Object.keys(details).length > 0 && <Json value={details} label="Details" />}
          </div>
        )}
      </details>
    </li>
  );
});
