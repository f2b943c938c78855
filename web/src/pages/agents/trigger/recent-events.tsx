import { Link } from '@tanstack/react-router';
import type { Diagnosis } from '../../../../../client/src/index.ts';
import { StateBadge } from '../../../ui/badge.tsx';
import { OwnWords } from '../../../ui/own-words.tsx';
import { Section } from '../../../ui/page.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { useSettingWords } from '../setting-words.ts';
import { OutcomeStrip } from './outcome-strip.tsx';

const shownRows = 8;

/** What the trigger met lately, and what became of it. */
export const RecentEvents = ({ triggerId, recent }: { triggerId: string; recent: Diagnosis['recent'] }) => {
  const settingWords = useSettingWords();
  return (
    <Section
      title="Last events"
      actions={
        <Link to="/events" search={{ triggerId }} className="link inline-flex min-h-10 items-center text-sm">
          All events of this trigger
        </Link>
      }
    >
      {recent.length === 0 ? (
        <p className="card p-5 text-sm text-muted">Nothing of its kind has happened since it was enabled.</p>
      ) : (
        <div className="card grid gap-4 p-5">
          <OutcomeStrip recent={recent} />
          <ul className="divide-y divide-line">
            {recent.slice(0, shownRows).map(({ id, outcome, summary, clause, reason, occurredAt }) => (
              <li key={id} className="flex flex-wrap items-start gap-x-3 gap-y-1 py-2.5 text-sm">
                <span className="w-full shrink-0 sm:w-auto sm:min-w-20">
                  <StateBadge state={outcome} />
                </span>
                <div className="grid min-w-0 flex-1 basis-48 gap-0.5">
                  <Link to={`/events/${id}`} className="py-0.5 hover:underline">
                    <VisibleText text={summary} />
                  </Link>
                  {(clause ?? reason) !== null && (
                    <span className="text-xs text-muted">
                      <OwnWords text={clause === null ? (reason ?? '') : `did not fit: ${settingWords(clause)}`} />
                    </span>
                  )}
                </div>
                <span className="text-xs text-muted">
                  <Time at={occurredAt} />
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Section>
  );
};
