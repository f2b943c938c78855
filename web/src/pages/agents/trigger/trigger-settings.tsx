import type { Trigger } from '../../../../../client/src/index.ts';
import { Section } from '../../../ui/page.tsx';
import { Time } from '../../../ui/time.tsx';
import { SettingFacts } from './setting-facts.tsx';

/** What it is set to, without opening the form. */
export const TriggerSettings = ({ trigger }: { trigger: Trigger }) => (
  <Section title="Settings">
    <SettingFacts trigger={trigger} className="card p-5 sm:grid-cols-2 lg:grid-cols-3">
      <div>
        <dt className="text-xs text-muted">Counts from</dt>
        <dd className="text-sm">
          <Time at={trigger.since} />
        </dd>
      </div>
    </SettingFacts>
  </Section>
);
