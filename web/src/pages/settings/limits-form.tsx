import { type FormEvent, type ReactNode, useState } from 'react';
import { useSession } from '../../data/session.tsx';
import { useWrite } from '../../data/use-write.ts';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, otherError } from '../../ui/field-errors.ts';

type Limits = { perRun: number; perAccountHour: number };

/** How often something may be done per run, and per account and hour, before a person is asked. */
export const LimitsForm = (props: {
  /** As the settings call them. */
  name: 'sends' | 'deletes';
  /** As people call them: "Sends". */
  what: string;
  limits: Limits;
  /** Further settings of the same kind, and their fields. */
  others?: object;
  children?: ReactNode;
}) => {
  const { name, what, limits, others = {}, children } = props;
  const { may } = useSession();
  const save = useWrite('PATCH /v1/settings', { refresh: ['settings'], done: 'Saved.', quiet: true });
  const [perRun, setPerRun] = useState(String(limits.perRun));
  const [perHour, setPerHour] = useState(String(limits.perAccountHour));
  const errors = fieldErrors(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ body: { [name]: { perRun: Number(perRun), perAccountHour: Number(perHour), ...others } } });
  };
  const number = { type: 'number', className: 'field', required: true, min: 0, disabled: !may('owner') } as const;
  return (
    <form onSubmit={submit} className="card grid max-w-2xl gap-4 p-5 sm:grid-cols-2">
      <Field label={`${what} per run`} error={errors[`${name}.perRun`]} hint="The default is 5.">
        <input {...number} max={1000} value={perRun} onChange={(event) => setPerRun(event.target.value)} />
      </Field>
      <Field label={`${what} per account and hour`} error={errors[`${name}.perAccountHour`]} hint="The default is 30.">
        <input {...number} max={10_000} value={perHour} onChange={(event) => setPerHour(event.target.value)} />
      </Field>
      {children}
      <p role="alert" className="text-sm text-bad empty:hidden sm:col-span-2">
        {otherError(save.error, [`${name}.perRun`, `${name}.perAccountHour`])}
      </p>
      {may('owner') && (
        <button type="submit" className="button button-main justify-self-start" disabled={save.isPending}>
          Save
        </button>
      )}
    </form>
  );
};
