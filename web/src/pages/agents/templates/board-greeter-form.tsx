import { useRead } from '../../../data/use-read.ts';
import { Choice } from '../../../forms/choice.tsx';
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
const start = {
  board: '',
  /** A board is of the account it was chosen for. */
  boardOf: '',
  text: 'Thank you for “{{event.data.card.name}}”. Somebody will look at it soon.',
};

const boardIn = ({ board, boardOf, accountId }: { board: string; boardOf: string; accountId: string }): string =>
  boardOf === accountId ? board : '';

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
        <Choice
          label="Board"
          value={value}
          none="All open boards"
          choices={(boards.data?.items ?? []).map((each) => [each.value, each.label])}
          disabled={accountId === ''}
          onChoose={onChange}
        />
      </Field>
      <Problem error={boards.error} retry={() => void boards.refetch()} />
    </>
  );
};

/** A comment under each new card, in a few choices. */
export const BoardGreeterForm = () => (
  <TemplateForm
    template={template}
    start={start}
    isReady={({ text }) => text.trim() !== ''}
    recipe={(given) => boardGreeter({ ...given, board: boardIn(given) })}
  >
    {({ own, set, accountId }) => (
      <>
        <BoardChoice
          accountId={accountId}
          value={boardIn({ ...own, accountId })}
          onChange={(board) => set({ board, boardOf: accountId })}
        />
        <Field label="Comment" hint="{{event.data.card.name}} becomes the name of the card.">
          <textarea
            className="field py-2"
            rows={3}
            value={own.text}
            onChange={({ target }) => set({ text: target.value })}
          />
        </Field>
      </>
    )}
  </TemplateForm>
);
