import { call } from './stage.ts';

const made = async (origin: string, path: string, body: unknown): Promise<string> => {
  const answer = await call(origin, 'POST', path, body);
  if (answer.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
  return String(answer.body['id']);
};

/** An agent that writes down, as the subject of a draft, what started it: so starts are counted at the service. */
export const newNoter = async (origin: string, accountId: string, subject: string): Promise<string> => {
  const toolId = await made(origin, '/v1/tools', {
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
    output: '{{steps.note.output.id}}',
  });
  return made(origin, '/v1/agents', {
    name: 'Noter',
    instructions: '',
    tools: [{ toolId, permission: 'autopilot', recipients: 'guarded' }],
    runner: { type: 'tool', toolId, input: { subject } },
  });
};

export const newTrigger = (origin: string, trigger: object): Promise<string> => made(origin, '/v1/triggers', trigger);
