import type { FormEvent } from 'react';
import { useStartAnew } from '../data/session.tsx';
import { useWrite } from '../data/use-write.ts';
import { Field } from '../ui/field.tsx';

export const SignInForm = () => {
  const startAnew = useStartAnew();
  const signIn = useWrite('POST /v1/session', { quiet: true });

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [email, password] = [form.get('email'), form.get('password')];
    if (typeof email !== 'string' || typeof password !== 'string') return;
    signIn.mutate({ body: { email, password } }, { onSuccess: () => void startAnew() });
  };

  return (
    <form onSubmit={submit} aria-busy={signIn.isPending} className="grid gap-4">
      <h2 className="text-lg">Sign in</h2>
      <Field label="Email">
        <input className="field" type="email" name="email" autoComplete="username" required />
      </Field>
      <Field label="Password">
        <input className="field" type="password" name="password" autoComplete="current-password" required />
      </Field>
      <p role="alert" className="text-sm text-bad empty:hidden">
        {signIn.error?.message}
      </p>
      <button type="submit" className="button button-main" disabled={signIn.isPending}>
        {signIn.isPending ? 'Signing in …' : 'Sign in'}
      </button>
      <p className="text-sm text-muted">
        No password, or forgotten? An owner of your workspace can make you a link that signs you in once (Settings,
        Members). On the server, <code>npx switchboard sign-in-link</code> prints one for the owner.
      </p>
    </form>
  );
};
