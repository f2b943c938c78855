import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Tenant, type Workbench, workbench } from '#test';

let bench: Workbench;
let foreign: Tenant;
let board: string;
let mail: string;
let secret: string;

beforeAll(async () => {
  bench = await workbench({ mail: true });
  board = await bench.connectBoard();
  mail = await bench.connectMail();
  const auth = await bench.keyAndToken();
  secret = (await bench.owned('POST', '/v1/secrets', { integration: 'board', auth })).body.id;
  foreign = await bench.newTenant('Foreign');
});
afterAll(() => bench[Symbol.asyncDispose]());

const anyList = 'a'.repeat(24);
const create = (over: object = {}, input: object = {}) => ({
  key: 'create',
  step: 'board.create_card',
  account: { input: 'account' },
  input: { idList: anyList, name: '{{inputs.title}}', ...input },
  ...over,
});
const comment = (input: object = {}, over: object = {}) => ({
  key: 'comment',
  step: 'board.add_comment_to_card',
  account: { input: 'account' },
  input: { cardId: '{{steps.create.output.id}}', text: 'Seen', ...input },
  ...over,
});
const find = (input: object) => ({
  key: 'find',
  step: 'board.search_cards',
  account: { input: 'account' },
  input: { query: 'x', ...input },
});
const cardId = '{{steps.create.output.id}}';
const update = (step: string, input: object) => ({
  key: 'update',
  step,
  account: step.startsWith('mail.') ? { id: mail } : { input: 'account' },
  input,
});
const inputs = [
  { name: 'title', type: 'string', required: true },
  { name: 'account', type: 'account', integration: 'board' },
];
const tool = (over: object = {}) => ({ name: 'Tool', inputs, steps: [create(), comment()], ...over });
const steps = (...given: object[]) => tool({ steps: given });
const withInput = (input: object) => tool({ inputs: [...inputs, input] });

const save = (definition: object) => bench.owned('POST', '/v1/tools', definition);

const inFirst = (field: string) => `steps[0].input.${field}`;

