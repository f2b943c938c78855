import type { Diagnosis, TriggerWatch } from '../../../../../client/src/index.ts';
import { serverNow } from '../../../data/server-time.ts';
import { StateBadge } from '../../../ui/badge.tsx';
import { OwnWords } from '../../../ui/own-words.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';

const Fact = ({ name, at, none }: { name: string; at: string | null; none: string }) => (
  <div>
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="text-sm">{at === null ? none : <Time at={at} />}</dd>
  </div>
);

const waysInWords: Record<TriggerWatch['way'], string> = {
  push: 'The service notifies us; we look besides.',
  poll: 'We look from time to time.',
};

const Watch = ({
  watch: { resource, state, reason, way, lastNotifiedAt, caughtUpAt, nextLookAt },
  isHeld,
}: {
  watch: TriggerWatch;
  isHeld: boolean;
}) => (
  <li className="grid gap-3 py-4 first:pt-0 last:pb-0">
    <div className="flex flex-wrap items-center gap-2 text-sm">
      {!isHeld && <StateBadge state={state} />}
      <span className="font-medium">
        <VisibleText text={resource} />
      </span>
      <span className="text-muted">{isHeld ? 'Rests until the account works again.' : waysInWords[way]}</span>
    </div>
    {reason !== null && (
      <p className="text-sm text-warn">
        <OwnWords text={reason} />
      </p>
    )}
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
      {way === 'push' && <Fact name="Last notification" at={lastNotifiedAt} none="none yet" />}
      <Fact name="Looked through" at={caughtUpAt} none="not yet" />
      {isHeld ? (
        <Fact name="Next look" at={null} none="when the account works again" />
      ) : (
        <Fact name="Next look" at={Date.parse(nextLookAt) <= serverNow() ? null : nextLookAt} none="now" />
      )}
    </dl>
  </li>
);

const fewWatches = 5;

/** The registrations that the trigger rests on, and what they can no longer tell. */
export const Watches = ({ diagnosis: { watches, gaps, findings } }: { diagnosis: Diagnosis }) => {
  const isHeld = findings.some(({ check, ok }) => check === 'account' && !ok);
  const isSeen =
    !isHeld &&
    watches.length > 0 &&
    watches.every(({ caughtUpAt, state }) => caughtUpAt !== null && state !== 'broken');
  // Of what does not go as it should, such as a closed board, nobody is told that all was seen.
  const isWell = isSeen && watches.every(({ state }) => state !== 'degraded');
  return (
    <div className="card grid gap-4 p-5">
      {watches.length === 0 && <p className="text-sm text-muted">Nothing is watched yet.</p>}
      <ul className="divide-y divide-line">
        {watches.slice(0, fewWatches).map((watch) => (
          <Watch key={watch.id} watch={watch} isHeld={isHeld} />
        ))}
      </ul>
      {watches.length > fewWatches && (
        <p className="text-xs text-muted">and {watches.length - fewWatches} more of the same account</p>
      )}
      {gaps.length === 0 ? (
        <p className="text-xs text-muted">
          {isWell
            ? 'No gaps: everything that happened was seen.'
            : `No gaps are known.${isSeen ? '' : ' What was not looked through yet is still to be seen.'}`}
        </p>
      ) : (
        <section aria-label="Gaps" className="grid gap-2 rounded-lg bg-warn-soft p-3 text-sm text-warn">
          <h3 className="font-medium">What cannot be known any more</h3>
          <ul className="grid gap-1">
            {gaps.map(({ at, text }) => (
              <li key={`${at} ${text}`}>
                <Time at={at} />: <OwnWords text={text} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
};
