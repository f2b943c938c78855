import type { Permission } from '../../../../../client/src/index.ts';
import { problemsOf } from '../../../forms/problems.ts';
import { Field } from '../../../ui/field.tsx';
import { Problem } from '../../../ui/states.tsx';
import { SearchFilterField } from '../trigger-form/search-filter-field.tsx';
import { TryOnHistory } from '../trigger-form/try-on-history.tsx';
import { filterField } from '../trigger-form/use-filter-check.ts';
import { usePreview } from '../trigger-form/use-preview.ts';
import { mailResponder } from './recipes.ts';
import { type Template, TemplateForm } from './template-form.tsx';

const type = 'mail.new_email';
const template: Template = {
  title: 'Mail responder',
  account: { label: 'Mailbox', integration: 'mail', step: 'mail.reply' },
  makes: [
    'A tool that answers the mail it is told of, to its sender.',
    'An agent whose model writes the answer after your instructions.',
    'A trigger that starts the agent for each new mail that fits.',
  ],
};
const start: { instructions: string; searchFilter: string; permission: Permission } = {
  instructions: 'Answer each mail politely: thank for it and say that somebody will come back to it soon.',
  searchFilter: '',
  permission: 'approval',
};

const mistakeIn = (error: unknown): string | undefined =>
  problemsOf(error).find(({ field }) => field === filterField)?.message;

/** Which mail it answers, tried on what arrived lately. */
const WhichMail = (props: {
  accountId: string;
  searchFilter: string;
  onChange: (text: string) => void;
  refusal: unknown;
}) => {
  const { accountId, searchFilter, onChange, refusal } = props;
  const { error, ...trial } = usePreview({ type, accountId, config: { searchFilter } });
  return (
    <div className="grid gap-3">
      <SearchFilterField
        type={type}
        accountId={accountId}
        value={searchFilter}
        error={mistakeIn(refusal ?? error)}
        onChange={onChange}
      />
      <TryOnHistory {...trial} disabled={accountId === ''} />
      {mistakeIn(error) === undefined && <Problem error={error} />}
    </div>
  );
};

/** A model that answers mail, in a few choices. */
export const MailResponderForm = () => (
  <TemplateForm
    template={template}
    start={start}
    recipe={mailResponder}
    isShown={(refusal) => mistakeIn(refusal) !== undefined}
  >
    {({ own: { permission, instructions, searchFilter }, set, accountId, refusal, forget }) => (
      <>
        <Field label="Before an answer leaves">
          <select
            className="field"
            value={permission}
            onChange={({ target }) => set({ permission: target.value === 'autopilot' ? 'autopilot' : 'approval' })}
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
            onChange={({ target }) => set({ instructions: target.value })}
          />
        </Field>
        <WhichMail
          accountId={accountId}
          searchFilter={searchFilter}
          refusal={refusal}
          onChange={(text) => {
            forget();
            set({ searchFilter: text });
          }}
        />
      </>
    )}
  </TemplateForm>
);
