import { type FormEvent, useState } from 'react';
import type { Account, Settings } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useAll } from '../../data/use-read.ts';
import { useWrite } from '../../data/use-write.ts';
import { Field } from '../../ui/field.tsx';
import { fieldErrors } from '../../ui/field-errors.ts';
import { Section } from '../../ui/page.tsx';
import { Shown } from '../../ui/shown.tsx';

const OfAccount = ({ account, allowed }: { account: Account; allowed: readonly string[] }) => {
  const { may } = useSession();
  const save = useWrite('PATCH /v1/settings', { refresh: ['settings'], done: 'Saved.', quiet: true });
  const before = allowed.join('\n');
  const [text, setText] = useState(before);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const list = text.split(/[\s,;]+/).filter((line) => line !== '');
    save.mutate({ body: { allowedRecipients: { [account.id]: list } } });
  };
  const [problem] = Object.values(fieldErrors(save.error));
  return (
    <form onSubmit={submit} className="grid content-start gap-3 p-5">
      <Field
        label={<span className="untrusted">{account.name}</span>}
        error={problem ?? save.error?.message}
        hint="One per line: anna@example.com, or *@example.com for everyone there."
      >
        <textarea
          className="field min-h-20 py-2 font-mono"
          spellCheck={false}
          disabled={!may('owner')}
          placeholder="Nobody"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      {may('owner') && (
        <button
          type="submit"
          className="button button-quiet justify-self-start"
          disabled={save.isPending || text.trim() === before}
        >
          Save for {account.name}
        </button>
      )}
    </form>
  );
};

/** To whom agents may write unasked, besides recipients that are fixed in a tool and the people of the thread. */
export const AllowedRecipients = ({ settings }: { settings: Settings }) => {
  const accounts = useAll('GET /v1/accounts', { integration: 'mail' });
  return (
    <Section
      title="Allowed recipients"
      about="An agent on autopilot that was started by outside text writes unasked only to recipients fixed in its tool, to the people of the thread, and to these."
    >
      <Shown of={accounts} loading="Looking at the mail accounts" rows={1}>
        {({ items }) => {
          const present = items.filter(({ state }) => state !== 'disconnected');
          if (present.length === 0) {
            return <p className="card p-4 text-sm text-muted">No mail account is connected yet.</p>;
          }
          return (
            <div className="card grid divide-y divide-line lg:grid-cols-2 lg:divide-y-0">
              {present.map((account) => (
                <OfAccount key={account.id} account={account} allowed={settings.allowedRecipients[account.id] ?? []} />
              ))}
            </div>
          );
        }}
      </Shown>
    </Section>
  );
};
