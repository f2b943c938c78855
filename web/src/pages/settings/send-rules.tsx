import { type FormEvent, useState } from 'react';
import type { Settings } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useWrite } from '../../data/use-write.ts';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, otherError } from '../../ui/field-errors.ts';
import { Section } from '../../ui/page.tsx';

/** How far agents on autopilot may go before a person is asked. */
export const SendRules = ({ settings: { sends } }: { settings: Settings }) => {
  const { may } = useSession();
  const save = useWrite('PATCH /v1/settings', { refresh: ['settings'], done: 'Saved.', quiet: true });
  const [perRun, setPerRun] = useState(String(sends.perRun));
  const [perHour, setPerHour] = useState(String(sends.perAccountHour));
  const [strict, setStrict] = useState(sends.strict);
  const errors = fieldErrors(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ body: { sends: { perRun: Number(perRun), perAccountHour: Number(perHour), strict } } });
  };
  const number = { type: 'number', className: 'field', required: true, min: 0, disabled: !may('owner') } as const;
  return (
    <Section
      title="Sending without asking"
      about="For agents on autopilot. What goes beyond these limits waits for a person; nothing is dropped."
    >
      <form onSubmit={submit} className="card grid max-w-2xl gap-4 p-5 sm:grid-cols-2">
        <Field label="Sends per run" error={errors['sends.perRun']} hint="The default is 5.">
          <input {...number} max={1000} value={perRun} onChange={(event) => setPerRun(event.target.value)} />
        </Field>
        <Field label="Sends per account and hour" error={errors['sends.perAccountHour']} hint="The default is 30.">
          <input {...number} max={10_000} value={perHour} onChange={(event) => setPerHour(event.target.value)} />
        </Field>
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
        <p role="alert" className="text-sm text-bad empty:hidden sm:col-span-2">
          {otherError(save.error, ['sends.perRun', 'sends.perAccountHour'])}
        </p>
        {may('owner') && (
          <button type="submit" className="button button-main justify-self-start" disabled={save.isPending}>
            Save
          </button>
        )}
      </form>
    </Section>
  );
};
