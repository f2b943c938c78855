import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '../src/index.ts';

/** Lets a person connect a board, makes a tool of one step, and runs it with that board. */
export const connectAndRun = async (
  client: Client,
  endUserId: string,
  show: (line: string) => void,
): Promise<unknown> => {
  const { url } = await client.call('POST /v1/connect', { body: { integration: 'board', endUserId } });
  show(`Open this in a browser: ${url}`);

  const find = async () =>
    (await client.call('GET /v1/accounts', { query: { integration: 'board', endUserId } })).items[0];
  let account = await find();
  while (account === undefined) {
    await sleep(500);
    account = await find();
  }
  show(`Connected: ${account.name}`);

  const tool = await client.call('POST /v1/tools', {
    body: {
      name: 'Boards of a person',
      description: 'Lists the boards that the account can see.',
      inputs: [{ name: 'account', type: 'account', integration: 'board' }],
      steps: [{ key: 'boards', step: 'board.get_boards', account: { input: 'account' }, input: {} }],
    },
  });
  const result = await client.call('POST /v1/tools/{id}/run', {
    params: { id: tool.id },
    body: { input: { account: account.id } },
  });
  return 'output' in result ? result.output : result;
};

if (import.meta.main) {
  const { SWITCHBOARD_URL: origin = 'http://127.0.0.1:4600', SWITCHBOARD_API_KEY: apiKey = '' } = process.env;
  const output = await connectAndRun(createClient({ origin, apiKey }), 'customer-1', (line) => console.log(line));
  console.log(JSON.stringify(output, undefined, 2));
}
