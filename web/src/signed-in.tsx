import { useState } from 'react';
import { type Session, signOut } from './server.ts';

type Props = { session: Session; onSignedOut: () => Promise<void> };

export const SignedIn = ({ session: { member, workspace }, onSignedOut }: Props) => {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const leave = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await signOut();
      await onSignedOut();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };

  return (
    <div className="grid gap-4">
      <h2 className="text-lg font-semibold [overflow-wrap:anywhere]">{workspace.name}</h2>
      <p className="[overflow-wrap:anywhere]">
        Signed in as <strong>{member.email}</strong>, {member.role}
      </p>
      <p role="alert" className="text-red-700 empty:hidden dark:text-red-300">
        {problem}
      </p>
      <button type="button" className="button button-quiet" disabled={busy} onClick={() => void leave()}>
        {busy ? 'Signing out …' : 'Sign out'}
      </button>
    </div>
  );
};
