import { useState } from 'react';
import type { Permission } from '../../../../../client/src/index.ts';
import { AccountSelect } from '../../../forms/account-select.tsx';
import { problemsOf } from '../../../forms/problems.ts';
import { Field } from '../../../ui/field.tsx';
import { SearchFilterField } from '../trigger-form/search-filter-field.tsx';
import { TryOnHistory } from '../trigger-form/try-on-history.tsx';
import { filterField } from '../trigger-form/use-filter-check.ts';
import { useOnlyAccount } from '../trigger-form/use-only-account.ts';
import { usePreview } from '../trigger-form/use-preview.ts';
import { mailResponder } from './recipes.ts';
import { TemplateForm } from './template-form.tsx';
import { useMakeAgent } from './use-make-agent.ts';

const makes = [
  'A tool that answers the mail it is told of, to its sender.',
  'An agent whose model writes the answer after your instructions.',
  'A trigger that starts the agent for each new mail that fits.',
];
const usual = 'Answer each mail politely: thank for it and say that somebody will come back to it soon.';

/** A model that answers mail, in a few choices. */
export const MailResponderForm = () => {
  const only = useOnlyAccount('mail');
  const [chosen, setChosen] = useState<string>();
  const [name, setName] = useState('Mail responder');
  const [instructions, setInstructions] = useState(usual);
  const [searchFilter, setSearchFilter] = useState('');
  const [permission, setPermission] = useState<Permission>('approval');
  const accountId = chosen ?? only;
  const make = useMakeAgent();
  const { error: previewError, ...trial } = usePreview({
    type: 'mail.new_email',
    accountId: accountId ?? '',
    config: { searchFilter },
  });
  const mistake = problemsOf(make.error ?? previewError).find(({ field }) => field === filterField)?.message;
  return (
    <TemplateForm
      label="Mail responder"
      makes={makes}
      isReady={accountId !== undefined && name.trim() !== ''}
      isBusy={make.isPending}
      error={mistake === undefined ? (make.error ?? previewError) : undefined}
      onSubmit={() =>
        accountId !== undefined &&
        make.mutate(mailResponder({ name: name.trim(), accountId, instructions, searchFilter, permission }))
      }
    >
      <AccountSelect
        label="Mailbox"
        integration="mail"
        step="mail.reply"
        isTypeFixed
        value={accountId}
        onChange={setChosen}
      />
      <Field label="Before an answer leaves">
        <select
          className="field"
          value={permission}
          onChange={({ target }) => setPermission(target.value === 'autopilot' ? 'autopilot' : 'approval')}
        >
          <option value="approval">Ask a person each time</option>
          <option value="autopilot">Send by itself, to the people of that mail</option>
        </select>
      </Field>
      <Field label="How it answers">
        <textarea
          className="field py-2"
          rows={4}
          value={instructions}
          onChange={({ target }) => setInstructions(target.value)}
        />
      </Field>
      <div className="grid gap-3">
        <SearchFilterField
          type="mail.new_email"
          accountId={accountId ?? ''}
          value={searchFilter}
          error={mistake}
          onChange={(text) => {
            make.reset();
            setSearchFilter(text);
          }}
        />
        <TryOnHistory {...trial} disabled={accountId === undefined} />
      </div>
      <Field label="Name">
        <input
          className="field"
          required
          maxLength={150}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </Field>
    </TemplateForm>
  );
};
