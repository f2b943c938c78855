import type { NewAgent, NewTool, Permission, Request } from '../../../../../client/src/index.ts';

/** What a template makes: a tool, the agent that is given it, and the trigger that starts the agent. */
export type Recipe = {
  tool: NewTool;
  agent: (toolId: string) => NewAgent;
  trigger: Omit<Request<'POST /v1/triggers'>['body'] & object, 'agentId'>;
};

export const mailResponder = (given: {
  name: string;
  accountId: string;
  instructions: string;
  searchFilter: string;
  permission: Permission;
}): Recipe => ({
  tool: {
    name: `${given.name}: answer`,
    description: 'Answers the mail that started this, to its sender.',
    inputs: [
      { name: 'messageId', type: 'string', required: true, description: 'The mail that is answered.' },
      { name: 'body', type: 'string', required: true, description: 'Text of the answer.' },
    ],
    steps: [
      {
        key: 'reply',
        step: 'mail.reply',
        account: { id: given.accountId },
        input: { messageId: '{{inputs.messageId}}', body: '{{inputs.body}}' },
        // Where step and agent differ the stricter wins, so that the agent's own switch decides.
        permission: 'autopilot',
      },
    ],
  },
  agent: (toolId) => ({
    name: given.name,
    instructions: given.instructions,
    tools: [{ toolId, permission: given.permission }],
    runner: { type: 'model', input: { messageId: '{{event.data.message.id}}' } },
  }),
  trigger: { type: 'mail.new_email', accountId: given.accountId, config: { searchFilter: given.searchFilter } },
});

export const boardGreeter = (given: { name: string; accountId: string; board: string; text: string }): Recipe => ({
  tool: {
    name: `${given.name}: comment`,
    description: 'Writes a comment under a card.',
    inputs: [
      { name: 'cardId', type: 'string', required: true, description: 'The card.' },
      { name: 'text', type: 'string', required: true, description: 'Text of the comment.' },
    ],
    steps: [
      {
        key: 'comment',
        step: 'board.add_comment_to_card',
        account: { id: given.accountId },
        input: { cardId: '{{inputs.cardId}}', text: '{{inputs.text}}' },
      },
    ],
  },
  agent: (toolId) => ({
    name: given.name,
    tools: [{ toolId }],
    runner: { type: 'tool', toolId, input: { cardId: '{{event.data.card.id}}', text: given.text } },
  }),
  trigger: {
    type: 'board.new_card',
    accountId: given.accountId,
    config: given.board === '' ? {} : { boards: [given.board] },
  },
});
