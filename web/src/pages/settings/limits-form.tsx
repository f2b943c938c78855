import type { FormEvent, ReactNode } from 'react';
import { useSession } from '../../data/session.tsx';
import { useWrite } from '../../data/use-write.ts';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, otherError } from '../../ui/field-errors.ts';
import { useTyped } from '../../ui/use-typed.ts';

type Limits = { perRun: number; perAccountHour: number };

/** How often something may be done per run, and per account and hour, before a person is asked. */
export const LimitsForm = (props: {
  /** As the settings call them. */
  name: 'sends' | 'deletes';
  /** As people call them: "Sends". */
  what: string;
  limits: Limits;
  /** Further settings of the same kind that were changed, and their fields. */
  others?: object;
  onSaved?: () => void;
  children?: ReactNode;
}) => {
  const { name, what, limits, others = {}, onSaved, children } = props;
  const { may } = useSession();
  const save = useWrite('PATCH /v1/settings', { refresh: ['settings'], done: 'Saved.', quiet: true });
  const perRun = useTyped(String(limits.perRun));
  const perHour = useTyped(String(limits.perAccountHour));
  const errors = fieldErrors(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // What was not touched here stays as it is by now, whoever set it.
    const changed = {
      ...(perRun.isTyped ? { perRun: Number(perRun.value) } : {}),
      ...(perHour.isTyped ? { perAccountHour: Number(perHour.value) } : {}),
      ...others,
    };
    const onSuccess = () => {
      perRun.forget();
      perHour.forget();
      onSaved?.();
    };
    save.mutate({ body: { [name]: changed } }, { onSuccess });
  };
  const number = { type: 'number', className: 'field', required: true, min: 0, disabled: !may('owner') } as const;
  return (
    <form onSubmit={submit} className="card grid max-w-2xl gap-4 p-5 sm:grid-cols-2">
      <Field label={`${what} per run`} error={errors[`${name}.perRun`]} hint="The default is 5.">
        <input {...number} max={1000} value={perRun.value} onChange={(event) => perRun.set(event.target.value)} />
      </Field>
      <Field label={`${what} per account and hour`} error={errors[`${name}.perAccountHour`]} hint="The default is 30.">
        <input {...number} max={10_000} value={perHour.value} onChange={(event) => perHour.set(event.target.value)} />
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
