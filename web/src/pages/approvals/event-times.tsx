import type { ReactNode } from 'react';
import { VisibleText } from '../../ui/visible-text.tsx';

type Fields = Record<string, unknown>;

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Fields)[name] : undefined;

const weekdays = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });

/** A wrong date is seen by its day of the week. */
const weekdayOf = (at: string): string => {
  const day = new Date(`${at.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? '' : `${weekdays.format(day)}, `;
};

const momentOf = (value: unknown): string | undefined => {
  const at = fieldOf(value, 'dateTime');
  if (typeof at !== 'string') return undefined;
  const zone = fieldOf(value, 'timeZone');
  return `${weekdayOf(at)}${at.replace('T', ' ').replace(/:00(?:\.0+)?$/, '')}${typeof zone === 'string' ? ` (${zone})` : ''}`;
};

const placeOf = (value: unknown): string | undefined => {
  const name = fieldOf(value, 'displayName');
  return typeof name === 'string' && name !== '' ? name : undefined;
};

const shown = new Set(['start', 'end', 'location']);

/** What the view has no place of its own for. */
export const otherFields = (kind: string, fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) =>
        value !== undefined &&
        !(kind === 'event' && shown.has(name) && (momentOf(value) ?? placeOf(value)) !== undefined),
    ),
  );

const Row = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="grid gap-x-4 gap-y-1 sm:grid-cols-[5.5rem_minmax(0,1fr)]">
    <dt className="text-sm text-muted">{label}</dt>
    <dd className="text-sm">{children}</dd>
  </div>
);

/** When and where an invitation is for. */
export const EventTimes = ({ fields }: { fields: Fields }) => {
  const [start, end] = [momentOf(fields['start']), momentOf(fields['end'])];
  const place = placeOf(fields['location']);
  return (
    <>
      {start !== undefined && (
        <Row label="Begins">
          <VisibleText text={start} />
        </Row>
      )}
      {end !== undefined && (
        <Row label="Ends">
          <VisibleText text={end} />
        </Row>
      )}
      {place !== undefined && (
        <Row label="Where">
          <VisibleText text={place} />
        </Row>
      )}
    </>
  );
};
