import type { FormEvent } from 'react';
import type { Role } from '../../../../client/src/index.ts';
import { useWrite } from '../../data/use-write.ts';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, otherError } from '../../ui/field-errors.ts';
import { formText } from '../../ui/form-text.ts';
import { SignInLinkShown } from './sign-in-link-shown.tsx';
import { roles } from './words.ts';

/** Adds a person, then shows the link that lets them in. */
export const InviteMember = () => {
  const add = useWrite('POST /v1/members', { refresh: ['members'], quiet: true });
  const errors = fieldErrors(add.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const name = formText(form, 'name');
    const role = formText(form, 'role') as Role;
    add.mutate({ body: { email: formText(form, 'email'), role, ...(name === '' ? {} : { name }) } });
  };
  if (add.data !== undefined) {
    return (
      <div className="grid gap-4 text-sm">
        <p>
          <span className="untrusted font-medium">{add.data.email}</span> is a member now, as {add.data.role}.
        </p>
        <SignInLinkShown memberId={add.data.id} />
      </div>
    );
  }
  return (
    <form onSubmit={submit} className="grid gap-4" aria-busy={add.isPending}>
      <Field label="Email" error={errors['email']}>
        <input className="field" type="email" name="email" required autoComplete="off" />
      </Field>
      <Field label="Name" optional error={errors['name']}>
        <input className="field" name="name" maxLength={200} autoComplete="off" />
      </Field>
      <Field label="Role" error={errors['role']}>
        <select className="field" name="role" defaultValue="approver">
          {roles.map(([role, words]) => (
            <option key={role} value={role}>
              {role}: {words}
            </option>
          ))}
        </select>
      </Field>
      <p role="alert" className="text-sm text-bad empty:hidden">
        {otherError(add.error, ['email', 'name', 'role'])}
      </p>
      <button type="submit" className="button button-main justify-self-end" disabled={add.isPending}>
        Invite
      </button>
    </form>
  );
};
