import { TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import type { ApprovalView } from '../../../../client/src/index.ts';
import { Json } from '../../ui/code.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { Attachments } from './attachments.tsx';
import { concernsOf } from './concerns.ts';
import { EventTimes } from './event-times.tsx';
import { otherFields } from './event-when.ts';
import { InertFrame } from './inert-frame.tsx';
import { makeInert } from './inert-html.ts';
import { People } from './people.tsx';
import { subjectOf } from './use-what-waits.ts';

/** Longer markup is drawn only when somebody asks for it. */
export const quickLength = 300_000;

export type Way = 'rendered' | 'text';
type Part = Omit<ApprovalView, 'parts'>;

const Warnings = ({ warnings }: { warnings: string[] }) => {
  if (warnings.length === 0) return null;
  return (
    <ul aria-label="Warnings" className="grid gap-1.5 rounded-lg bg-warn-soft p-3 text-sm text-warn">
      {warnings.map((warning, at) => (
        <li key={at} className="flex gap-2">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          <VisibleText text={warning} />
        </li>
      ))}
    </ul>
  );
};

/** Of an event that is there already, also whoever invited is told, and who is not invited any more. */
const labelOf = ({ kind, fields }: Part): string => {
  if (kind !== 'event') return 'To';
  return 'event' in fields ? 'Told' : 'Invited';
};

type Shown = {
  part: Part;
  own?: string | undefined;
  way: Way;
  /** Where its attachments are, by their places. */
  opensAt?: string | undefined;
};

/** One message, invitation or request, drawn from what would be sent. */
export const Message = ({ part, own, way, opensAt }: Shown) => {
  const { body, kind, fields } = part;
  const html = body?.html;
  const isLong = html !== undefined && html.length > quickLength;
  const rendered = html !== undefined && way === 'rendered';
  const inert = useMemo(
    () => (html !== undefined && (rendered || !isLong) ? makeInert(html) : undefined),
    [html, rendered, isLong],
  );
  const warnings = [
    ...part.warnings,
    ...concernsOf(part, inert),
    ...(isLong && inert === undefined ? ['The body is too long to be looked through for misleading links.'] : []),
  ];
  const others = otherFields(kind, fields);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Warnings warnings={warnings} />
      <dl className="grid gap-2.5">
        <People label="From" people={part.from === undefined ? [] : [part.from]} />
        <People label={labelOf(part)} people={part.to} own={own} />
        <People label="Cc" people={part.cc} own={own} />
        <People label="Bcc" people={part.bcc} own={own} />
        <People label="Answers to" people={part.replyTo} own={own} />
        {kind === 'event' && <EventTimes fields={fields} />}
      </dl>
      {part.subject !== undefined && (
        <h2 className="said text-lg leading-snug">
          <span className="sr-only">Subject: </span>
          <VisibleText text={subjectOf(part.subject)} />
        </h2>
      )}
      {body !== undefined &&
        (rendered && inert !== undefined ? (
          <InertFrame html={inert.html} title="The body as it would be read" />
        ) : (
          <div
            role="region"
            aria-label="The body as text"
            tabIndex={0}
            className="said rounded-lg border border-line bg-raised p-4 text-sm leading-relaxed"
          >
            {body.text === '' ? (
              <span className="text-muted">The body is empty.</span>
            ) : (
              <VisibleText text={body.text} />
            )}
          </div>
        ))}
      <Attachments attachments={part.attachments} opensAt={opensAt} />
      {Object.keys(others).length > 0 && (
        <div className="grid gap-1.5">
          <h3 className="text-sm text-muted">{kind === 'request' ? 'The request' : 'Everything else it says'}</h3>
          <Json value={others} label={kind === 'request' ? 'The request' : 'Everything else it says'} />
        </div>
      )}
    </div>
  );
};
