import type { FormEvent } from 'react';
import type { Account, Settings } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useAll } from '../../data/use-read.ts';
import { useWrite } from '../../data/use-write.ts';
import { Field } from '../../ui/field.tsx';
import { fieldErrors } from '../../ui/field-errors.ts';
import { Section } from '../../ui/page.tsx';
import { Shown } from '../../ui/shown.tsx';
import { useTyped } from '../../ui/use-typed.ts';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { useStillSo } from './use-still-so.ts';

const OfAccount = ({ account, settings }: { account: Account; settings: Settings }) => {
  const { may } = useSession();
  const save = useWrite('PATCH /v1/settings', { refresh: ['settings'], done: 'Saved.', quiet: true });
  const textOf = ({ allowedRecipients }: Settings) => (allowedRecipients[account.id] ?? []).join('\n');
  const before = textOf(settings);
  const isStillSo = useStillSo(textOf, before);
  const list = useTyped(before);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!(await isStillSo())) return;
    const recipients = list.value.split(/[\s,;]+/).filter((line) => line !== '');
    save.mutate({ body: { allowedRecipients: { [account.id]: recipients } } }, { onSuccess: list.forget });
  };
  const [problem] = Object.values(fieldErrors(save.error));
  return (
    <form onSubmit={(event) => void submit(event)} className="grid content-start gap-3 p-5">
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
          value={list.value}
          onChange={(event) => list.set(event.target.value)}
        />
      </Field>
      {list.isOld && !save.isPending && <ChangedMeanwhile saved={before} onTake={list.forget} />}
      {may('owner') && (
        <button
          type="submit"
          className="button button-quiet justify-self-start"
          disabled={save.isPending || list.value.trim() === before}
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
                <OfAccount key={account.id} account={account} settings={settings} />
              ))}
            </div>
          );
        }}
      </Shown>
    </Section>
  );
};
