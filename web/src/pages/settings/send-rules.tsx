import { useState } from 'react';
import type { Settings } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { Section } from '../../ui/page.tsx';
import { LimitsForm } from './limits-form.tsx';

/** How far agents on autopilot may go before a person is asked. */
export const SendRules = ({ settings: { sends } }: { settings: Settings }) => {
  const { may } = useSession();
  const [strict, setStrict] = useState(sends.strict);
  return (
    <Section
      title="Sending without asking"
      about="For agents on autopilot. What goes beyond these limits waits for a person; nothing is dropped."
    >
      <LimitsForm name="sends" what="Sends" limits={sends} others={{ strict }}>
        <label className="flex min-h-10 items-start gap-3 text-sm sm:col-span-2">
          <input
            type="checkbox"
            className="mt-0.5 size-4 shrink-0 accent-accent-strong"
            checked={strict}
            disabled={!may('owner')}
            onChange={(event) => setStrict(event.target.checked)}
          />
          <span>
            Strict mode
            <span className="block text-muted">
              A run that has read other private data asks even before it answers the mail that started it, so that no
              stranger can have it told to them.
            </span>
          </span>
        </label>
      </LimitsForm>
    </Section>
  );
};