type Row = [string, () => object, string[]];
const mistakes: Row[] = [
  ['an unknown step', () => steps(create({ step: 'board.no_such' })), ['steps[0].step']],
  ['a tool as a step', () => steps(create({ step: 'tool_01234567890123456789012345' })), ['steps[0].step']],
  ['an unknown input', () => steps(create({}, { name: '{{inputs.other}}' })), ['steps[0].input.name']],
  [
    'an unknown step in a path',
    () => steps(create(), comment({ cardId: '{{steps.other.output.id}}' })),
    ['steps[1].input.cardId'],
  ],
  ['a later step', () => steps(comment(), create()), ['steps[0].input.cardId']],
  ['the step itself', () => steps(create({}, { name: '{{steps.create.output.id}}' })), ['steps[0].input.name']],
  [
    'a step without output',
    () => steps(create(), comment({ cardId: '{{steps.create.id}}' })),
    ['steps[1].input.cardId'],
  ],
  [
    'what a step never answers',
    () => steps(create(), comment({ text: 'See {{steps.create.output.shortUrl}}, {{steps.create.output.url.path}}' })),
    ['steps[1].input.text', 'steps[1].input.text'],
  ],
  [
    'an item by its name',
    () => steps(find({}), comment({ cardId: '{{steps.find.output.items.first.id}}' })),
    ['steps[1].input.cardId'],
  ],
  ['another root', () => steps(create({}, { name: '{{event.data.x}}' })), ['steps[0].input.name']],
  ['a prototype key', () => steps(create({}, { name: '{{inputs.title.constructor}}' })), ['steps[0].input.name']],
  ['code', () => steps(create({}, { name: '{{inputs.title.toUpperCase()}}' })), ['steps[0].input.name']],
  ['an unclosed placeholder', () => steps(create({}, { name: 'x {{inputs.title' })), ['steps[0].input.name']],
  ['an unknown field of the step', () => steps(create({}, { colour: 'red' })), ['steps[0].input.colour']],
  ['an unknown field deep inside', () => steps(create(), comment({ 'a b': 1 })), ['steps[1].input["a b"]']],
  ['a missing field', () => steps(create(), comment({}, { input: { cardId: 'x' } })), ['steps[1].input.text']],
  ['a literal of another type', () => steps(create({}, { pos: 'middle' })), ['steps[0].input.pos']],
  [
    'a literal inside a list',
    () => steps(create({}, { idLabels: ['{{inputs.title}}', 7] })),
    ['steps[0].input.idLabels[1]'],
  ],
  [
    'text around a placeholder where a number is expected',
    () => steps(create(), find({ limit: '{{inputs.title}}0' })),
    ['steps[1].input.limit'],
  ],
  ['a constant text where a number is expected', () => steps(find({ limit: '7' })), ['steps[0].input.limit']],
  [
    'text around a placeholder where it is yes or no',
    () => steps(create({}, { dueComplete: 'is {{inputs.title}}' })),
    ['steps[0].input.dueComplete'],
  ],
  [
    'text around a placeholder that can be none of the choices',
    () => steps(create({}, { keepFromSource: ['the {{inputs.title}}'] })),
    ['steps[0].input.keepFromSource[0]'],
  ],
  ['a text input for a list', () => steps(create({}, { idLabels: '{{inputs.title}}' })), ['steps[0].input.idLabels']],
  [
    'a number input for a text',
    () => tool({ inputs: [...inputs, { name: 'n', type: 'number' }], steps: [create({}, { name: '{{inputs.n}}' })] }),
    ['steps[0].input.name'],
  ],
  [
    'fields of which only one may be given',
    () => steps(create({}, { list: 'To do' })),
    ['idList', 'list'].map(inFirst),
  ],
  [
    'fields of which one must be given',
    () => steps(create({ input: { name: '{{inputs.title}}' } })),
    ['idList', 'board', 'list'].map(inFirst),
  ],
  [
    'a mail to nobody, beside another mistake',
    () => steps({ key: 'send', step: 'mail.send_email', account: { id: mail }, input: { subject: 'x', size: 1 } }),
    ['body', 'size', 'to', 'cc', 'bcc'].map(inFirst),
  ],
  [
    'a card to be changed in nothing',
    () => steps(create(), update('board.update_card', { cardId, pos: undefined, addLabels: [] })),
    ['steps[1].input'],
  ],
  [
    'an event to be changed in nothing',
    () => steps(create(), update('mail.update_event', { eventId: cardId, bodyFormat: 'text' })),
    ['steps[1].input'],
  ],
  [
    'a contact to be changed in nothing',
    () => steps(create(), update('mail.update_contact', { contactId: cardId, emailsMode: 'merge' })),
    ['steps[1].input'],
  ],
  ['a contact of nothing', () => steps(update('mail.create_contact', { ifExists: 'return' })), ['steps[0].input']],
  ['a key of its own', () => steps(create({}, { idempotencyKey: 'x' })), ['steps[0].input.idempotencyKey']],
  ['a dry run inside', () => steps(create({}, { dryRun: true })), ['steps[0].input.dryRun']],
  ['duplicate keys', () => steps(create(), create()), ['steps[1].key']],
  ['duplicate inputs', () => withInput({ name: 'title', type: 'string' }), ['inputs[2].name']],
  ['a prototype key as name', () => withInput({ name: 'constructor', type: 'string' }), ['inputs[2].name']],
  ['a prototype key as key', () => steps(create({ key: '__proto__' })), ['steps[0].key']],
  ['a default of another type', () => withInput({ name: 'n', type: 'number', default: '7' }), ['inputs[2].default']],
  ['an account of no integration', () => withInput({ name: 'a', type: 'account' }), ['inputs[2].integration']],
  [
    'an account of an unknown integration',
    () => withInput({ name: 'a', type: 'account', integration: 'fax' }),
    ['inputs[2].integration'],
  ],
  [
    'an optional account',
    () => withInput({ name: 'a', type: 'account', integration: 'board', required: false }),
    ['inputs[2].required'],
  ],
  [
    'an integration of a text',
    () => withInput({ name: 'a', type: 'string', integration: 'board' }),
    ['inputs[2].integration'],
  ],
  ['an account input that is none', () => steps(create({ account: { input: 'title' } })), ['steps[0].account.input']],
  ['an unknown account input', () => steps(create({ account: { input: 'other' } })), ['steps[0].account.input']],
  ['an unknown account', () => steps(create({ account: { id: 'acc_none' } })), ['steps[0].account.id']],
  ["another workspace's account", () => steps(create({ account: { id: foreign.accountId } })), ['steps[0].account.id']],
  ['a secret as account', () => steps(create({ account: { id: secret } })), ['steps[0].account.id']],
  ['an account as secret', () => steps(create({ account: { secret: board } })), ['steps[0].account.secret']],
  ['an account of another service', () => steps(create({ account: { id: mail } })), ['steps[0].account.id']],
  ['an unknown step in the output', () => tool({ output: { x: ['{{steps.none.output}}'] } }), ['output.x[0]']],
  [
    'several at once',
    () => steps(create({ step: 'x' }), comment({ text: 7, cardId: '{{inputs.x}}' })),
    ['steps[0].step', 'steps[1].input.cardId', 'steps[1].input.text'],
  ],
];

