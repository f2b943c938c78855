import { type FormEvent, useState } from 'react';
import type { Settings } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useWrite } from '../../data/use-write.ts';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, otherError } from '../../ui/field-errors.ts';
import { Section } from '../../ui/page.tsx';

/** How much agents may remove before a person is asked. */
export const DeleteRules = ({ settings: { deletes } }: { settings: Settings }) => {
  const { may } = useSession();
  const save = useWrite('PATCH /v1/settings', { refresh: ['settings'], done: 'Saved.', quiet: true });
  const [perRun, setPerRun] = useState(String(deletes.perRun));
  const [perHour, setPerHour] = useState(String(deletes.perAccountHour));
  const errors = fieldErrors(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ body: { deletes: { perRun: Number(perRun), perAccountHour: Number(perHour) } } });
  };
  const number = { type: 'number', className: 'field', required: true, min: 0, disabled: !may('owner') } as const;
  return (
    <Section
      title="Removing without asking"
      about="For all agents. What they would remove beyond these limits waits for a person; people themselves are not limited."
    >
      <form onSubmit={submit} className="card grid max-w-2xl gap-4 p-5 sm:grid-cols-2">
        <Field label="Removals per run" error={errors['deletes.perRun']} hint="The default is 5.">
          <input {...number} max={1000} value={perRun} onChange={(event) => setPerRun(event.target.value)} />
        </Field>
        <Field label="Removals per account and hour" error={errors['deletes.perAccountHour']} hint="The default is 30.">
          <input {...number} max={10_000} value={perHour} onChange={(event) => setPerHour(event.target.value)} />
        </Field>
        <p role="alert" className="text-sm text-bad empty:hidden sm:col-span-2">
          {otherError(save.error, ['deletes.perRun', 'deletes.perAccountHour'])}
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
