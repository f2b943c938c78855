import { Badge } from '../../ui/badge.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { isOutside } from './concerns.ts';

type Person = { name?: string; address: string };

/** One kind of recipients: true addresses first, the names they are given second. */
export const People = ({ label, people, own }: { label: string; people: Person[]; own?: string | undefined }) => {
  if (people.length === 0) return null;
  return (
    <div className="grid gap-x-4 gap-y-1 sm:grid-cols-[5.5rem_minmax(0,1fr)]">
      <dt className="text-sm text-muted">
        {label}
        {people.length > 3 && <span> ({people.length})</span>}
      </dt>
      <dd className="grid max-h-72 gap-1.5 overflow-y-auto">
        {people.map(({ name, address }, at) => (
          <span key={at} className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5 text-sm">
            <span className="font-medium">
              <VisibleText text={address} />
            </span>
            {isOutside(address, own) && <Badge tone="warn">outside</Badge>}
            {name !== undefined && name !== address && (
              <span className="text-muted">
                <VisibleText text={name} />
              </span>
            )}
          </span>
        ))}
      </dd>
    </div>
  );
};

/** Recipients in few words, for a row of a list. */
export const inShort = (given: {
  to: Person[];
  cc: Person[];
  bcc: Person[];
  recipients?: number | undefined;
}): string => {
  const all = [...given.to, ...given.cc, ...given.bcc].map(({ address }) => address);
  const [first = '', second] = all;
  const others = (given.recipients ?? all.length) - 2;
  if (second === undefined) return first;
  return others <= 0 ? `${first}, ${second}` : `${first}, ${second} and ${others} more`;
};
