import { request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bootstrapKey, type CallOptions, type Tenant, type Workbench, workbench } from '#test';
import { runStatement } from '../../test/run-statement.ts';
import { openReceiver } from '../../test/webhook-receiver.ts';

let bench: Workbench;
let foreign: Tenant;
let accountId: string;
const keys: Record<string, string> = {};

beforeAll(async () => {
  bench = await workbench({ mail: true });
  accountId = await bench.connectBoard();
  foreign = await bench.newTenant('Foreign');
  for (const scope of ['read', 'run', 'approvals:decide']) {
    keys[scope] = (await bench.owned('POST', '/v1/api-keys', { name: scope, scopes: [scope] })).body.key;
  }
});
afterAll(() => bench[Symbol.asyncDispose]());

const connect = async (options: { key?: string; path?: string; mode?: 'auto' | 'legacy' } = {}) => {
  const { key = keys['run'] ?? '', path = '/mcp', mode = 'auto' } = options;
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(path, bench.origin), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return client;
};

// oxlint-disable-next-line typescript/no-explicit-any -- results of every shape
type Told = { isError: boolean; body: any; text: string };

const call = async (client: Client, name: string, given: Record<string, unknown> = {}): Promise<Told> => {
  const { isError = false, structuredContent: body, content } = await client.callTool({ name, arguments: given });
  const [first] = content;
  return { isError, body, text: first?.type === 'text' ? first.text : '' };
};

/** A message of a 2025 client, as it goes over the wire. */
const post = async (message: object, { path = '/mcp', ...options }: CallOptions & { path?: string } = {}) => {
  const body = Array.isArray(message) ? message : { jsonrpc: '2.0', id: 1, method: 'ping', ...message };
  const headers = { accept: 'application/json, text/event-stream', ...options.headers };
  const answer = await bench.call('POST', path, { key: keys['run'], ...options, headers, body });
  const said = typeof answer.body === 'string' ? /^data: (.+)$/m.exec(answer.body)?.[1] : undefined;
  return { ...answer, result: said === undefined ? undefined : JSON.parse(said).result };
};

/** The status of a request that fetch would not let us make. */
const statusOf = (method: string, { host }: { host?: string } = {}): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const named = host === undefined ? {} : { host };
    const headers = { ...named, authorization: `Bearer ${keys['run']}`, 'content-type': 'application/json' };
    const asked = request(new URL('/mcp', bench.origin), { method, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on('error', reject);
    asked.end(method === 'POST' ? '{}' : undefined);
  });

const newTool = async (name: string, more: object = {}, key = bootstrapKey) => {
  const body = {
    name,
    description: 'Notes that a card was seen.',
    inputs: [
      { name: 'cardId', type: 'string', required: true, description: 'Which card.' },
      { name: 'account', type: 'account', integration: 'board', permissionType: 'standard' },
      { name: 'tags', type: 'array', required: false },
    ],
    steps: [
      {
        key: 'comment',
        step: 'board.add_comment_to_card',
        account: { input: 'account' },
        input: { cardId: '{{inputs.cardId}}', text: 'Seen' },
        permission: 'autopilot',
      },
    ],
    ...more,
  };
  const made = await bench.call('POST', '/v1/tools', { key, body });
  expect(made.status).toBe(201);
  return made.body.id as string;
};

describe.each(['auto', 'legacy'] as const)('a client that negotiates %s', (mode) => {
  test('lists tools, reads and writes', async () => {
    const client = await connect({ mode });
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['switchboard_get_run', 'board_create_card', 'mail_send_email']),
    );
    const list = bench.board.newList();

    const written = await call(client, 'board_create_card', { idList: list.id, name: 'Milk' });
    const read = await call(client, 'board_get_list_cards', { list: list.id });

    expect(written).toMatchObject({ isError: false, body: { status: 'succeeded', account: { id: accountId } } });
    expect(JSON.parse(written.text)).toEqual(written.body);
    expect(JSON.stringify(read.body.output)).toContain('Milk');
    expect(bench.board.cardsIn(list.id).map(({ name }) => name)).toEqual(['Milk']);
    await client.close();
  });
});

