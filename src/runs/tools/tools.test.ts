import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Fault } from '#kit';
import { type Answer, bootstrapKey, type Tenant, type Workbench, workbench } from '#test';
import { afterDone } from './step-fault.ts';

let bench: Workbench;
let foreign: Tenant;
let accountId: string;
let list: { id: string; idBoard: string };

beforeAll(async () => {
  bench = await workbench({ mail: true });
  accountId = await bench.connectBoard();
  foreign = await bench.newTenant('Foreign');
});
afterAll(() => bench[Symbol.asyncDispose]());
beforeEach(() => {
  bench.board.control.faults.clear();
  list = bench.board.newList();
});

const account = { name: 'account', type: 'account', integration: 'board', permissionType: 'standard' };
const createCard = (over: object = {}) => ({
  key: 'create',
  step: 'board.create_card',
  account: { input: 'account' },
  input: { idList: '{{inputs.listId}}', name: 'Card of {{inputs.who}}' },
  ...over,
});
const comment = (over: object = {}) => ({
  key: 'comment',
  step: 'board.add_comment_to_card',
  account: { input: 'account' },
  input: { cardId: '{{steps.create.output.id}}', text: 'Seen {{steps.create.output.name}}' },
  ...over,
});
const tool = (over: object = {}) => ({
  name: 'Card with a comment',
  inputs: [
    { name: 'listId', type: 'string', required: true },
    { name: 'who', type: 'string', default: 'nobody' },
    account,
  ],
  steps: [createCard(), comment()],
  output: { card: '{{steps.create.output.id}}', said: '{{steps.comment.output.text}}' },
  ...over,
});

const make = async (definition: object = tool()): Promise<string> => {
  const { status, body } = await bench.owned('POST', '/v1/tools', definition);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
};
const run = (id: string, input: object, rest: object = {}, headers: Record<string, string> = {}) =>
  bench.call('POST', `/v1/tools/${id}/run`, { key: bootstrapKey, headers, body: { input, ...rest } });
const cards = () => bench.board.cardsIn(list.id).map(({ name }) => name);
const given = (over: object = {}) => ({ listId: list.id, account: accountId, ...over });

