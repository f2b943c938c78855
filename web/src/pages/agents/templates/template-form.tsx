import { type FormEvent, type ReactNode, useRef } from 'react';
import type { SwitchboardError } from '../../../../../client/src/index.ts';
import { useKept } from '../../../data/use-kept.ts';
import { AccountSelect } from '../../../forms/account-select.tsx';
import { Field } from '../../../ui/field.tsx';
import { Problem } from '../../../ui/states.tsx';
import { Unsaved } from '../../../ui/unsaved.tsx';
import { useOnlyAccount } from '../trigger-form/use-only-account.ts';
import type { Recipe } from './recipes.ts';
import { useMakeAgent } from './use-make-agent.ts';

/** What a template is about: whose account it needs, and what comes of it. */
export type Template = {
  title: string;
  account: { label: string; integration: string; step: string };
  makes: readonly string[];
};

type Typed<Own> = { name: string; chosen?: string | undefined; own: Own };

const isSame = <Own,>(one: Typed<Own>, other: Typed<Own>): boolean =>
  one.name === other.name && JSON.stringify(one.own) === JSON.stringify(other.own);

/**
 * What the forms of all templates have in common: the account, the name, and the way to a new agent. What was typed outlives
 * the end of the session, and whoever goes elsewhere is asked first.
 */
export const TemplateForm = <Own extends object>(props: {
  template: Template;
  /** The values of the fields between account and name, to begin with. */
  start: Own;
  recipe: (given: Own & { name: string; accountId: string }) => Recipe;
  isReady?: (own: Own) => boolean;
  /** Between account and name. A refusal that it shows itself is not told twice. */
  children: (state: {
    own: Own;
    set: (changed: Partial<Own>) => void;
    accountId: string;
    refusal: SwitchboardError | null;
    forget: () => void;
  }) => ReactNode;
  isShown?: (refusal: SwitchboardError) => boolean;
}) => {
  const { template, start, recipe, isReady = () => true, children, isShown = () => false } = props;
  const { title, account, makes } = template;
  const only = useOnlyAccount(account.integration);
  const kept = useKept<Typed<Own>>(`template ${title}`);
  const fresh: Typed<Own> = { name: title, own: start };
  const typed = kept.value ?? fresh;
  const { name, chosen, own } = typed;
  const isMade = useRef(false);
  const make = useMakeAgent(() => {
    isMade.current = true;
    kept.forget();
  });
  const accountId = chosen ?? only ?? '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate(recipe({ ...own, name: name.trim(), accountId }));
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
          onChange={(id) => kept.keep({ ...typed, chosen: id })}
        />
        {children({
          own,
          set: (changed) => kept.keep({ ...typed, own: { ...own, ...changed } }),
          accountId,
          refusal: make.error,
          forget: make.reset,
        })}
        <Field label="Name">
          <input
            className="field"
            required
            maxLength={150}
            value={name}
            onChange={({ target }) => kept.keep({ ...typed, name: target.value })}
          />
        </Field>
        {make.error !== null && !isShown(make.error) && <Problem error={make.error} />}
        <div className="flex flex-wrap items-center gap-3">
          <button
            type="submit"
            className="button button-main"
            disabled={make.isPending || accountId === '' || name.trim() === '' || !isReady(own)}
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
      <Unsaved isChanged={!isSame(typed, fresh)} mayLeave={() => isMade.current} onLeave={kept.forget} />
    </form>
  );
};
