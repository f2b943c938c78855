import { call } from './stage.ts';

type Headers = Record<string, string>;

const made = async (origin: string, path: string, body: unknown, headers: Headers): Promise<string> => {
  const answer = await call(origin, 'POST', path, body, headers);
  if (answer.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
  return String(answer.body['id']);
};

/** An agent that writes down, as the subject of a draft, what started it: so starts are counted at the service. */
export const newNoter = async (
  origin: string,
  accountId: string,
  subject: string,
  headers: Headers = {},
): Promise<string> => {
  const tool = {
    name: 'Note',
    description: 'Writes down what started it.',
    inputs: [{ name: 'subject', type: 'string', required: true, description: 'What started it.' }],
    steps: [
      {
        key: 'note',
        step: 'mail.create_draft',
        account: { id: accountId },
        input: { subject: '{{inputs.subject}}', body: 'Started.' },
        permission: 'autopilot',
      },
    ],
    output: '{{steps.note.output.messageId}}',
  };
  const toolId = await made(origin, '/v1/tools', tool, headers);
  const agent = {
    name: 'Noter',
    instructions: '',
    tools: [{ toolId, permission: 'autopilot', recipients: 'guarded' }],
    runner: { type: 'tool', toolId, input: { subject } },
  };
  return made(origin, '/v1/agents', agent, headers);
};

export const newTrigger = (origin: string, trigger: object, headers: Headers = {}): Promise<string> =>
  made(origin, '/v1/triggers', trigger, headers);
