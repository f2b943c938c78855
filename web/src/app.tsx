import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { LiveUpdates } from './data/live.tsx';
import { SessionProvider, useFollowOtherTabs, useSessionQuery } from './data/session.tsx';
import { Shell } from './shell/shell.tsx';
import { SignInPage } from './sign-in/sign-in-page.tsx';
import { takeWanted } from './sign-in/wanted-page.ts';
import { Loading, Problem } from './ui/states.tsx';

/**
 * The shell for a member, the sign-in page for everyone else. The address stays, so that a deep link survives, also where whoever opened it
 * comes back by a link to sign in.
 */
export const App = () => {
  const session = useSessionQuery();
  useFollowOtherTabs();
  const { history } = useRouter();
  const isSignedIn = session.data !== undefined && !session.isAnonymous;
  useEffect(() => {
    if (!isSignedIn) return;
    const wanted = takeWanted();
    if (wanted !== undefined && history.location.href === '/') history.replace(wanted);
  }, [isSignedIn, history]);
  if (session.isAnonymous) return <SignInPage hasEnded={session.data !== undefined} />;
  if (session.data === undefined) {
    return (
      <main className="mx-auto grid max-w-md gap-4 px-4 py-16">
        <h1 className="sr-only">Switchboard</h1>
        {session.error === null ? (
          <Loading what="Looking who is signed in" rows={1} />
        ) : (
          <Problem error={session.error} retry={() => void session.refetch()} />
        )}
      </main>
    );
  }
  return (
    <SessionProvider session={session.data}>
      <LiveUpdates key={session.data.workspace.id}>
        <Shell />
      </LiveUpdates>
    </SessionProvider>
  );
};
