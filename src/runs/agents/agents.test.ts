import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bootstrapKey, type Tenant, type Workbench, workbench } from '#test';

let bench: Workbench;
let foreign: Tenant;
let accountId: string;
let toolId: string;
let list: { id: string; idBoard: string };

const cardTool = {
  name: 'Card',
  inputs: [
    { name: 'listId', type: 'string', required: true },
    { name: 'title', type: 'string', required: true },
    { name: 'account', type: 'account', integration: 'board' },
    { name: 'note', type: 'string' },
    { name: 'urgent', type: 'boolean' },
  ],
  steps: [
    {
      key: 'create',
      step: 'board.create_card',
      account: { input: 'account' },
      input: { idList: '{{inputs.listId}}', name: '{{inputs.title}}', desc: '{{inputs.note}}' },
    },
  ],
};

beforeAll(async () => {
  bench = await workbench({ mail: true });
  accountId = await bench.connectBoard();
  toolId = (await bench.owned('POST', '/v1/tools', cardTool)).body.id;
  foreign = await bench.newTenant('Foreign');
});
afterAll(() => bench[Symbol.asyncDispose]());
beforeEach(() => {
  list = bench.board.newList();
});

const agent = (over: object = {}, mapping: object = {}) => ({
  name: 'Filer',
  instructions: 'File what arrives.',
  tools: [{ toolId }],
  runner: {
    type: 'tool',
    toolId,
    input: { listId: list.id, title: 'About {{event.data.subject}}', account: accountId, ...mapping },
  },
  ...over,
});
const make = async (definition: object = agent()): Promise<string> => {
  const { status, body } = await bench.owned('POST', '/v1/agents', definition);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
};
const start = (id: string, input: object = {}, headers: Record<string, string> = {}) =>
  bench.call('POST', `/v1/agents/${id}/runs`, { key: bootstrapKey, headers, body: { input } });
const ended = async (runId: string) => {
  await expect
    .poll(async () => (await bench.owned('GET', `/v1/runs/${runId}`)).body.finishedAt, {
      interval: 20,
    })
    .not.toBeNull();
  return (await bench.owned('GET', `/v1/runs/${runId}`)).body;
};
const cards = () => bench.board.cardsIn(list.id).map(({ name }) => name);
const fieldsOf = async (definition: object): Promise<string[]> => {
  const { status, body } = await bench.owned('POST', '/v1/agents', definition);
  expect([status, body.error?.code]).toEqual([400, 'invalid_input']);
  return body.error.details.fields.map(({ field }: { field: string }) => field);
};

test('more of them may be made, changed and started at once than there are connections', async () => {
  const many = Array.from({ length: 12 }, (_, at) => at);
  const ids = await Promise.all(many.map(() => make()));
  const changed = await Promise.all(
    ids.map((id) => bench.owned('PATCH', `/v1/agents/${id}`, { runner: agent({}, { note: 'new' }).runner })),
  );
  expect(changed.map(({ status }) => status)).toEqual(many.map(() => 200));
  await bench.owned('PATCH', `/v1/agents/${ids[3]}`, { name: 'Sorts invoices' });
  for (const list of ['agents', 'overview/agents']) {
    const { body } = await bench.owned('GET', `/v1/${list}?query=INVOICE&limit=1`);
    expect(body).toEqual({ items: [expect.objectContaining({ id: ids[3] })] });
  }
  await bench.owned('PATCH', `/v1/agents/${ids[5]}`, { state: 'paused' });
  const inState = async (list: string, state: string): Promise<string[]> =>
    (await bench.owned('GET', `/v1/${list}?state=${state}&limit=100`)).body.items.map(({ id }: { id: string }) => id);
  for (const list of ['agents', 'overview/agents']) {
    expect(await inState(list, 'paused')).toEqual([ids[5]]);
    expect(await inState(list, 'enabled')).toEqual(expect.arrayContaining(ids.toSpliced(5, 1)));
    expect(await inState(list, 'enabled')).not.toContain(ids[5]);
    expect((await bench.owned('GET', `/v1/${list}?state=broken`)).status).toBe(400);
  }
  await bench.owned('PATCH', `/v1/agents/${ids[5]}`, { state: 'enabled' });
  const started = await Promise.all(ids.map((id) => start(id, { title: 'x' })));
  expect(started.map(({ status }) => status)).toEqual(many.map(() => 202));
  const renamed = await Promise.all(many.map(() => bench.owned('PATCH', '/v1/accounts/acc_none', { name: 'New' })));
  expect(renamed.map(({ status }) => status)).toEqual(many.map(() => 404));
});

