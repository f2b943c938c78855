import type { Answer, Workbench } from './workbench.ts';

/** One thing of each kind that a workspace can hold, by id. */
export type Inventory = Record<
  | 'workspace'
  | 'account'
  | 'secret'
  | 'endUser'
  | 'endUserAccount'
  | 'tool'
  | 'openTool'
  | 'openMailTool'
  | 'openMailAgent'
  | 'agent'
  | 'trigger'
  | 'event'
  | 'upstream'
  | 'run'
  | 'approval'
  | 'file'
  | 'webhook'
  | 'delivery'
  | 'member'
  | 'apiKey'
  | 'client',
  string
>;

type Holder = { workspaceId: string; key: string; cookie: string; accountId: string };

/** A program that the workspace's owner let in. */
const letProgramIn = async (bench: Workbench, cookie: string): Promise<string> => {
  const redirect = 'http://127.0.0.1:1/back';
  const client = await bench.call('POST', '/oauth/register', { body: { redirect_uris: [redirect] } });
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.body.client_id,
    redirect_uri: redirect,
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  });
  const page = await bench.call('GET', `/oauth/authorize?${query}`, { cookie });
  await fetch(new URL('/oauth/authorize', bench.origin), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: bench.origin },
    body: new URLSearchParams({
      request: /name="request" value="([^"]+)"/.exec(page.body)?.[1] ?? '',
      decision: 'allow',
    }),
  });
  return (await bench.call('GET', '/v1/clients', { cookie })).body.items[0].id;
};

/** Makes one of everything in a workspace, so that its ids can be tried elsewhere. Needs the mail sandbox. */
export const makeInventory = async (
  bench: Workbench,
  holder: Holder,
  options: { name: string; receiver: string },
): Promise<Inventory> => {
  const { key, cookie, accountId: account, workspaceId: workspace } = holder;
  const { name, receiver } = options;
  const make = async (path: string, body?: unknown): Promise<Answer['body']> => {
    const answer = await bench.call('POST', path, { key, body });
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const apiKeys = await bench.call('GET', '/v1/api-keys', { key });
  const secret = await make('/v1/secrets', { integration: 'board', auth: await bench.keyAndToken() });
  const webhook = await make('/v1/webhooks', { url: receiver, events: ['trigger.broken'] });
  const delivery = await make(`/v1/webhooks/${webhook.id}/test`);
  const file = await make(`/v1/files?name=${name}.txt`, 'x');
  const member = await make('/v1/members', { email: `only@${name}.test`, role: 'viewer' });

  const endUser = `end user of ${name}`;
  bench.mail.world.tokens.consentMode = { mode: 'auto', as: 'ada@sandbox.test' };
  const link = await make('/v1/connect', { integration: 'mail', endUserId: endUser });
  const { accountId: endUserAccount = '' } = await bench.visitor().visit(link.url);

  const step = { key: 'all', step: 'board.get_boards' };
  const tool = await make('/v1/tools', { name: `Tool of ${name}`, steps: [{ ...step, account: { id: account } }] });
  const openTool = await make('/v1/tools', {
    name: `Open tool of ${name}`,
    inputs: [{ name: 'account', type: 'account', integration: 'board', permissionType: 'standard' }],
    steps: [{ ...step, account: { input: 'account' } }],
  });
  const openMailTool = await make('/v1/tools', {
    name: `Open mail tool of ${name}`,
    inputs: [{ name: 'account', type: 'account', integration: 'mail', permissionType: 'standard' }],
    steps: [{ key: 'all', step: 'mail.list_folders', account: { input: 'account' } }],
  });
  const agent = await make('/v1/agents', {
    name: `Agent of ${name}`,
    tools: [{ toolId: tool.id }],
    runner: { type: 'tool', toolId: tool.id },
  });
  const openMailAgent = await make('/v1/agents', {
    name: `Open mail agent of ${name}`,
    tools: [{ toolId: openMailTool.id }],
    runner: { type: 'tool', toolId: openMailTool.id, input: { account: '{{event.account.id}}' } },
  });
  const trigger = await make('/v1/triggers', { agentId: agent.id, type: 'board.new_card', accountId: account });
  const event = await make(`/v1/triggers/${trigger.id}/test`);
  const type = 'mail.new_email';
  const ofEndUser = await make('/v1/triggers', { agentId: openMailAgent.id, type, accountId: endUserAccount });
  await make(`/v1/triggers/${ofEndUser.id}/test`);
  const run = await make('/v1/steps/board.create_card/run', {
    accountId: account,
    input: { idList: bench.board.newList().id, name: 'Card' },
  });
  const waiting = await make('/v1/steps/board.api_call/run', {
    accountId: account,
    input: { method: 'POST', endpoint: '/1/webhooks', query: { description: 'x' } },
  });
  return {
    workspace,
    account,
    secret: secret.id,
    endUser,
    endUserAccount,
    tool: tool.id,
    openTool: openTool.id,
    openMailTool: openMailTool.id,
    agent: agent.id,
    openMailAgent: openMailAgent.id,
    trigger: trigger.id,
    event: event.id,
    upstream: event.upstreamId,
    run: run.runId,
    approval: waiting.approval.id,
    file: file.ref,
    webhook: webhook.id,
    delivery: delivery.id,
    member: member.id,
    apiKey: apiKeys.body.items[0].id,
    client: await letProgramIn(bench, cookie),
  };
};
