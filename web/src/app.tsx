import { useCallback, useEffect, useState } from 'react';
import { Readiness } from './readiness.tsx';
import { readSession, type Session } from './server.ts';
import { SignInForm } from './sign-in-form.tsx';
import { SignedIn } from './signed-in.tsx';

type View = { is: 'loading' } | { is: 'failed'; problem: string } | { is: 'known'; session: Session | null };

const promises = [
  ['Connect', 'A person connects a mailbox or a board once; agents use it without ever seeing the credential.'],
  ['Decide', 'What leaves the house can wait until a person has read and approved it, word for word.'],
  ['Prove', 'Every run, effect and decision is written down, so what happened can be shown afterwards.'],
] as const;

export const App = () => {
  const [view, setView] = useState<View>({ is: 'loading' });

  const look = useCallback(async () => {
    try {
      setView({ is: 'known', session: await readSession() });
    } catch (error) {
      setView({ is: 'failed', problem: error instanceof Error ? error.message : String(error) });
    }
  }, []);
  useEffect(() => void look(), [look]);

  return (
    <div className="mx-auto grid max-w-5xl gap-8 px-4 py-6 sm:px-8 sm:py-10">
      <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p className="flex items-center gap-3 text-xl font-semibold">
          <img src="/favicon.svg" alt="" className="size-8" />
          Switchboard
        </p>
        <Readiness />
      </header>
      <main className="grid items-start gap-8 lg:grid-cols-[1fr_24rem] lg:gap-16">
        <section className="grid gap-6">
          <h1 className="text-3xl font-bold tracking-tight text-balance sm:text-4xl">
            Lets AI agents use people's mail and boards, and proves what they did.
          </h1>
          <dl className="grid gap-4">
            {promises.map(([word, meaning]) => (
              <div key={word}>
                <dt className="font-semibold">{word}</dt>
                <dd className="text-slate-700 dark:text-slate-300">{meaning}</dd>
              </div>
            ))}
          </dl>
          <p>
            <a href="/docs" className="text-indigo-700 underline underline-offset-4 dark:text-indigo-300">
              API reference
            </a>
          </p>
        </section>
        <section
          aria-label="Your session"
          className="rounded-2xl border border-slate-200 bg-white p-6 shadow-sm dark:border-slate-800 dark:bg-slate-900"
        >
          {view.is === 'loading' && <p aria-live="polite">Looking who is signed in …</p>}
          {view.is === 'failed' && (
            <div className="grid gap-4">
              <p role="alert">{view.problem}</p>
              <button type="button" className="button button-quiet" onClick={() => void look()}>
                Try again
              </button>
            </div>
          )}
          {view.is === 'known' && view.session === null && <SignInForm onSignedIn={look} />}
          {view.is === 'known' && view.session !== null && <SignedIn session={view.session} onSignedOut={look} />}
        </section>
      </main>
    </div>
  );
};
