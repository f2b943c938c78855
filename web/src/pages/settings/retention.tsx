import { type FormEvent, useState } from 'react';
import type { Settings } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useWrite } from '../../data/use-write.ts';
import { Confirmation } from '../../ui/confirm.tsx';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, otherError } from '../../ui/field-errors.ts';
import { Section } from '../../ui/page.tsx';
import { useTyped } from '../../ui/use-typed.ts';

const inDays = (count: number): string => (count === 1 ? '1 day' : `${count.toLocaleString('en')} days`);

/** How long things are kept. To shorten that deletes what is older, so it is asked about once more. */
export const Retention = ({ settings }: { settings: Settings }) => {
  const { may } = useSession();
  const save = useWrite('PATCH /v1/settings', { refresh: ['settings'], done: 'Saved.', quiet: true });
  const history = useTyped(String(settings.retention.historyDays));
  const audit = useTyped(String(settings.retention.auditDays));
  const files = useTyped(String(settings.retention.fileDays));
  const [isAsked, setIsAsked] = useState(false);
  const errors = fieldErrors(save.error);
  const shortened = [
    {
      ...history,
      name: 'Events and runs, with their journals, inputs and outputs,',
      before: settings.retention.historyDays,
    },
    { ...audit, name: 'Audit records', before: settings.retention.auditDays },
  ].filter(({ isTyped, value, before }) => isTyped && Number(value) < before);
  const keep = () => {
    // What was not touched here stays as it is by now, whoever set it.
    const retention = {
      ...(history.isTyped ? { historyDays: Number(history.value) } : {}),
      ...(audit.isTyped ? { auditDays: Number(audit.value) } : {}),
      ...(files.isTyped ? { fileDays: Number(files.value) } : {}),
    };
    const onSuccess = () => [history, audit, files].forEach(({ forget }) => forget());
    save.mutate({ body: { retention } }, { onSuccess });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (shortened.length === 0) keep();
    else setIsAsked(true);
  };
  const days = { type: 'number', className: 'field', required: true, disabled: !may('owner') } as const;
  return (
    <Section title="How long things are kept" about="What is older is deleted by itself.">
      <form onSubmit={submit} className="card grid max-w-2xl gap-4 p-5 sm:grid-cols-2">
        <Field
          label="Events and runs, in days"
          error={errors['retention.historyDays']}
          hint="With their journals, inputs and outputs."
        >
          <input
            {...days}
            min={1}
            max={3650}
            value={history.value}
            onChange={(event) => history.set(event.target.value)}
          />
        </Field>
        <Field label="Audit, in days" error={errors['retention.auditDays']} hint="At least 30.">
          <input
            {...days}
            min={30}
            max={3650}
            value={audit.value}
            onChange={(event) => audit.set(event.target.value)}
          />
        </Field>
        <Field label="Files, in days" error={errors['retention.fileDays']} hint="Attachments by reference; at most 90.">
          <input {...days} min={1} max={90} value={files.value} onChange={(event) => files.set(event.target.value)} />
        </Field>
        <p role="alert" className="text-sm text-bad empty:hidden sm:col-span-2">
          {otherError(save.error, ['retention.historyDays', 'retention.auditDays', 'retention.fileDays'])}
        </p>
        {may('owner') && (
          <button
            type="submit"
            className="button button-main justify-self-start sm:col-span-2"
            disabled={save.isPending}
          >
            Save
          </button>
        )}
      </form>
      <Confirmation
        title="Keep less"
        action="Delete what is older"
        open={isAsked}
        onClose={() => setIsAsked(false)}
        onConfirm={keep}
      >
        {shortened.map(({ name, value, before }) => (
          <p key={name}>
            {name} that are older than {inDays(Number(value))} are deleted within minutes; {inDays(before)} were kept.
          </p>
        ))}
        <p>What is deleted cannot be brought back.</p>
      </Confirmation>
    </Section>
  );
};
