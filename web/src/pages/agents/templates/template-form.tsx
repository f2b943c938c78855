import { type FormEvent, type ReactNode, useState } from 'react';
import type { SwitchboardError } from '../../../../../client/src/index.ts';
import { AccountSelect } from '../../../forms/account-select.tsx';
import { Field } from '../../../ui/field.tsx';
import { Problem } from '../../../ui/states.tsx';
import { useOnlyAccount } from '../trigger-form/use-only-account.ts';
import type { Recipe } from './recipes.ts';
import { useMakeAgent } from './use-make-agent.ts';

/** What a template is about: whose account it needs, and what comes of it. */
export type Template = {
  title: string;
  account: { label: string; integration: string; step: string };
  makes: readonly string[];
};

/** What the forms of all templates have in common: the account, the name, and the way to a new agent. */
export const TemplateForm = (props: {
  template: Template;
  recipe: (given: { name: string; accountId: string }) => Recipe;
  isReady?: boolean;
  /** Between account and name. A refusal that it shows itself is not told twice. */
  children: (state: { accountId: string; refusal: SwitchboardError | null; forget: () => void }) => ReactNode;
  isShown?: (refusal: SwitchboardError) => boolean;
}) => {
  const { template, recipe, isReady = true, children, isShown = () => false } = props;
  const { title, account, makes } = template;
  const only = useOnlyAccount(account.integration);
  const [chosen, setChosen] = useState<string>();
  const [name, setName] = useState(title);
  const make = useMakeAgent();
  const accountId = chosen ?? only ?? '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate(recipe({ name: name.trim(), accountId }));
  };
  return (
    <form
      aria-label={title}
      className="grid grid-cols-[minmax(0,1fr)] items-start gap-8 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]"
      onSubmit={submit}
    >
      <div className="card grid grid-cols-[minmax(0,1fr)] gap-6 p-5">
        <AccountSelect
          label={account.label}
          integration={account.integration}
          step={account.step}
          isTypeFixed
          value={accountId === '' ? undefined : accountId}
          onChange={setChosen}
        />
        {children({ accountId, refusal: make.error, forget: make.reset })}
        <Field label="Name">
          <input
            className="field"
            required
            maxLength={150}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        {make.error !== null && !isShown(make.error) && <Problem error={make.error} />}
        <div className="flex flex-wrap items-center gap-3">
          <button
            type="submit"
            className="button button-main"
            disabled={make.isPending || accountId === '' || name.trim() === '' || !isReady}
            aria-busy={make.isPending}
          >
            {make.isPending ? 'Making it …' : 'Create agent'}
          </button>
          {accountId === '' && <span className="text-sm text-muted">Choose the account first, at the top.</span>}
        </div>
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
