import type { FormEvent, ReactNode } from 'react';
import { Problem } from '../../../ui/states.tsx';

/** What the forms of all templates have in common. */
export const TemplateForm = (props: {
  label: string;
  makes: readonly string[];
  isReady: boolean;
  isBusy: boolean;
  error: unknown;
  onSubmit: () => void;
  children: ReactNode;
}) => {
  const { label, makes, isReady, isBusy, error, onSubmit, children } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form
      aria-label={label}
      className="grid grid-cols-[minmax(0,1fr)] items-start gap-8 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]"
      onSubmit={submit}
    >
      <div className="card grid grid-cols-[minmax(0,1fr)] gap-6 p-5">
        {children}
        <Problem error={error} />
        <button
          type="submit"
          className="button button-main justify-self-start"
          disabled={isBusy || !isReady}
          aria-busy={isBusy}
        >
          {isBusy ? 'Making it …' : 'Create agent'}
        </button>
      </div>
      <aside className="grid gap-3 text-sm text-muted">
        <h2 className="text-base text-ink">What this makes</h2>
        <ol className="grid list-decimal gap-2 pl-5">
          {makes.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ol>
        <p>All of it can be changed later.</p>
      </aside>
    </form>
  );
};
