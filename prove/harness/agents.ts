import { call } from './stage.ts';

type Headers = Record<string, string>;

const made = async (origin: string, path: string, body: unknown, headers: Headers): Promise<string> => {
  const answer = await call(origin, 'POST', path, body, headers);
  if (answer.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
  return String(answer.body['id']);
};

/** An agent with one tool of one step, which is given one value of the event. */
export const newSingleStepper = async (
  origin: string,
  { name, step, given }: { name: string; step: object; given: Record<string, string> },
  headers: Headers = {},
): Promise<string> => {
  const inputs = Object.keys(given).map((input) => ({
    name: input,
    type: 'string',
    required: true,
    description: input,
  }));
  const steps = [{ key: 'it', permission: 'autopilot', ...step }];
  const toolId = await made(origin, '/v1/tools', { name, description: `${name}.`, inputs, steps }, headers);
  const agent = {
    name,
    instructions: '',
    tools: [{ toolId, permission: 'autopilot', recipients: 'guarded' }],
    runner: { type: 'tool', toolId, input: given },
  };
  return made(origin, '/v1/agents', agent, headers);
};

/** An agent that writes down, as the subject of a draft, what started it: so starts are counted at the service. */
export const newNoter = (
  origin: string,
  accountId: string,
  subject: string,
  headers: Headers = {},
): Promise<string> => {
  const input = { subject: '{{inputs.subject}}', body: 'Started.' };
  const step = { step: 'mail.create_draft', account: { id: accountId }, input };
  return newSingleStepper(origin, { name: 'Note', step, given: { subject } }, headers);
};

export const newTrigger = (origin: string, trigger: object, headers: Headers = {}): Promise<string> =>
  made(origin, '/v1/triggers', trigger, headers);