test('started by hand, an agent carries out its tool with what is given in place of the event', async () => {
  const id = await make();
  const { status, body } = await start(id, { title: 'By hand' });
  expect([status, body.runId]).toEqual([202, expect.stringMatching(/^run_/)]);
  const run = await ended(body.runId);
  expect(run).toMatchObject({ status: 'succeeded', agentId: id, agentVersion: 1, toolId, toolVersion: 1 });
  expect(run.startedBy.kind).toBe('key');
  expect(run.journal.map(({ kind }: { kind: string }) => kind)).toEqual(['started', 'step', 'finished']);
  expect(run.journal[0].data).toEqual({ agentId: id, agentVersion: 1, toolId, toolVersion: 1 });
  expect(cards()).toEqual(['By hand']);
  const { body: listed } = await bench.owned('GET', `/v1/runs?agentId=${id}`);
  expect(listed.items.map((each: { id: string }) => each.id)).toEqual([body.runId]);
});

test('how many of its runs are carried out at once is set, changed and lifted', async () => {
  const id = await make(agent({ concurrency: 2 }));
  const patch = async (concurrency: unknown) => bench.owned('PATCH', `/v1/agents/${id}`, { concurrency });
  expect((await bench.owned('GET', `/v1/agents/${id}`)).body.concurrency).toBe(2);
  expect((await patch(1)).body).toMatchObject({ concurrency: 1, version: 2 });
  expect((await patch(0)).status).toBe(400);
  const started = await Promise.all(['One', 'Two', 'Three'].map((title) => start(id, { title })));
  for (const { body } of started) expect((await ended(body.runId)).status).toBe('succeeded');
  expect(cards().toSorted()).toEqual(['One', 'Three', 'Two']);
  expect((await patch(null)).body.concurrency ?? null).toBeNull();
});

test('a run that waits for its turn is not begun once the key that started it was revoked', async () => {
  const id = await make(agent({ concurrency: 1 }));
  const { body: stolen } = await bench.owned('POST', '/v1/api-keys', { name: 'Stolen', scopes: ['run'] });
  const slow = { match: { method: 'POST', path: '/1/cards' }, kind: 'latency' as const, ms: 500, times: 1 };
  bench.board.control.faults.add(slow);
  const first = await start(id, { title: 'First' });
  const body = { input: { title: 'Second' } };
  const second = await bench.call('POST', `/v1/agents/${id}/runs`, { key: stolen.key, body });
  await bench.owned('DELETE', `/v1/api-keys/${stolen.id}`);
  expect((await ended(first.body.runId)).status).toBe('succeeded');
  expect(await ended(second.body.runId)).toMatchObject({ status: 'failed', error: { code: 'forbidden' } });
  expect(cards()).toEqual(['First']);
});

test('what does not fit the tool is refused before anything starts', async () => {
  const id = await make();
  for (const [input, field] of [
    [{}, 'input.title'],
    [{ title: 1 }, 'input.title'],
    [{ title: 'x', more: 1 }, 'input.more'],
  ] as const) {
    // Without an event, "About {{event…}}" has nothing to tell.
    const asked =
      field === 'input.title' && !('title' in input) ? agent({}, { title: '{{event.data.subject}}' }) : agent();
    const { status, body } = await start('title' in input ? id : await make(asked), input);
    expect([status, body.error?.details.fields[0].field]).toEqual([400, field]);
  }
  expect((await bench.owned('GET', `/v1/runs?agentId=${id}`)).body.items).toEqual([]);
});

