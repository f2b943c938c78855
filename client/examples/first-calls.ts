import { createClient } from '../src/index.ts';

const apiKey = process.env['SWITCHBOARD_API_KEY'] ?? '';

const switchboard = createClient({ origin: 'https://switchboard.example', apiKey });
const { items } = await switchboard.call('GET /v1/accounts', { query: { integration: 'mail' } });
const [account] = items;
if (account === undefined) throw new Error('Connect a mail account first.');
const result = await switchboard.call('POST /v1/steps/{id}/run', {
  params: { id: 'mail.find_email' },
  body: { accountId: account.id, input: { query: 'invoice' } },
  idempotencyKey: 'order 17',
});
if (result.status === 'succeeded') console.log(result.output);
for await (const run of switchboard.all('GET /v1/runs')) console.log(run.id, run.status);
