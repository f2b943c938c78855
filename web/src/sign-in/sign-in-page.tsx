import { useEffect } from 'react';
import { Readiness } from './readiness.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { keepWanted } from './wanted-page.ts';

const promises = [
  ['Connect', 'A person connects a mailbox or a board once; agents use it without ever seeing the credential.'],
  ['Decide', 'What leaves the house can wait until a person has read and approved it, word for word.'],
  ['Prove', 'Every run, effect and decision is written down, so what happened can be shown afterwards.'],
] as const;

/** For whoever is not signed in; afterwards the address that was asked for is shown. `hasEnded`: it was open in this window before. */
export const SignInPage = ({ hasEnded }: { hasEnded: boolean }) => {
  useEffect(() => {
    document.title = 'Sign in · Switchboard';
    // Whoever was far down on a page would not see why it is gone.
    scrollTo(0, 0);
    keepWanted(location);
  }, []);
  return (
    <div className="mx-auto grid max-w-5xl gap-8 px-4 py-6 sm:px-8 sm:py-12">
      <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p className="flex items-center gap-3 text-xl font-semibold cramped:flex-wrap">
          <img src="/favicon.svg" alt="" className="size-8" />
          Switchboard
        </p>
        <Readiness />
      </header>
      <main className="grid items-start gap-8 lg:grid-cols-[1fr_24rem] lg:gap-16">
        <section className="grid gap-6">
          <h1 className="text-3xl font-bold sm:text-4xl">
            Lets AI agents use people's mail and boards, and proves what they did.
          </h1>
          <dl className="grid gap-4">
            {promises.map(([word, meaning]) => (
              <div key={word}>
                <dt className="font-semibold">{word}</dt>
                <dd className="text-muted">{meaning}</dd>
              </div>
            ))}
          </dl>
          <p>
            <a href="/docs" className="link">
              API reference
            </a>
          </p>
        </section>
        {/* On a phone the form comes first, above all to those who were in the middle of something. */}
        <section aria-label="Your session" className="card grid gap-4 p-6 max-lg:order-first">
          <p role="status" className="rounded-lg bg-warn-soft p-3 text-sm text-warn empty:hidden">
            {hasEnded && 'Your session has ended. What you did last may not have counted: sign in and look again.'}
          </p>
          <SignInForm />
        </section>
      </main>
    </div>
  );
};