test('the same Idempotency-Key starts one run, also when both come at once', async () => {
  const id = await make();
  const answers = await Promise.all([1, 2, 3].map(() => start(id, { title: 'Once' }, { 'idempotency-key': `k${id}` })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  const [runId, ...others] = new Set(answers.map(({ body }) => body.runId));
  expect(others).toEqual([]);
  await ended(runId);
  expect(cards()).toEqual(['Once']);
  const other = await start(id, { title: 'Twice' }, { 'idempotency-key': `k${id}` });
  expect([other.status, other.body.error?.code]).toEqual([409, 'conflict']);
});

describe('an agent that could not run is refused with the place of the mistake', () => {
  test.each([
    ['an unknown tool', () => agent({ tools: [{ toolId }, { toolId: 'tool_none' }] }), ['tools[1].toolId']],
    ['the same tool twice', () => agent({ tools: [{ toolId }, { toolId }] }), ['tools[1].toolId']],
    ['a runner without its tool', () => agent({ tools: [] }), ['runner.toolId']],
    ['an unknown input', () => agent({}, { more: 1 }), ['runner.input.more']],
    ['another root', () => agent({}, { title: '{{inputs.x}}' }), ['runner.input.title']],
    ['a literal of another type', () => agent({}, { title: 7 }), ['runner.input.title']],
    ['a list of placeholders for a text', () => agent({}, { title: ['{{event.data.x}}'] }), ['runner.input.title']],
    ['text for yes or no', () => agent({}, { urgent: 'is {{event.data.x}}' }), ['runner.input.urgent']],
    ['an unclosed placeholder', () => agent({}, { title: 'x {{event' }), ['runner.input.title']],
    ['an unknown account', () => agent({}, { account: 'acc_none' }), ['runner.input.account']],
    ['an account of another workspace', () => agent({}, { account: foreign.accountId }), ['runner.input.account']],
    ['an account that the event chooses', () => agent({}, { account: '{{event.data.a}}' }), ['runner.input.account']],
    [
      'a missing input',
      () => agent({ runner: { type: 'tool', toolId } }),
      ['runner.input.listId', 'runner.input.title', 'runner.input.account'],
    ],
    ['a model that would choose the account', () => agent({ runner: { type: 'model' } }), ['runner.input.account']],
    [
      'an input that no tool of the model has',
      () => agent({ runner: { type: 'model', input: { account: accountId, more: 1 } } }),
      ['runner.input.more'],
    ],
    [
      'a model at an address that is not to be trusted with it',
      () =>
        agent({
          runner: { type: 'model', baseUrl: 'http://models.test/v1', model: 'x', input: { account: accountId } },
        }),
      ['runner.baseUrl'],
    ],
    [
      'a provider that nobody has set up',
      () => agent({ runner: { type: 'model', provider: 'anthropic', input: { account: accountId } } }),
      ['runner.baseUrl', 'runner.model'],
    ],
    [
      'a webhook without its account',
      () => agent({ runner: { type: 'webhook', url: 'https://example.com' } }),
      ['runner.input.account'],
    ],
  ])('%s', async (_, definition, fields) => {
    expect(await fieldsOf(definition())).toEqual(fields);
  });

  test('an account of another service', async () => {
    const mail = await bench.connectMail();
    expect(await fieldsOf(agent({}, { account: mail }))).toEqual(['runner.input.account']);
  });

  test("another workspace's tool looks like an unknown one", async () => {
    const { status, body } = await bench.call('POST', '/v1/agents', { key: foreign.key, body: agent() });
    expect([status, body.error.details.fields[0].field]).toEqual([400, 'tools[0].toolId']);
  });
});

describe('versions', () => {
  test('a change of what it does makes a new one; pausing does not', async () => {
    const id = await make();
    const renamed = await bench.owned('PATCH', `/v1/agents/${id}`, { name: 'Other', instructions: 'New' });
    expect(renamed.body).toMatchObject({ version: 2, name: 'Other', instructions: 'New', tools: [{ toolId }] });
    const paused = await bench.owned('PATCH', `/v1/agents/${id}`, { state: 'paused' });
    expect(paused.body).toMatchObject({ version: 2, state: 'paused' });
    expect((await start(id, { title: 'x' })).status).toBe(409);
    await bench.owned('PATCH', `/v1/agents/${id}`, { state: 'enabled' });
    const { body } = await start(id, { title: 'x' });
    expect((await ended(body.runId)).agentVersion).toBe(2);
  });

  test('what is saved as it was makes none, and leaves no record', async () => {
    const id = await make(agent({ concurrency: 2 }));
    const { body: before } = await bench.owned('GET', `/v1/agents/${id}`);
    const { name, instructions, concurrency, tools, runner, version, state } = before;
    const same = { name, instructions, concurrency, tools, runner, version, state };
    expect((await bench.owned('PATCH', `/v1/agents/${id}`, same)).body).toEqual(before);
    const { body: audit } = await bench.owned('GET', '/v1/audit?action=agent.changed');
    expect(audit.items.filter(({ target }: { target: string }) => target === id)).toEqual([]);
    const { body } = await bench.owned('PATCH', `/v1/agents/${id}`, { ...same, instructions: 'Other' });
    expect(body).toMatchObject({ version: 2, instructions: 'Other' });
  });

  test("the tool's newest version is used, and the run keeps it", async () => {
    const own = (await bench.owned('POST', '/v1/tools', cardTool)).body.id;
    const definition = agent({ tools: [{ toolId: own }] });
    const id = await make({ ...definition, runner: { ...definition.runner, toolId: own } });
    const [step] = cardTool.steps;
    await bench.owned('PATCH', `/v1/tools/${own}`, {
      steps: [{ ...step, input: { ...step?.input, name: 'Changed' } }],
    });
    const { body } = await start(id, { title: 'x' });
    expect((await ended(body.runId)).toolVersion).toBe(2);
    expect(cards()).toEqual(['Changed']);
  });
});

describe('who may let an agent send by itself', () => {
  const tried = async (scopes: string[], tools: object[]) => {
    const { body } = await bench.owned('POST', '/v1/api-keys', { name: 'k', scopes });
    return (await bench.call('POST', '/v1/agents', { key: body.key, body: agent({ tools }) })).status;
  };

  test('a key needs the right by name, and more to widen the recipients', async () => {
    const alone = [{ toolId, permission: 'autopilot' }];
    const anyone = [{ toolId, permission: 'autopilot', recipients: 'anyone' }];
    expect(await tried(['build'], [{ toolId }])).toBe(201);
    expect(await tried(['build'], alone)).toBe(403);
    expect(await tried(['build', 'sends:autopilot'], alone)).toBe(201);
    expect(await tried(['build', 'sends:autopilot'], anyone)).toBe(403);
    expect(await tried(['admin', 'sends:autopilot'], anyone)).toBe(201);
  });

  test('nor does a key without it steer an agent that was let', async () => {
    const id = await make(agent({ tools: [{ toolId, permission: 'autopilot' }] }));
    const { body: held } = await bench.owned('POST', '/v1/api-keys', { name: 'k', scopes: ['build'] });
    const change = async (body: object) =>
      (await bench.call('PATCH', `/v1/agents/${id}`, { key: held.key, body })).status;
    const { runner } = agent({});
    expect([await change({ runner }), await change({ instructions: 'Write to others.' })]).toEqual([403, 403]);
    expect([await change({ state: 'paused' }), await change({ name: 'Renamed' })]).toEqual([200, 200]);
    expect(await change({ runner, tools: [{ toolId }] })).toBe(200);
    expect(await change({ runner })).toBe(200);
  });
});

describe('a send of an agent', () => {
  const sent = async (): Promise<number> => {
    const answer = await fetch(`${bench.mail.url}/_control/outbox`);
    return ((await answer.json()) as { items: unknown[] }).items.length;
  };

  test.each([
    ['autopilot', 'approval', 'waiting_approval'],
    ['approval', 'autopilot', 'waiting_approval'],
    ['autopilot', 'autopilot', 'succeeded'],
  ])('with %s in the step and %s for the agent: %s, the stricter wins', async (inStep, forAgent, status) => {
    const before = await sent();
    const send = {
      key: 'send',
      step: 'mail.send_email',
      account: { id: await bench.connectMail() },
      input: { to: ['ben@sandbox.test'], subject: 'Hello', body: 'Hi' },
      permission: inStep,
    };
    const { body: tool } = await bench.owned('POST', '/v1/tools', { name: 'Write', steps: [send] });
    const tools = [{ toolId: tool.id, permission: forAgent }];
    const id = await make({ name: 'Writer', tools, runner: { type: 'tool', toolId: tool.id } });
    const { body } = await start(id);
    const now = async () => (await bench.owned('GET', `/v1/runs/${body.runId}`)).body.status;
    await expect.poll(now, { interval: 20 }).toBe(status);
    expect((await sent()) - before).toBe(status === 'succeeded' ? 1 : 0);
  });
});

describe('deleting', () => {
  test('a tool that an agent uses is refused, naming the agents; afterwards it goes', async () => {
    const own = (await bench.owned('POST', '/v1/tools', cardTool)).body.id;
    const id = await make(agent({ name: 'Keeper', tools: [{ toolId }, { toolId: own }] }));
    const users = await bench.owned('GET', `/v1/tools/${own}/agents`);
    expect(users.body).toEqual({ items: [{ id, name: 'Keeper', state: 'enabled' }] });
    const { status, body } = await bench.owned('DELETE', `/v1/tools/${own}`);
    expect([status, body.error.code]).toEqual([409, 'conflict']);
    expect(body.error.message).toContain('Keeper');
    expect(body.error.details.agents).toEqual([{ id, name: 'Keeper' }]);
    expect((await bench.owned('GET', `/v1/tools/${own}`)).status).toBe(200);
    await bench.owned('PATCH', `/v1/agents/${id}`, { tools: [{ toolId }] });
    expect((await bench.owned('DELETE', `/v1/tools/${own}`)).status).toBe(204);
  });

  test('an agent goes; what it did stays', async () => {
    const id = await make();
    const { body } = await start(id, { title: 'Stays' });
    await ended(body.runId);
    expect((await bench.owned('DELETE', `/v1/agents/${id}`)).status).toBe(204);
    expect((await bench.owned('GET', `/v1/agents/${id}`)).status).toBe(404);
    expect((await bench.owned('GET', `/v1/runs/${body.runId}`)).body).toMatchObject({ agentId: id });
  });
});

test('an emergency stop refuses to start', async () => {
  const id = await make();
  await bench.owned('POST', '/v1/stop');
  const { status } = await start(id, { title: 'x' });
  await bench.owned('POST', '/v1/resume');
  expect(status).toBe(503);
  expect((await bench.owned('GET', `/v1/runs?agentId=${id}`)).body.items).toEqual([]);
});

test('a service that is away for a moment only delays a run that nobody waits for', async () => {
  const id = await make();
  bench.board.control.faults.add({
    match: { method: 'POST', path: '/1/cards' },
    kind: 'status',
    status: 429,
    retryAfter: 1,
    times: 1,
  });
  const { body } = await start(id, { title: 'Later' });
  expect(await ended(body.runId)).toMatchObject({ status: 'succeeded' });
  expect(cards()).toEqual(['Later']);
});

test.each(['the agent', 'the step', 'an agent that is then deleted'])(
  'who takes autopilot away from %s means what has begun, too: its next send waits for a person',
  async (whose) => {
    const account = { id: await bench.connectMail() };
    const input = { to: ['ben@sandbox.test'], subject: 'Set to ask', body: 'b' };
    const steps = (permission: string) => [
      { key: 'read', step: 'mail.list_folders', account, input: {} },
      { key: 'send', step: 'mail.send_email', account, input, permission },
    ];
    const tool = { name: `Sends for ${whose}`, description: '', steps: steps('autopilot') };
    const own = (await bench.owned('POST', '/v1/tools', tool)).body.id;
    const tools = (permission: string) => [{ toolId: own, permission }];
    const id = await make(agent({ tools: tools('autopilot'), runner: { type: 'tool', toolId: own, input: {} } }));
    const { faults, log } = bench.mail.control;
    faults.add({ match: { path: '/v1.0/me/mailFolders' }, kind: 'status', status: 429, retryAfter: 1 });
    log.clear();
    const { runId } = (await start(id)).body;
    await expect.poll(() => log.list(0, '/v1.0/me/mailFolders').length).toBeGreaterThan(0);
    const changed =
      whose !== 'the step'
        ? await bench.owned('PATCH', `/v1/agents/${id}`, { tools: tools('approval') })
        : await bench.owned('PATCH', `/v1/tools/${own}`, { steps: steps('approval') });
    expect(changed.status).toBe(200);
    if (whose.endsWith('deleted')) expect((await bench.owned('DELETE', `/v1/agents/${id}`)).status).toBe(204);
    faults.clear();
    const now = async () => (await bench.owned('GET', `/v1/runs/${runId}`)).body.status;
    await expect.poll(now).toBe('waiting_approval');
    const [asked] = (await bench.owned('GET', `/v1/approvals?agentId=${id}`)).body.items;
    expect(asked.cause.why).toContain('Since this began');
  },
);

test('a tool is not changed so that an agent that uses it could not run; other changes are made', async () => {
  const { body: own } = await bench.owned('POST', '/v1/tools', cardTool);
  const input = { listId: list.id, title: 'Bread', account: accountId, urgent: true };
  const runner = { type: 'tool', toolId: own.id, input };
  await make({ name: 'Baker', tools: [{ toolId: own.id }], runner });
  const change = (inputs: object[]) => bench.owned('PATCH', `/v1/tools/${own.id}`, { inputs });
  const more = await change([...cardTool.inputs, { name: 'due', type: 'string', required: true }]);
  expect([more.status, more.body.error.details.agents[0].name]).toEqual([409, 'Baker']);
  expect(more.body.error.message).toContain('runner.input.due: must be given');
  const retyped = cardTool.inputs.map((each) => (each.name === 'urgent' ? { ...each, type: 'number' } : each));
  expect((await change(retyped)).status).toBe(409);
  expect((await bench.owned('GET', `/v1/tools/${own.id}`)).body.version).toBe(1);
  expect((await change([...cardTool.inputs, { name: 'due', type: 'string' }])).status).toBe(200);
});
