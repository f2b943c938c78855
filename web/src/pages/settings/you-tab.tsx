import { type FormEvent, useState } from 'react';
import { useSession } from '../../data/session.tsx';
import { useWrite } from '../../data/use-write.ts';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, otherError } from '../../ui/field-errors.ts';
import { Section } from '../../ui/page.tsx';
import { useUnsaved } from '../../ui/unsaved.tsx';

export const YouTab = () => {
  const { member } = useSession();
  const save = useWrite('PUT /v1/session/password', {
    refresh: ['session', 'members'],
    done: 'The password is set. Other browsers are signed out.',
    quiet: true,
  });
  const [isTyped, setIsTyped] = useState(false);
  useUnsaved(isTyped);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const [password, current] = ['password', 'currentPassword'].map((name) => new FormData(form).get(name));
    if (typeof password !== 'string') return;
    const known = typeof current === 'string' && current !== '' ? { currentPassword: current } : {};
    save.mutate({ body: { password, ...known } }, { onSuccess: () => form.reset() });
  };
  const who = member.name === member.email ? member.email : `${member.name}, ${member.email}`;
  return (
    <Section title="Your password" about={`You are ${who}, ${member.role} here.`}>
      <form
        onSubmit={submit}
        onInput={({ currentTarget }) => setIsTyped(new FormData(currentTarget).get('password') !== '')}
        onReset={() => setIsTyped(false)}
        className="card grid max-w-lg gap-4 p-5"
        aria-busy={save.isPending}
      >
        <input type="hidden" name="username" autoComplete="username" value={member.email} readOnly />
        {member.hasPassword && (
          <Field
            label="Present password"
            error={fieldErrors(save.error)['currentPassword']}
            hint="Forgotten? Sign in by a link; for 15 minutes it is not asked for."
          >
            <input
              className="field"
              type="password"
              name="currentPassword"
              autoComplete="current-password"
              maxLength={1000}
            />
          </Field>
        )}
        <Field
          label={member.hasPassword ? 'New password' : 'Password'}
          error={fieldErrors(save.error)['password']}
          hint="At least 12 characters. Browsers in which you are signed in besides this one are signed out."
        >
          <input
            className="field"
            type="password"
            name="password"
            autoComplete="new-password"
            required
            minLength={12}
            maxLength={1000}
          />
        </Field>
        <p role="alert" className="text-sm text-bad empty:hidden">
          {otherError(save.error, ['password', 'currentPassword'])}
        </p>
        <button type="submit" className="button button-main justify-self-start" disabled={save.isPending}>
          {member.hasPassword ? 'Change the password' : 'Set the password'}
        </button>
      </form>
    </Section>
  );
};
