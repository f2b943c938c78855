import { Link } from '@tanstack/react-router';
import { ArrowRight, Circle, CircleCheck } from 'lucide-react';
import type { Overview } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';

type Step = { key: keyof Overview['firstSteps']; title: string; about: string; to: string };

const steps: Step[] = [
  {
    key: 'account',
    title: 'Connect an account',
    about: 'A mailbox or a board that agents may use.',
    to: '/integrations',
  },
  { key: 'tool', title: 'Make a tool', about: 'Steps with typed inputs: what an agent is given.', to: '/tools/new' },
  { key: 'agent', title: 'Make an agent', about: 'Instructions, a runner, and its tools.', to: '/agents/new' },
  { key: 'trigger', title: 'Add a trigger', about: 'What starts the agent, on the page of the agent.', to: '/agents' },
  { key: 'run', title: 'See it run', about: 'Every step of it, as it happens.', to: '/runs' },
];

/** The way from an empty workspace to an agent at work. Gone when it has been walked. */
export const FirstSteps = ({ done }: { done: Overview['firstSteps'] }) => {
  const { may } = useSession();
  const left = steps.filter(({ key }) => !done[key]);
  const [next] = left;
  if (next === undefined || !may('builder')) return null;
  return (
    <section aria-label="First steps" className="card grid gap-4 p-4 sm:p-6">
      <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h2 className="text-lg">First steps</h2>
        <p className="text-sm text-muted">
          {steps.length - left.length} of {steps.length} done
        </p>
      </header>
      <ol className="grid gap-2 lg:grid-cols-5">
        {steps.map((step) => {
          const isDone = done[step.key];
          const Icon = isDone ? CircleCheck : Circle;
          return (
            <li key={step.key}>
              <Link
                to={step.to}
                className={`grid h-full grid-cols-[auto_minmax(0,1fr)] gap-x-3 rounded-lg border p-3 hover:bg-hover lg:grid-cols-1 lg:gap-y-2 ${
                  step === next ? 'border-accent' : 'border-line'
                }`}
              >
                <Icon aria-hidden="true" className={`size-5 ${isDone ? 'text-good' : 'text-muted'}`} />
                <span className="grid content-start gap-0.5">
                  <span className="flex items-center gap-1.5 text-sm font-medium">
                    {step.title}
                    {isDone && <span className="sr-only"> (done)</span>}
                    {step === next && <ArrowRight aria-hidden="true" className="size-4 text-accent" />}
                  </span>
                  <span className="text-xs text-muted">{step.about}</span>
                </span>
              </Link>
            </li>
          );
        })}
      </ol>
    </section>
  );
};