describe('a tool of two steps', () => {
  test('runs one after the other, each with what came before', async () => {
    const id = await make();
    const { status, body } = await run(id, given({ who: '{{inputs.listId}}' }));
    expect([status, body.status]).toEqual([200, 'succeeded']);
    // What was filled in is not read again.
    expect(cards()).toEqual(['Card of {{inputs.listId}}']);
    expect(body.output).toEqual({ card: bench.board.cardsIn(list.id)[0]?.id, said: 'Seen Card of {{inputs.listId}}' });
  });

  test('leaves a run with one journal entry for each step: key, input, output, timing and calls', async () => {
    const id = await make();
    const { body } = await run(id, given());
    const { body: kept } = await bench.owned('GET', `/v1/runs/${body.runId}`);
    expect(kept).toMatchObject({ status: 'succeeded', toolId: id, toolVersion: 1, output: body.output });
    expect(kept).not.toHaveProperty('stepId');
    expect(kept.journal.map(({ kind }: { kind: string }) => kind)).toEqual(['started', 'step', 'step', 'finished']);
    expect(kept.journal[1].data).toMatchObject({
      key: 'create',
      stepId: 'board.create_card',
      accountId,
      input: { idList: list.id, name: 'Card of nobody' },
      output: { id: body.output.card },
      ms: expect.any(Number),
      calls: [{ method: 'POST', path: '/1/cards', effect: 'write', status: 200, effectId: expect.any(String) }],
    });
    const { body: listed } = await bench.owned('GET', `/v1/runs?toolId=${id}`);
    expect(listed.items.map((each: { id: string }) => each.id)).toEqual([body.runId]);
  });

  test('ends at a step that fails; what was done before it is in the journal', async () => {
    const id = await make(tool({ steps: [createCard(), comment({ input: { cardId: 'a'.repeat(24), text: 'no' } })] }));
    const { status, body } = await run(id, given());
    expect([status, body.error.code, body.error.details.done]).toEqual([404, 'not_found', ['create']]);
    expect(body.error.message).toMatch(/\. Done before that: create\. Running the tool again does it once more\.$/);
    const unended = new Fault('invalid_input', 'input.text: must be text');
    expect(afterDone(unended, ['create'])).toMatchObject({ message: expect.stringMatching(/be text\. Done before/) });
    const { body: runs } = await bench.owned('GET', `/v1/runs?toolId=${id}`);
    const { body: kept } = await bench.owned('GET', `/v1/runs/${runs.items[0].id}`);
    expect(kept.journal.map(({ kind }: { kind: string }) => kind)).toEqual(['started', 'step', 'step', 'failed']);
    expect(kept.journal[2].data).toMatchObject({ key: 'comment', error: { code: 'not_found' } });
    expect(cards()).toHaveLength(1);

    // What would make a second card is not called retryable, nor made by the same key, although the service may be back later.
    bench.board.control.faults.add({
      match: { path: '^/1/cards/[^/]+/actions/comments' },
      kind: 'status',
      status: 503,
    });
    const again = await make();
    for (const replayed of [undefined, true]) {
      const { body: away } = await run(again, given(), {}, { 'idempotency-key': 'partly' });
      expect(away.error).toMatchObject({ code: 'upstream_unavailable', details: { done: ['create'] } });
      expect([away.error.details.retryable, away.error.details.replayed]).toEqual([undefined, replayed]);
    }
    expect(cards()).toHaveLength(2);
  });

  test('repeated with the same Idempotency-Key, answers from the first run', async () => {
    const id = await make();
    const first = await run(id, given(), {}, { 'idempotency-key': 'once' });
    const second = await run(id, given(), {}, { 'idempotency-key': 'once' });
    expect([second.body.runId, second.body.replayed]).toEqual([first.body.runId, true]);
    expect(second.body.output).toEqual(first.body.output);
    expect(cards()).toHaveLength(1);
    const other = await run(id, given({ who: 'else' }), {}, { 'idempotency-key': 'once' });
    expect([other.status, other.body.error.code]).toEqual([409, 'conflict']);
  });

  test('answers with the last step when it maps no output', async () => {
    const { output: _, ...rest } = tool();
    const { body } = await run(await make(rest), given());
    expect(body.output).toMatchObject({ text: 'Seen Card of nobody' });
  });
});

describe('a dry run', () => {
  test('shows the exact request of each step as far as it can be known, and writes nothing', async () => {
    const { status, body } = await run(await make(), given(), { dryRun: true });
    expect([status, body.status]).toEqual([200, 'dry_run']);
    expect(body.steps).toMatchObject([
      {
        key: 'create',
        account: { id: accountId },
        effect: 'write',
        request: { method: 'POST', path: '/1/cards', body: { idList: list.id, name: 'Card of nobody' } },
        needs: [],
      },
      { key: 'comment', input: null, request: null, needs: ['steps.create.output.id', 'steps.create.output.name'] },
    ]);
    expect(cards()).toEqual([]);
  });

  test('makes the reads, so that what follows them is known', async () => {
    await bench.owned('POST', '/v1/steps/board.create_card/run', {
      accountId,
      input: { idList: list.id, name: 'There' },
    });
    const look = {
      key: 'create',
      step: 'board.get_list_cards',
      account: { id: accountId },
      input: { list: list.id },
    };
    const say = comment({ input: { cardId: '{{steps.create.output.items[0].id}}', text: 'Seen' } });
    const id = await make(tool({ steps: [look, say], output: null }));
    const { body } = await run(id, given(), { dryRun: true });
    const cardId = bench.board.cardsIn(list.id)[0]?.id;
    expect(body.steps[0]).toMatchObject({ request: null, effect: null });
    expect(body.steps[1]).toMatchObject({
      request: { path: `/1/cards/${cardId}/actions/comments` },
      input: { cardId },
    });
  });
});

