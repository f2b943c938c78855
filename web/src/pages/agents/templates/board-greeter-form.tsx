import { useState } from 'react';
import { useRead } from '../../../data/use-read.ts';
import { AccountSelect } from '../../../forms/account-select.tsx';
import { Field } from '../../../ui/field.tsx';
import { useOnlyAccount } from '../trigger-form/use-only-account.ts';
import { boardGreeter } from './recipes.ts';
import { TemplateForm } from './template-form.tsx';
import { useMakeAgent } from './use-make-agent.ts';

const makes = [
  'A tool that writes a comment under a card.',
  'An agent that carries it out for each event, without a model.',
  'A trigger that starts the agent for each new card.',
];
const usual = 'Thank you for “{{event.data.card.name}}”. Somebody will look at it soon.';

/** A comment under each new card, in a few choices. */
export const BoardGreeterForm = () => {
  const only = useOnlyAccount('board');
  const [chosen, setChosen] = useState<string>();
  const [board, setBoard] = useState('');
  const [name, setName] = useState('Board greeter');
  const [text, setText] = useState(usual);
  const accountId = chosen ?? only;
  const boards = useRead(
    'GET /v1/options/{id}',
    { params: { id: 'boards' }, query: { accountId: accountId ?? '' } },
    { enabled: accountId !== undefined },
  );
  const make = useMakeAgent();
  return (
    <TemplateForm
      label="Board greeter"
      makes={makes}
      isReady={accountId !== undefined && name.trim() !== '' && text.trim() !== ''}
      isBusy={make.isPending}
      error={make.error ?? boards.error}
      onSubmit={() =>
        accountId !== undefined && make.mutate(boardGreeter({ name: name.trim(), accountId, board, text }))
      }
    >
      <AccountSelect
        label="Board account"
        integration="board"
        step="board.add_comment_to_card"
        isTypeFixed
        value={accountId}
        onChange={(id) => {
          setChosen(id);
          setBoard('');
        }}
      />
      <Field label="Board">
        <select
          className="field"
          value={board}
          disabled={accountId === undefined}
          onChange={({ target }) => setBoard(target.value)}
        >
          <option value="">All open boards</option>
          {boards.data?.items.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Comment" hint="{{event.data.card.name}} becomes the name of the card.">
        <textarea className="field py-2" rows={3} value={text} onChange={({ target }) => setText(target.value)} />
      </Field>
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
