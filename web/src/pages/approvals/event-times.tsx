import { VisibleText } from '../../ui/visible-text.tsx';
import { repeatsOf } from './event-repeats.ts';
import { type Fields, placeOf, whenOf } from './event-when.ts';

const Row = ({ label, text }: { label: string; text: string }) => (
  <div className="grid gap-x-4 gap-y-1 sm:grid-cols-[5.5rem_minmax(0,1fr)]">
    <dt className="text-sm text-muted">{label}</dt>
    <dd className="text-sm">
      <VisibleText text={text} />
    </dd>
  </div>
);

/** When, how often and where an invitation is for. */
export const EventTimes = ({ fields }: { fields: Fields }) => {
  const [place, repeats] = [placeOf(fields), repeatsOf(fields)];
  return (
    <>
      {whenOf(fields).map(([label, text]) => (
        <Row key={label} label={label} text={text} />
      ))}
      {repeats !== undefined && <Row label="Repeats" text={repeats} />}
      {place !== undefined && <Row label="Where" text={place} />}
    </>
  );
};
