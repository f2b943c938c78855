import type { Trigger } from '../../../../../client/src/index.ts';
import { Section } from '../../../ui/page.tsx';
import { Time } from '../../../ui/time.tsx';
import { SettingFacts } from './setting-facts.tsx';

/** What it is set to, without opening the form. */
export const TriggerSettings = ({ trigger }: { trigger: Trigger }) => (
  <Section title="Settings">
    <SettingFacts trigger={trigger} className="card grid-cols-[repeat(auto-fill,minmax(min(100%,13rem),1fr))] p-5">
      <div>
        <dt className="text-xs text-muted">Counts from</dt>
        <dd className="text-sm">
          <Time at={trigger.since} />
        </dd>
      </div>
    </SettingFacts>
  </Section>
);