test('what is listed says what it does and tells nothing of any account', async () => {
  const client = await connect();
  const toolId = await newTool('Note that a card was seen');
  const { tools } = await client.listTools();
  const named = (name: string) => tools.find((tool) => tool.name === name);

  expect(named('note_that_a_card_was_seen')).toMatchObject({
    title: 'Note that a card was seen',
    description: 'Notes that a card was seen.',
    inputSchema: {
      type: 'object',
      required: ['cardId', 'account'],
      additionalProperties: false,
      properties: {
        cardId: { type: 'string', description: 'Which card.' },
        account: { type: 'string' },
        tags: { type: 'array', items: {} },
      },
    },
    annotations: { readOnlyHint: false, destructiveHint: false },
  });
  expect(named('board_get_boards')?.annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true });
  expect(named('mail_delete_event')?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  expect(named('board_api_call')?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  expect(named('board_create_card')?.inputSchema.properties).toHaveProperty('accountId');
  expect(named('board_create_card')?.inputSchema.properties).toHaveProperty('secretId');
  expect(named('mail_send_email')?.inputSchema.properties).not.toHaveProperty('secretId');
  const account = await bench.owned('GET', `/v1/accounts/${accountId}`);
  const text = JSON.stringify(tools);
  expect(text).not.toContain(accountId);
  expect(text).not.toContain(account.body.name);
  await bench.owned('DELETE', `/v1/tools/${toolId}`);
});

test('a custom tool runs by its name; repeated with its key it is not run again', async () => {
  const toolId = await newTool('Seen!');
  const client = await connect();
  const card = await bench.run('board.create_card', { idList: bench.board.newList().id, name: 'Card' });
  const given = { cardId: card.id, account: accountId, idempotencyKey: 'once' };

  const first = await call(client, 'seen', given);
  const again = await call(client, 'seen', given);
  const looked = await call(client, 'switchboard_get_run', { runId: first.body.runId });

  expect(first.body).toMatchObject({ status: 'succeeded' });
  expect(again.body).toMatchObject({ status: 'succeeded', runId: first.body.runId, replayed: true });
  expect(looked.body).toMatchObject({ status: 'succeeded', output: first.body.output });
  const comments = await bench.run('board.get_comments', { cardId: card.id });
  expect(JSON.stringify(comments).match(/Seen/g)).toHaveLength(1);
  await bench.owned('DELETE', `/v1/tools/${toolId}`);
});

test('a custom tool shows what it would write, and writes nothing then', async () => {
  const toolId = await newTool('Tried');
  const client = await connect();
  const card = await bench.run('board.create_card', { idList: bench.board.newList().id, name: 'Card' });
  const given = { cardId: card.id, account: accountId };

  const tried = await call(client, 'tried', { ...given, dryRun: true });

  const request = { method: 'POST', path: expect.stringContaining(card.id) };
  const step = { key: 'comment', account: { id: accountId }, effect: 'write', request, needs: [] };
  expect(tried).toMatchObject({ isError: false, body: { status: 'dry_run', steps: [step] } });
  expect(bench.board.comments(card.id)).toEqual([]);
  const misread = await call(client, 'tried', { ...given, dryRun: 'yes' });
  expect(misread.body.error.fields).toMatchObject([{ field: 'dryRun' }]);
  await bench.owned('DELETE', `/v1/tools/${toolId}`);
});

test('all steps together cost a model little to read, and a cursor that is not ours is refused', async () => {
  const client = await connect();
  const { tools } = await client.listTools();
  const text = JSON.stringify(tools);
  expect(tools.length).toBeGreaterThan(50);
  expect(text.length).toBeLessThan(111_500);
  await expect(client.listTools({ cursor: 'made-up' })).rejects.toThrow('cursor');
});

test('tools with the same name are told apart, and none passes for a step', async () => {
  const ids = [await newTool('Twin'), await newTool('twin'), await newTool('Board create card'), await newTool('…')];
  const client = await connect();
  const names = (await client.listTools()).tools.map(({ name }) => name);

  const suffixed = ids.map((id, at) => `${['twin', 'twin', 'board_create_card', 'tool'][at]}_${id.slice(-8)}`);
  expect(names).toEqual(expect.arrayContaining(suffixed));
  expect(names).not.toContain('twin');
  expect(new Set(names).size).toBe(names.length);
  const meant = /no such tool .* Did you mean twin_\w{8} or twin_\w{8}\?$/;
  await expect(client.callTool({ name: 'twin', arguments: {} })).rejects.toThrow(meant);
  for (const id of ids) await bench.owned('DELETE', `/v1/tools/${id}`);
});

test('whoever takes anything takes what the protocol answers; who takes only JSON is told', async () => {
  expect((await post({}, { headers: { accept: '*/*' } })).result).toEqual({});
  expect((await post({}, { headers: { accept: 'application/json' } })).status).toBe(406);
});

test('a request that lacks what the protocol asks for is told by name what it lacks, as a mistake of its own', async () => {
  const asked = [
    {
      id: 'a',
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', clientInfo: { name: 'x', version: '1' } },
    },
    { id: 2, method: 'tools/list', params: { cursor: 5 } },
    { id: 3, method: 'tools/call', params: { name: 'board_get_boards', arguments: [] } },
  ];
  const answers = await Promise.all(asked.map((message) => post(message)));

  expect(answers.map(({ status, body }) => [status, body])).toEqual(
    [
      ['a', 'params.capabilities: must be given'],
      [2, 'params.cursor: must be text, not a number'],
      [3, 'params.arguments: must be an object, not a list'],
    ].map(([id, wrong]) => [
      200,
      { jsonrpc: '2.0', id, error: { code: -32602, message: `The request does not fit. ${wrong}` } },
    ]),
  );
});

test('methods that nothing is done by are refused, also one of which no request can be made', async () => {
  const methods = ['GET', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'];
  expect(await Promise.all(methods.map((method) => statusOf(method)))).toEqual(methods.map(() => 405));
});

test('the list is of this moment: what is made or removed in a session is there or gone with the next question', async () => {
  const client = await connect();
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  // Nobody is promised to be told, so nobody waits for it.
  expect(client.getServerCapabilities()?.tools?.listChanged).toBeUndefined();
  expect(await names()).not.toContain('made_later');

  const id = await newTool('Made later');
  expect(await names()).toContain('made_later');

  await bench.owned('DELETE', `/v1/tools/${id}`);
  expect(await names()).not.toContain('made_later');
  await expect(client.callTool({ name: 'made_later', arguments: {} })).rejects.toThrow('list the tools again');
});

describe('a call that cannot be is answered with what to do', () => {
  test('for input that does not fit', async () => {
    const client = await connect();
    const { isError, body, text } = await call(client, 'board_create_card', { name: '', colour: 'red' });

    expect(isError).toBe(true);
    expect(body.error).toMatchObject({ code: 'invalid_input', next: expect.stringContaining('call again') });
    expect(body.error.fields).toEqual(expect.arrayContaining([expect.objectContaining({ field: 'name' })]));
    expect(text).toContain('colour');
    const nowhere = await call(client, 'board_create_card', { name: 'Milk' });
    expect(nowhere.body.error.message).toBe(
      'The arguments do not fit. idList, board, list: Say which list receives the card: idList, or board and list.',
    );
    const look = await call(client, 'switchboard_get_run', { offset: -1 });
    expect(look.body.error.fields.map(({ field }: { field: string }) => field)).toEqual(['runId', 'offset']);
  });

  test('for an argument that there is not, with those that there are', async () => {
    const client = await connect();
    const toolId = await newTool('Named otherwise');
    const message = async (name: string, given: Record<string, unknown>) =>
      (await call(client, name, given)).body.error.message;

    expect(await message('board_get_lists', { boardId: 'x', filter: 'open' })).toBe(
      'The arguments do not fit. board: must be given; boardId: is not a field here. Other fields are board, includeCardCount, limit, cursor, accountId, secretId, endUserId.',
    );
    const many = await message('mail_send_email', { recipients: ['a@b.test'], to: [], subject: 'x', body: 'x' });
    expect(many).toMatch(
      /recipients: is not a field here\. Other fields are cc, bcc, (\w+, ){1,17}\w+( and \d+ more)?\.$/,
    );
    expect(await message('named_otherwise', { card: 'x', account: accountId })).toMatch(
      /card: is not an input of this tool; cardId: must be given\. Other fields are cardId, /,
    );
    expect(await message('switchboard_get_run', { id: 'x' })).toMatch(/ Other fields are runId, offset\.$/);
    expect(await message('switchboard_get_run', { offset: -1 })).not.toContain('fields');
    await bench.owned('DELETE', `/v1/tools/${toolId}`);
  });

  test('but an account may be called by its name or address', async () => {
    const client = await connect();
    const toolId = await newTool('By name');
    const cardId = bench.board.newCard().id;
    const { name, identity } = (await bench.owned('GET', `/v1/accounts/${accountId}`)).body;
    for (const called of [name, identity.username]) {
      const { body } = await call(client, 'board_get_boards', { accountId: called });
      expect(body.account).toEqual({ id: accountId, name });
      const rehearsed = await call(client, 'by_name', { cardId, account: called, dryRun: true });
      expect(rehearsed.body.steps[0].account.id).toBe(accountId);
    }
    const other = await call(client, 'board_get_lists', { accountId: name });
    expect(other.body.error).not.toHaveProperty('candidates');
    await bench.owned('DELETE', `/v1/tools/${toolId}`);
  });

  test('for an account called as several are, with those alone', async () => {
    const client = await connect();
    const toolId = await newTool('By a name of several');
    const twins = ['acc_00000000000000000000000002', 'acc_00000000000000000000000001'];
    const copy = twins.map(
      (id) => `insert into accounts select (json_populate_record(a, '{"id": "${id}",
      "identity_id": "${id}", "name": "Twin", "identity": {"id": "${id}", "name": "Twin"}}')).*
      from accounts a where id = '${accountId}'`,
    );
    const asAll = `set app.workspace = '*'`;
    await runStatement(bench.connectionString, [asAll, ...copy].join('; '));
    const answers = [
      await call(client, 'board_get_boards', { accountId: 'Twin' }),
      await call(client, 'by_a_name_of_several', { cardId: 'x', account: 'Twin' }),
    ];
    await runStatement(bench.connectionString, `${asAll}; delete from accounts where name = 'Twin'`);
    await bench.owned('DELETE', `/v1/tools/${toolId}`);

    expect(answers.map(({ body }) => body.error)).toMatchObject(
      ['accountId', 'account'].map((argument) => ({
        code: 'invalid_input',
        message: `The arguments do not fit. ${argument}: Several accounts are called so; name one of the candidates by its id.`,
        next: 'Call again with the id of one of the candidates.',
        candidates: twins.map((id) => ({ argument, id, name: 'Twin' })),
      })),
    );
  });

  test("for an unknown account, with those that there are; another workspace's is unknown", async () => {
    const client = await connect();
    const input = { idList: bench.board.newList().id, name: 'Milk' };
    const [nobodys, theirs] = [
      await call(client, 'board_create_card', { ...input, accountId: 'acc_00000000000000000000000000' }),
      await call(client, 'board_create_card', { ...input, accountId: foreign.accountId }),
    ];
    expect(nobodys.isError).toBe(true);
    expect(nobodys.body.error).toMatchObject({
      code: 'not_found',
      candidates: [{ argument: 'accountId', id: accountId, name: expect.any(String) }],
    });
    expect(theirs.body).toEqual(nobodys.body);
    // Which of them cannot be used now, a model need not find out by trying.
    await bench.owned('PATCH', `/v1/accounts/${accountId}`, { state: 'paused' });
    const unready = await call(client, 'board_get_boards', { accountId: 'acc_unknown' });
    await bench.owned('PATCH', `/v1/accounts/${accountId}`, { state: 'connected' });
    expect(nobodys.body.error.candidates[0]).not.toHaveProperty('state');
    expect(unready.body.error.candidates).toMatchObject([{ id: accountId, state: 'paused' }]);
  });

  test('what is told as null was left out, unless null is a choice of its own or no field is called so', async () => {
    const client = await connect();
    const input = { idList: bench.board.newList().id, name: 'Milk', due: '2027-01-01T00:00:00Z' };
    const made = await call(client, 'board_create_card', { ...input, desc: null, accountId: null, endUserId: null });
    expect(made.body.status).toBe('succeeded');
    const { id: cardId } = made.body.output;
    const cleared = await call(client, 'board_update_card', { cardId, name: null, due: null });
    expect(cleared.body).toMatchObject({ status: 'succeeded', output: { due: null, name: 'Milk' } });
    const strange = await call(client, 'board_get_card', { cardId, constructor: null });
    expect(strange.body.error.fields).toEqual([{ field: 'constructor', message: 'is not a field here' }]);
    expect((await call(client, 'board_get_card', { cardId: null })).body.error.message).toContain('must be given');
  });

  test('for a name that nothing has, with what there is, and for one that several have, with those', async () => {
    const client = await connect();
    const list = bench.board.newList();
    const [card, twin] = [
      await bench.run('board.create_card', { idList: list.id, name: 'Twin\u200b' }),
      await bench.run('board.create_card', { idList: list.id, name: 'Twin\u200b' }),
    ];
    const nowhere = await call(client, 'board_get_lists', { board: 'Nowhere' });
    expect(nowhere.body.error.candidates).toContainEqual(expect.objectContaining({ id: card.idBoard }));
    expect(nowhere.body.error.candidates).not.toContainEqual(expect.objectContaining({ id: accountId }));
    const { details, ...told } = nowhere.body.error;
    const later = await call(client, 'switchboard_get_run', details);
    expect(later.body.error).toEqual(told);
    const nothing = await call(client, 'board_complete_checklist_item', { cardId: card.id, item: 'Nothing' });
    expect(nothing.body.error).toMatchObject({ next: 'Correct the named arguments and call again.' });
    expect(nothing.body.error).not.toHaveProperty('candidates');
    const { isError, body } = await call(client, 'board_get_card', { cardId: 'Twin\u200b', board: card.idBoard });
    expect([isError, body.error.code]).toEqual([true, 'invalid_input']);
    expect(body.error.candidates.map(({ id, name }: Told['body']) => [id, name]).toSorted()).toEqual([
      [card.id, 'Twin'],
      [twin.id, 'Twin'],
    ]);
  });

  test('for an account that nobody has connected', async () => {
    const { isError, body } = await call(await connect(), 'board_get_boards', { endUserId: 'nobody' });

    expect(isError).toBe(true);
    expect(body.error).toEqual({
      code: 'invalid_input',
      message: expect.stringContaining('connect one first'),
      next: 'Do what the message says, then call again.',
      details: { connect: { integration: 'board', endUserId: 'nobody' } },
    });
  });

  test('for an account that a tool needs and was not given', async () => {
    const toolId = await newTool('Needs an account');
    const client = await connect();
    const { isError, body } = await call(client, 'needs_an_account', { cardId: 'x' });

    expect(isError).toBe(true);
    expect(body.error.fields).toEqual([{ field: 'account', message: 'must be given' }]);
    const candidates = [{ argument: 'account', id: accountId, name: expect.any(String) }];
    expect(body.error.candidates).toEqual(candidates);
    for (const more of [{}, { dryRun: true }]) {
      const over = await bench.owned('POST', `/v1/tools/${toolId}/run`, { input: { cardId: 'x' }, ...more });
      expect([over.status, over.body.error.details.candidates]).toEqual([400, candidates]);
    }
    await bench.owned('DELETE', `/v1/tools/${toolId}`);
  });

  test("for a run that is not there; another workspace's is not there", async () => {
    const client = await connect();
    const run = await bench.call('POST', '/v1/steps/board.get_boards/run', { key: foreign.key, body: {} });
    const theirs = await call(client, 'switchboard_get_run', { runId: run.body.runId });

    expect(theirs).toMatchObject({ isError: true, body: { error: { code: 'not_found' } } });
    expect(theirs.body).toEqual((await call(client, 'switchboard_get_run', { runId: 'run_unknown' })).body);
    const { body } = await call(client, 'switchboard_get_run', { runId: 'apr_01' });
    expect(body.error.message).toContain('runId: must be the runId that a call answered with');
  });
});

test("an agent's view of a tool that reads holds what brings the rest of a long output", async () => {
  const steps = [{ key: 'boards', step: 'board.get_boards', account: { id: accountId }, input: {} }];
  const { id: toolId } = (await bench.owned('POST', '/v1/tools', { name: 'Boards', inputs: [], steps })).body;
  const body = { name: 'Reader', tools: [{ toolId }], runner: { type: 'tool', toolId, input: {} } };
  const agent = await bench.owned('POST', '/v1/agents', body);
  const { tools } = await (await connect({ path: `/mcp/agents/${agent.body.id}` })).listTools();
  expect(tools.map(({ name }) => name)).toEqual(['boards', 'switchboard_get_run']);
  await bench.owned('DELETE', `/v1/agents/${agent.body.id}`);
  await bench.owned('DELETE', `/v1/tools/${toolId}`);
});

test("an agent's view holds its tools and nothing else", async () => {
  const [mine, other] = [await newTool('Mine'), await newTool('Other')];
  const runner = { type: 'tool', toolId: mine, input: { cardId: '{{event.data.card.id}}', account: accountId } };
  const agent = await bench.owned('POST', '/v1/agents', { name: 'Agent', tools: [{ toolId: mine }], runner });
  const path = `/mcp/agents/${agent.body.id}`;
  const client = await connect({ path });
  const card = await bench.run('board.create_card', { idList: bench.board.newList().id, name: 'Card' });

  const { tools } = await client.listTools();
  expect(tools.map(({ name, inputSchema }) => [name, inputSchema.required])).toEqual([['mine', ['cardId']]]);
  for (const name of ['other', 'board_create_card']) {
    await expect(client.callTool({ name, arguments: {} })).rejects.toThrow('no such tool');
  }
  await using platform = await openReceiver();
  const { body: webhook } = await bench.owned('POST', '/v1/webhooks', { url: platform.url, events: ['run.finished'] });
  const done = await call(client, 'mine', { cardId: card.id });
  expect(done.body.status).toBe('succeeded');
  await expect.poll(() => platform.received.length).toBe(1);
  const told = { runId: done.body.runId, agentId: agent.body.id, toolId: mine };
  expect(JSON.parse(platform.received[0]?.body ?? '')).toMatchObject({ type: 'run.finished', data: told });
  await bench.owned('DELETE', `/v1/webhooks/${webhook.id}`);
  const { items } = (await bench.owned('GET', `/v1/runs?agentId=${agent.body.id}`)).body;
  expect(items).toMatchObject([{ id: done.body.runId, agentId: agent.body.id, toolId: mine }]);
  expect((await call(client, 'mine', { cardId: card.id, account: accountId })).isError).toBe(false);
  const another = await call(client, 'mine', { cardId: card.id, account: 'acc_other' });
  expect(another.body.error).toEqual({
    code: 'invalid_input',
    message: 'The arguments do not fit. account: is fixed for this agent; leave it out',
    next: expect.any(String),
    fields: [expect.objectContaining({ field: 'account' })],
  });
  expect((await call(client, 'switchboard_get_run', { runId: done.body.runId })).isError).toBe(false);
  const elsewhere = await call(await connect(), 'board_get_boards');
  expect((await call(client, 'switchboard_get_run', { runId: elsewhere.body.runId })).isError).toBe(true);

  await bench.owned('PATCH', path.replace('/mcp', '/v1'), { state: 'paused' });
  expect((await call(client, 'mine', { cardId: card.id, account: accountId })).body.error.code).toBe('conflict');
  const [theirs, nobodys] = [await post({}, { path, key: foreign.key }), await post({}, { path: '/mcp/agents/agt_x' })];
  expect([theirs.status, nobodys.status]).toEqual([404, 404]);
  await bench.owned('DELETE', path.replace('/mcp', '/v1'));
  for (const id of [mine, other]) await bench.owned('DELETE', `/v1/tools/${id}`);
});

test('nothing is loaded that only a model over MCP names, be it tried, asked for, given to a tool or tried again', async () => {
  const account = { id: await bench.connectMail() };
  await using receiver = await openReceiver(() => ({ status: 200, body: 'plan' }));
  const client = await connect({ key: bootstrapKey });
  const mail = { to: ['ben@sandbox.test'], subject: 'With a file', body: 'Hello' };
  const address = `${receiver.url}?read=secret`;
  const tool = async (name: string, attachment: string, inputs: object[]): Promise<string> => {
    const steps = [{ key: 'it', step: 'mail.send_email', account, input: { ...mail, attachments: [attachment] } }];
    return (await bench.owned('POST', '/v1/tools', { name, steps, inputs })).body.id;
  };
  const ids = [
    await tool('Any file', '{{inputs.file}}', [{ name: 'file', type: 'string' }]),
    await tool('One file', receiver.url, []),
    await tool('A file of an event', '{{inputs.event}}', [{ name: 'event', type: 'string' }]),
  ];
  for (const more of [{}, { dryRun: true }]) {
    for (const [name, given] of [
      ['mail_send_email', { ...mail, attachments: [address] }],
      ['any_file', { file: address }],
      ['a_file_of_an_event', { event: address }],
    ] as const) {
      const refused = await call(client, name, { ...given, ...more });
      expect([name, refused.isError, refused.body.error?.message]).toEqual([
        name,
        true,
        expect.stringContaining('would tell whoever is there'),
      ]);
      expect(refused.text).not.toContain('secret');
    }
  }
  // Nor when somebody tries again what the model gave.
  const { items: failed } = (await bench.owned('GET', '/v1/runs?status=failed&limit=3')).body;
  for (const { id } of failed) {
    const { runId } = (await bench.owned('POST', `/v1/runs/${id}/retry`, {})).body;
    await vi.waitFor(async () => {
      const again = (await bench.owned('GET', `/v1/runs/${runId}`)).body;
      expect(again).toMatchObject({ status: 'failed', startedBy: { via: 'mcp' }, error: { code: 'invalid_input' } });
    }, 45_000);
  }
  expect(failed).toHaveLength(3);
  expect(receiver.received).toEqual([]);
  expect((await call(client, 'one_file')).body.status).toBe('waiting_approval');
  expect(receiver.received).toHaveLength(1);
  const { items } = (await bench.owned('GET', '/v1/runs?limit=1')).body;
  expect(items[0].startedBy).toMatchObject({ kind: 'key', via: 'mcp' });
  for (const id of ids) await bench.owned('DELETE', `/v1/tools/${id}`);
});

test('a mail that is sent over MCP leaves when a person has approved it, and not before', async () => {
  await bench.connectMail();
  const client = await connect({ key: bootstrapKey });
  const given = { to: ['ben@sandbox.test'], subject: 'By MCP', body: 'Hello', idempotencyKey: 'mail' };
  const sent = () => bench.mail.world.outbox.filter(({ subject }) => subject === 'By MCP').length;

  const tried = (await call(client, 'mail_send_email', { ...given, dryRun: true })).body;
  const view = { to: [{ address: 'ben@sandbox.test' }], subject: 'By MCP' };
  expect(tried).toMatchObject({ status: 'dry_run', effect: 'send', request: { path: '/me/messages' }, view });
  expect(tried.view.body).toBe('Hello');
  const plain = await bench.owned('POST', '/v1/steps/mail.send_email/run', { input: given, dryRun: true });
  const following = [{ method: 'POST', path: expect.stringMatching(/\/send$/) }];
  expect(plain.body).toMatchObject({ effect: 'send', following, view: { ...view, body: { text: 'Hello' } } });

  const asked = await call(client, 'mail_send_email', given);
  const { runId, approval } = asked.body;
  expect(asked).toMatchObject({ isError: false, body: { status: 'waiting_approval' } });
  expect(approval.url).toBe(`${bench.config.publicUrl.origin}/approvals/${approval.id}`);
  expect((await call(client, 'mail_send_email', given)).body).toEqual(asked.body);
  expect((await call(client, 'switchboard_get_run', { runId })).body).toEqual(asked.body);
  expect(sent()).toBe(0);

  const { digest } = (await bench.owned('GET', `/v1/approvals/${approval.id}`)).body;
  expect(asked.text).not.toContain(digest);
  expect((await bench.owned('POST', `/v1/approvals/${approval.id}/approve`, { digest })).status).toBe(200);
  const looked: Told['body'][] = [];
  const look = async () => {
    looked.push((await call(client, 'switchboard_get_run', { runId })).body);
    return looked.at(-1).status;
  };
  await expect.poll(look).toBe('succeeded');
  expect(sent()).toBe(1);
  const under = looked.filter(({ status }) => status === 'queued' || status === 'running');
  for (const { next } of under) expect(next).toContain('ask again in a few seconds');
  // As much as a call is told that nobody had to approve.
  expect(looked.at(-1)).toMatchObject({
    summary: expect.stringContaining('ben@sandbox.test'),
    account: { id: expect.stringMatching(/^acc_/), name: 'ada@sandbox.test' },
  });

  const second = (await call(client, 'mail_send_email', { ...given, idempotencyKey: 'second' })).body;
  await bench.owned('POST', `/v1/approvals/${second.approval.id}/reject`, { reason: 'Not this week.' });
  await expect
    .poll(async () => (await call(client, 'switchboard_get_run', { runId: second.runId })).body)
    .toMatchObject({
      status: 'failed',
      error: { code: 'approval_denied', message: expect.stringContaining('Not this') },
    });
  expect(sent()).toBe(1);
});

test('what a mail hides from people is hidden from models too', async () => {
  const client = await connect();
  const list = bench.board.newList();
  await bench.run('board.create_card', { idList: list.id, name: 'Mi\u200blk' });

  const { body } = await call(client, 'board_get_list_cards', { list: list.id });

  expect(body.hiddenCharactersRemoved).toBeGreaterThan(0);
  expect(body.output.items[0].name).toBe('Milk');
});

describe('the door stays shut', () => {
  test('without a key, with a wrong one, and for a browser session', async () => {
    const cookie = await bench.signInAsOwner();
    const none = await post({}, { key: undefined });
    const wrong = await post({}, { key: 'sbk_wrong' });
    const session = await post({}, { key: undefined, headers: { cookie, 'x-switchboard-csrf': '1' } });

    expect([none.status, wrong.status, session.status]).toEqual([401, 401, 401]);
    expect(none.headers.get('www-authenticate')).toMatch(/^Bearer realm="Switchboard", resource_metadata="[^"]+"$/);
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  test('for keys whose scopes do not reach', async () => {
    const decide = await post({}, { key: keys['approvals:decide'] });
    const called = { method: 'tools/call', params: { name: 'board_get_boards', arguments: {} } };
    const read = await post(called, { key: keys['read'] });

    expect([decide.status, read.status]).toEqual([403, 403]);
    expect(read.headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="run"');
    const names = (await (await connect({ key: keys['read'] ?? '' })).listTools()).tools.map(({ name }) => name);
    expect(names).toContain('switchboard_get_run');
    expect(names.filter((name) => /^(?:mail|board)_/.test(name))).toEqual([]);
  });

  test('under another name, from another page, and for too much at once', async () => {
    const origin = await post({}, { headers: { origin: 'https://evil.example' } });
    const host = await statusOf('POST', { host: 'evil.example' });
    const large = await post({ params: { filler: 'x'.repeat(1_000_001) } });
    const deep = await post({ params: JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`) });
    const batch = await post([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);

    expect([origin.status, host, large.status, deep.status, batch.status]).toEqual([403, 403, 413, 400, 400]);
    expect((await post({ method: 'ping' }, { headers: { origin: bench.origin } })).status).toBe(200);
  });
});
