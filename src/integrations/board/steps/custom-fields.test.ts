import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';

let bench: Workbench;
let idBoard: string;
let idList: string;
const fields: Record<string, string> = {};

const call = async (step: string, input: object) =>
  (await bench.owned('POST', `/v1/steps/board.${step}/run`, { input, permission: 'autopilot' })).body;

beforeAll(async () => {
  bench = await workbench();
  await bench.connectBoard();
  ({ id: idList, idBoard } = bench.board.newList());
  const options = [{ value: { text: 'Low' } }, { value: { text: 'High' } }];
  for (const type of ['text', 'number', 'date', 'checkbox', 'list']) {
    const body = { idModel: idBoard, modelType: 'board', name: `My ${type}`, type, options };
    const { output } = await call('api_call', { method: 'POST', endpoint: '/1/customFields', body });
    fields[type] = output.data.id;
  }
});
beforeEach(() => bench.board.control.faults.clear());
afterAll(() => bench[Symbol.asyncDispose]());

const valuesOf = async (cardId: string) => {
  const { output } = await call('get_card', { cardId, include: ['customFields'] });
  const type = (id: string) => Object.entries(fields).find(([, known]) => known === id)?.[0] ?? id;
  return Object.fromEntries(
    output.customFields.map((item: { idCustomField: string; value: object | null; idValue: string | null }) => [
      type(item.idCustomField),
      item.value === null ? 'option' : Object.values(item.value)[0],
    ]),
  );
};

const all = {
  'my TEXT': 'Words',
  'My number': 7.5,
  'My date': '2027-01-05T09:00',
  'My checkbox': true,
  'My list': 'high',
};

test('a card whose fields cannot be named tells their values, and says what is missing', async () => {
  const { output: card } = await call('create_card', {
    idList,
    name: 'Nameless',
    customFields: { 'My text': 'Words' },
  });
  const match = { method: 'GET', path: `/1/boards/${idBoard}/customFields` };
  bench.board.control.faults.add({ match, kind: 'status', status: 500, times: 1 });
  const { output, warnings } = await call('get_card', { cardId: card.id, include: ['customFields'] });
  expect(output.customFields).toHaveLength(1);
  expect(warnings).toEqual([expect.stringContaining('The names and choices of the custom fields are missing')]);
});

test('a card is made with values of every type, by name or id', async () => {
  const { output, warnings } = await call('create_card', {
    idList,
    name: 'Filled',
    customFields: all,
    timeZone: 'Europe/Berlin',
  });
  expect(warnings).toEqual([]);
  expect(await valuesOf(output.id)).toEqual({
    text: 'Words',
    number: '7.5',
    date: '2027-01-05T08:00:00.000Z',
    checkbox: 'true',
    list: 'option',
  });
  const read = await call('get_card', { cardId: output.id, include: ['customFields'] });
  expect(read.output.customFields).toContainEqual(expect.objectContaining({ name: 'My list', text: 'High' }));
});

test('an update sets what is given, clears what is null, leaves the rest, and tells what changed', async () => {
  const { output: card } = await call('create_card', { idList, name: 'Changed', customFields: all, timeZone: 'UTC' });
  const customFields = {
    [fields['text'] ?? '']: 'Other words',
    'My number': null,
    'My list': 'Low',
    'My checkbox': true,
  };

  const { output } = await call('update_card', { cardId: card.id, customFields });

  expect(output.changes).toEqual([
    { field: 'My text', from: 'Words', to: 'Other words' },
    { field: 'My number', from: '7.5', to: null },
    { field: 'My list', from: 'High', to: 'Low' },
  ]);
  expect(await valuesOf(card.id)).toMatchObject({ text: 'Other words', date: '2027-01-05T09:00:00.000Z' });
  expect(await valuesOf(card.id)).not.toHaveProperty('number');
});

test.each([
  ['a field that is not there', { Nothing: 1 }, /"Nothing" is not on this board/],
  ['an option that is not there', { 'My list': 'Middle' }, /no single option "Middle"/],
  ['a number that is none', { 'My number': 'many' }, /is a number/],
  ['a day in the order of one country', { 'My date': '11/12/2026' }, /is a date, such as 2026-11-20/],
  ['a day that there is not', { 'My date': '2026-02-30' }, /is a date, such as 2026-11-20/],
  ['a tick that is none', { 'My checkbox': 'perhaps' }, /true or false/],
])('%s is refused before anything is written', async (_, customFields, message) => {
  const before = bench.board.cardsIn(idList).length;
  const { error } = await call('create_card', { idList, name: 'Never', customFields, timeZone: 'Europe/Berlin' });
  expect([error.code, error.message]).toEqual(['invalid_input', expect.stringMatching(message)]);
  expect(bench.board.cardsIn(idList)).toHaveLength(before);
});

test.each([
  ['set', 'Found'],
  ['cleared', null],
])('a value whose answer got lost is known to be %s', async (_, value) => {
  const { output: card } = await call('create_card', { idList, name: 'Lost', customFields: { 'My text': 'Old' } });
  const match = { method: 'PUT', path: '/item$' };
  bench.board.control.faults.add({ match, kind: 'accept_then', status: 504, times: 1 });

  const { status, output } = await call('update_card', { cardId: card.id, customFields: { 'My text': value } });

  expect([status, output.changes]).toEqual(['succeeded', [{ field: 'My text', from: 'Old', to: value }]]);
  expect((await valuesOf(card.id))['text']).toBe(value ?? undefined);
});
