import { useState } from 'react';
import { useRead } from '../../../data/use-read.ts';
import { Field } from '../../../ui/field.tsx';
import { Problem } from '../../../ui/states.tsx';
import { boardGreeter } from './recipes.ts';
import { type Template, TemplateForm } from './template-form.tsx';

const template: Template = {
  title: 'Board greeter',
  account: { label: 'Board account', integration: 'board', step: 'board.add_comment_to_card' },
  makes: [
    'A tool that writes a comment under a card.',
    'An agent that carries it out for each event, without a model.',
    'A trigger that starts the agent for each new card.',
  ],
};
const usual = 'Thank you for “{{event.data.card.name}}”. Somebody will look at it soon.';

const BoardChoice = (props: { accountId: string; value: string; onChange: (board: string) => void }) => {
  const { accountId, value, onChange } = props;
  const boards = useRead(
    'GET /v1/options/{id}',
    { params: { id: 'boards' }, query: { accountId } },
    { enabled: accountId !== '' },
  );
  return (
    <>
      <Field label="Board">
        <select
          className="field"
          value={value}
          disabled={accountId === ''}
          onChange={({ target }) => onChange(target.value)}
        >
          <option value="">All open boards</option>
          {boards.data?.items.map((each) => (
            <option key={each.value} value={each.value}>
              {each.label}
            </option>
          ))}
        </select>
      </Field>
      <Problem error={boards.error} retry={() => void boards.refetch()} />
    </>
  );
};

/** A comment under each new card, in a few choices. */
export const BoardGreeterForm = () => {
  const [chosen, setChosen] = useState({ accountId: '', board: '' });
  const [text, setText] = useState(usual);
  // A board is of the account it was chosen for.
  const boardOf = (accountId: string) => (chosen.accountId === accountId ? chosen.board : '');
  return (
    <TemplateForm
      template={template}
      isReady={text.trim() !== ''}
      recipe={(given) => boardGreeter({ ...given, board: boardOf(given.accountId), text })}
    >
      {({ accountId }) => (
        <>
          <BoardChoice
            accountId={accountId}
            value={boardOf(accountId)}
            onChange={(board) => setChosen({ accountId, board })}
          />
          <Field label="Comment" hint="{{event.data.card.name}} becomes the name of the card.">
            <textarea className="field py-2" rows={3} value={text} onChange={({ target }) => setText(target.value)} />
          </Field>
        </>
      )}
    </TemplateForm>
  );
};
