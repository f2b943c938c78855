import type { Settings } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { Section } from '../../ui/page.tsx';
import { useTyped } from '../../ui/use-typed.ts';
import { LimitsForm } from './limits-form.tsx';

/** How far agents on autopilot may go before a person is asked. */
export const SendRules = ({ settings: { sends } }: { settings: Settings }) => {
  const { may } = useSession();
  const strict = useTyped(sends.strict);
  return (
    <Section
      title="Sending without asking"
      about="For agents on autopilot. What goes beyond these limits waits for a person; nothing is dropped."
    >
      <LimitsForm
        name="sends"
        what="Sends"
        limits={sends}
        others={strict.isTyped ? { strict: strict.value } : {}}
        onSaved={strict.forget}
      >
        <label className="flex min-h-10 items-start gap-3 text-sm sm:col-span-2">
          <input
            type="checkbox"
            className="mt-0.5 size-4 shrink-0 accent-accent-strong"
            checked={strict.value}
            disabled={!may('owner')}
            onChange={(event) => strict.set(event.target.checked)}
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