describe('a tool that could not run is refused with the place of the mistake', () => {
  test.each(mistakes)('%s', async (_, definition, fields) => {
    const { status, body } = await save(definition());
    expect([status, body.error?.code]).toEqual([400, 'invalid_input']);
    expect(body.error.details.fields.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  test("another workspace's account is told apart from an unknown one by nothing", async () => {
    const [theirs, nobodys] = [
      await save(steps(create({ account: { id: foreign.accountId } }))),
      await save(steps(create({ account: { id: `${foreign.accountId.slice(0, -4)}0000` } }))),
    ];
    expect(theirs.body.error.message).toBe(nobodys.body.error.message);
  });

  test.each([
    ['no steps', { steps: [] }],
    ['an unknown field', { more: 1 }],
    ['a name with a dot', { inputs: [{ name: 'a.b', type: 'string' }] }],
    ['an unknown type', { inputs: [{ name: 'a', type: 'date' }] }],
    ['two accounts for a step', { steps: [create({ account: { id: 'acc_x', input: 'account' } })] }],
  ])('%s', async (_, over) => {
    expect((await save(tool(over))).status).toBe(400);
  });
});

test('a rule over several fields waits for the run where one of them is filled in by then', async () => {
  const either = create({}, { idList: '{{inputs.title}}', list: 'To do' });
  expect((await save(steps(either))).status).toBe(201);
});

test('a tool is looked at as when it is saved, without being saved', async () => {
  const check = (definition: object) => bench.owned('POST', '/v1/tools/check', definition);
  const count = async () => (await bench.owned('GET', '/v1/tools?limit=100')).body.items.length;
  const before = await count();
  const mistaken = steps(create({ step: 'x' }), comment({ text: 7 }));
  const [looked, saved] = [await check(mistaken), await save(mistaken)];
  expect([looked.status, looked.body.error.details]).toEqual([400, saved.body.error.details]);
  expect((await check(tool())).status).toBe(204);
  expect(await count()).toBe(before);
});

describe('a tool that can run is kept', () => {
  test.each<[string, () => object]>([
    ['a fixed account', () => steps(create({ account: { id: board } }))],
    ['a stored secret', () => steps(create({ account: { secret } }))],
    [
      'a placeholder of which only the run tells the type',
      () => steps(create(), find({ limit: '{{steps.create.output.pos}}' })),
    ],
    [
      'a part of an input, of which only the run tells the type',
      () =>
        tool({
          inputs: [...inputs, { name: 'o', type: 'object' }],
          steps: [create({}, { idLabels: '{{inputs.o.labels}}' })],
        }),
    ],
    [
      'text around a placeholder that can be a choice',
      () => steps(create({}, { keepFromSource: ['la{{inputs.title}}'] })),
    ],
    ['a placeholder inside a rule over several fields', () => steps(create({}, { due: '{{inputs.title}}' }))],
    [
      'what a step may answer',
      () => steps(find({}), comment({ cardId: '{{steps.find.output.items[3].id}}', text: '{{steps.find.output}}' })),
    ],
    [
      'what only the service knows',
      () => {
        const input = { method: 'GET', endpoint: '/1/members/me' };
        const call = { key: 'call', step: 'board.api_call', account: { input: 'account' }, input };
        return steps(call, comment({ cardId: 'x', text: '{{steps.call.output.data.prefs[0].locale}}' }));
      },
    ],
    [
      'a change that only the run tells',
      () => {
        const labels = { name: 'labels', type: 'array' };
        const change = update('board.update_card', { cardId: 'x', addLabels: '{{inputs.labels}}' });
        return tool({ inputs: [...inputs, labels], steps: [change] });
      },
    ],
    ['a change to none', () => steps(update('board.update_card', { cardId: 'x', idLabels: [] }))],
    ['a literal brace', () => steps(create({}, { name: '\\{{inputs.none}}' }))],
    ['no inputs', () => ({ name: 'x', steps: [create({ account: { id: board } }, { name: 'fixed' })] })],
  ])('%s', async (_, definition) => {
    const { status, body } = await save(definition());
    expect([status, body.error]).toEqual([201, undefined]);
    expect((await bench.owned('GET', `/v1/tools/${body.id}`)).body).toEqual(body);
  });
});
