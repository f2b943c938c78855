import type { Trigger } from '../../../../../client/src/index.ts';
import { useRead } from '../../../data/use-read.ts';
import { Section } from '../../../ui/page.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { Checklist } from './checklist.tsx';
import { RecentEvents } from './recent-events.tsx';
import { SignalPath } from './signal-path.tsx';
import { usePlaceWords } from './use-place-words.ts';
import { Verdict } from './verdict.tsx';
import { Watches } from './watches.tsx';

/** Why a trigger does, or does not, fire: the answer first, then every check it rests on. */
export const Diagnosis = ({ trigger }: { trigger: Trigger }) => {
  const query = useRead('GET /v1/triggers/{id}/diagnosis', { params: { id: trigger.id } });
  const inWords = usePlaceWords(trigger);
  return (
    <Shown
      of={{ ...query, data: query.data && inWords(query.data) }}
      loading="Looking why it does or does not fire"
      rows={4}
    >
      {(diagnosis) => (
        <>
          <section aria-label="Why it fires or not" className="card grid gap-6 p-5">
            <Verdict trigger={trigger} diagnosis={diagnosis} />
            <SignalPath findings={diagnosis.findings} />
            <Checklist findings={diagnosis.findings} />
          </section>
          <RecentEvents triggerId={trigger.id} recent={diagnosis.recent} />
          <Section title="How it comes to know">
            <Watches diagnosis={diagnosis} />
          </Section>
        </>
      )}
    </Shown>
  );
};
