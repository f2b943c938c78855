import { type FormEvent, useState } from 'react';
import { signIn } from './server.ts';

export const SignInForm = ({ onSignedIn }: { onSignedIn: () => Promise<void> }) => {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [email, password] = [form.get('email'), form.get('password')];
    if (typeof email !== 'string' || typeof password !== 'string') return;
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(email, password);
      await onSignedIn();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)} aria-busy={busy} className="grid gap-4">
      <h2 className="text-lg font-semibold">Sign in</h2>
      <label className="grid gap-1.5">
        <span className="font-medium">Email</span>
        <input className="field" type="email" name="email" autoComplete="username" required />
      </label>
      <label className="grid gap-1.5">
        <span className="font-medium">Password</span>
        <input className="field" type="password" name="password" autoComplete="current-password" required />
      </label>
      <p role="alert" className="text-red-700 empty:hidden dark:text-red-300">
        {problem}
      </p>
      <button type="submit" className="button button-main" disabled={busy}>
        {busy ? 'Signing in …' : 'Sign in'}
      </button>
      <p className="text-sm text-slate-600 dark:text-slate-400">
        No password yet? <code>npx switchboard sign-in-link</code> on the server prints a link that signs you in once.
      </p>
    </form>
  );
};