describe('what a tool is given', () => {
  test.each([
    ['nothing', {}, ['input.listId', 'input.account']],
    ['another type', { listId: 7, account: 'x' }, ['input.listId']],
    ['an unknown input', { listId: 'x', account: 'x', more: 1 }, ['input.more']],
  ])('%s: is refused with the fields', async (_, input, fields) => {
    const { status, body } = await run(await make(), input);
    expect([status, body.error.code]).toEqual([400, 'invalid_input']);
    expect(body.error.details.fields.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  test("another workspace's account looks exactly like an unknown one", async () => {
    const id = await make();
    const theirs = await run(id, given({ account: foreign.accountId }));
    const nobodys = await run(id, given({ account: `${foreign.accountId.slice(0, -4)}0000` }));
    expect([theirs.status, theirs.body.error.code]).toEqual([404, 'not_found']);
    expect(theirs.body.error.message).toBe(nobodys.body.error.message);
    expect(cards()).toEqual([]);
  });

  test('an account without the permission type that the tool asks for is refused, with the way to grant it', async () => {
    const permissionType = 'shared_mailboxes';
    const inputs = [tool().inputs[0], tool().inputs[1], { ...account, permissionType }];
    const { status, body } = await run(await make(tool({ inputs })), given());
    expect([status, body.error.details.fields[0].field]).toEqual([400, 'input.account']);
    // No key and token are connected with more than they are.
    expect(body.error.details).not.toHaveProperty('connect');

    const mail = await bench.connectMail();
    const steps = [{ key: 'labels', step: 'mail.list_labels', account: { input: 'account' }, input: {} }];
    const asking = { name: 'Labels', inputs: [{ ...account, integration: 'mail', permissionType }], steps };
    const { error } = (await run(await make(asking), { account: mail })).body;
    const permissionTypes = ['standard', permissionType];
    const connect = { integration: 'mail', method: 'oauth2', accountId: mail, permissionTypes };
    expect(error.details).toMatchObject({ fields: [{ field: 'input.account' }], connect });
  });

  test('what a step refuses is named as its caller gave it, or by its place in the tool', async () => {
    const inputs = [{ name: 'where', type: 'string' }, { name: 'titles', type: 'array' }, account];
    const fieldsOf = ({ body }: Answer) => body.error.details.fields.map(({ field }: { field: string }) => field);
    const step = createCard({ input: { idList: '{{inputs.where}}', name: '{{inputs.titles[0]}}' } });
    const id = await make(tool({ inputs, steps: [step], output: null }));
    for (const dryRun of [false, true]) {
      const asked = (input: object) =>
        bench.owned('POST', `/v1/tools/${id}/run`, { input: { account: accountId, ...input }, dryRun });
      const empty = await asked({ where: '', titles: [7] });
      expect(fieldsOf(empty)).toEqual(['input.where', 'input.titles[0]']);
      expect(empty.body.error.message).toMatch(/input\.where: .+input\.titles\[0\]: /);
      // The board that would help is no input of this tool.
      expect(fieldsOf(await asked({ where: 'No such list', titles: ['x'] }))).toEqual([
        'input.where',
        'steps[0].input.board',
      ]);
      const unknown = await asked({ where: 'x', titles: ['x'], account: 'acc_unknown' });
      expect([unknown.status, fieldsOf(unknown)]).toEqual([404, ['input.account']]);
    }
  });

  test('keeps its type: lists and numbers arrive as such', async () => {
    const label = [...bench.board.world.labels.values()].find(({ idBoard }) => idBoard === list.idBoard);
    const inputs = [...tool().inputs, { name: 'labels', type: 'array' }];
    const step = createCard({ input: { idList: list.id, name: 'Labelled', idLabels: '{{inputs.labels}}' } });
    const id = await make(tool({ inputs, steps: [step], output: '{{steps.create.output}}' }));
    const labels = label === undefined ? [] : [label.id];
    const { status, body } = await run(id, given({ labels }));
    expect([status, body.output.name]).toEqual([200, 'Labelled']);
    // Optional and not given: the field is left out.
    expect((await run(id, given())).status).toBe(200);
  });
});

test('a path that leads nowhere ends the run, naming its place; in the output it is left out and told', async () => {
  const output = { id: '{{steps.create.output.id}}', next: '{{steps.create.output.nothing.here}}' };
  const { status, body } = await run(await make(tool({ output })), given());
  expect([status, body.status, body.output]).toEqual([200, 'succeeded', { id: expect.any(String) }]);
  const told =
    'output.next: {{steps.create.output.nothing.here}} leads nowhere: there is no steps.create.output.nothing';
  expect(body.warnings).toEqual([`${told}; it was left out.`]);
  const whole = await run(await make(tool({ output: '{{steps.create.output.nothing}}' })), given());
  expect([whole.body.status, whole.body.output, whole.body.warnings.length]).toEqual(['succeeded', null, 1]);
  const lost = comment({ input: { cardId: '{{steps.create.output.labels[0].id}}', text: 'x' } });
  const second = await run(await make(tool({ steps: [createCard(), lost], output: null })), given());
  expect(second.body.error.details.fields[0].field).toBe('steps[1].input.cardId');
});

describe('versions', () => {
  test('a change makes a new one; the run tells which it was', async () => {
    const id = await make();
    const { status, body } = await bench.owned('PATCH', `/v1/tools/${id}`, { name: 'Renamed' });
    expect([status, body.version, body.name, body.steps.length]).toEqual([200, 2, 'Renamed', 2]);
    const { body: ran } = await run(id, given());
    expect((await bench.owned('GET', `/v1/runs/${ran.runId}`)).body.toolVersion).toBe(2);
  });

  test('what is saved as it was makes none, and leaves no record', async () => {
    const id = await make();
    const { body: before } = await bench.owned('GET', `/v1/tools/${id}`);
    const { name, description, inputs, steps, output, version } = before;
    const same = { name, description, inputs, steps, output, version };
    expect((await bench.owned('PATCH', `/v1/tools/${id}`, same)).body).toEqual(before);
    const { body: audit } = await bench.owned('GET', '/v1/audit?action=tool.changed');
    expect(audit.items.filter(({ target }: { target: string }) => target === id)).toEqual([]);
    const { body } = await bench.owned('PATCH', `/v1/tools/${id}`, { ...same, description: 'Other' });
    expect(body).toMatchObject({ version: 2, description: 'Other' });
  });

  test('a change that could not run is refused and changes nothing', async () => {
    const id = await make();
    const { status } = await bench.owned('PATCH', `/v1/tools/${id}`, { steps: [comment()] });
    expect(status).toBe(400);
    expect((await bench.owned('GET', `/v1/tools/${id}`)).body.version).toBe(1);
  });

  test('a change of an older one is refused with the present one', async () => {
    const id = await make();
    const change = (name: string, version: number) => bench.owned('PATCH', `/v1/tools/${id}`, { name, version });
    expect((await change('Mine', 1)).body.version).toBe(2);
    const { status, body } = await change('Theirs', 1);
    expect([status, body.error.code, body.error.details]).toEqual([409, 'conflict', { version: 2 }]);
    expect((await bench.owned('GET', `/v1/tools/${id}`)).body).toMatchObject({ name: 'Mine', version: 2 });
    expect((await bench.owned('PATCH', `/v1/tools/${id}`, { version: 2 })).status).toBe(400);
  });

  test('of two changes at once, one is told to look again', async () => {
    const id = await make();
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => bench.owned('PATCH', `/v1/tools/${id}`, { name })));
    const { body } = await bench.owned('GET', `/v1/tools/${id}`);
    expect(body.version).toBe(1 + answers.filter(({ status }) => status === 200).length);
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  });
});

describe('a send', () => {
  const mailTool = async (permission: string) => {
    const mail = await bench.connectMail();
    return make({
      name: 'Write',
      steps: [
        {
          key: 'send',
          step: 'mail.send_email',
          account: { id: mail },
          input: { to: ['ben@sandbox.test'], subject: 'Hello', body: 'Hi' },
          permission,
        },
      ],
    });
  };
  const sent = async (): Promise<number> => {
    const answer = await fetch(`${bench.mail.url}/_control/outbox`);
    return ((await answer.json()) as { items: unknown[] }).items.length;
  };

  test.each([
    ['autopilot', 'approval', 202],
    ['approval', 'autopilot', 202],
    ['autopilot', 'autopilot', 200],
  ])('with %s in the step and %s asked for: %i, the stricter wins', async (inStep, asked, expected) => {
    const before = await sent();
    const { status } = await run(await mailTool(inStep), {}, { permission: asked });
    expect(status).toBe(expected);
    expect((await sent()) - before).toBe(expected === 200 ? 1 : 0);
  });
});

test('a key without the right cannot save a step that sends by itself, in a new tool or an old one', async () => {
  const scopes = ['build'];
  const { body: made } = await bench.owned('POST', '/v1/api-keys', { name: 'builder', scopes });
  const send = {
    key: 'send',
    step: 'mail.send_email',
    account: { id: await bench.connectMail() },
    input: { to: ['ben@sandbox.test'], subject: 'Hello', body: 'Hi' },
  };
  const save = (method: string, path: string, step: object) =>
    bench.call(method, path, { key: made.key, body: { ...(method === 'POST' ? { name: 'x' } : {}), steps: [step] } });
  const kept = await save('POST', '/v1/tools', send);
  expect(kept.status).toBe(201);
  expect((await save('POST', '/v1/tools', { ...send, permission: 'autopilot' })).status).toBe(403);
  expect((await save('PATCH', `/v1/tools/${kept.body.id}`, { ...send, permission: 'autopilot' })).status).toBe(403);
  const alone = { ...send, input: { ...send.input, to: ['{{inputs.to}}'] }, permission: 'autopilot' };
  const inputs = [{ name: 'to', type: 'string', default: 'ben@sandbox.test' }];
  const { body: tool } = await bench.owned('POST', '/v1/tools', { name: 'x', inputs, steps: [alone] });
  const change = async (body: object) =>
    (await bench.call('PATCH', `/v1/tools/${tool.id}`, { key: made.key, body })).status;
  expect([await change({ inputs }), await change({ description: 'Greets.' })]).toEqual([403, 200]);
  // What changes nothing outside for others needs no such right.
  const input = { idList: bench.board.newList().id, name: 'x' };
  const card = createCard({ account: { id: accountId }, input, permission: 'autopilot' });
  expect((await save('POST', '/v1/tools', card)).status).toBe(201);
});

test('lists and deletes', async () => {
  const id = await make();
  const listed: Answer = await bench.owned('GET', '/v1/tools?limit=1');
  expect(listed.body.items).toMatchObject([{ id, version: 1 }]);
  const { body: named } = await bench.owned('PATCH', `/v1/tools/${id}`, { name: '100 % Søren' });
  const found = await bench.owned('GET', `/v1/tools?query=${encodeURIComponent(' 0 % SØ')}`);
  expect([named.name, found.body.items.map((tool: { id: string }) => tool.id)]).toEqual(['100 % Søren', [id]]);
  expect((await bench.owned('GET', '/v1/tools?query=%25%25')).body.items).toEqual([]);
  expect((await bench.owned('DELETE', `/v1/tools/${id}`)).status).toBe(204);
  expect((await bench.owned('GET', `/v1/tools/${id}`)).status).toBe(404);
});

test('an emergency stop lets no tool begin to write', async () => {
  const id = await make();
  await bench.owned('POST', '/v1/stop');
  const { status } = await run(id, given());
  await bench.owned('POST', '/v1/resume');
  expect([status, cards()]).toEqual([503, []]);
});
