import { expect, test } from 'vitest';
import type { Upstream } from '#kit';
import { fieldChanges } from './custom-fields.ts';

const options = [
  { id: 'low', value: { text: 'Low' } },
  { id: 'ten', value: { text: '10' } },
  { id: 'no', value: { text: 'false' } },
];
const fields = ['text', 'number', 'checkbox', 'date'].map((type) => ({ id: type, name: `A ${type}`, type }));
const upstream = { get: async () => [...fields, { id: 'list', name: 'A list', type: 'list', options }] };

/** What is sent for one field. */
const bodyOf = async (name: string, value: string | number | boolean | null, timeZone?: string) => {
  const changes = await fieldChanges(upstream as unknown as Upstream, { [name]: value }, async () => 'board', timeZone);
  return changes.map(({ body }) => body);
};
const cleared = { value: '', idValue: '' };

test.each([
  ['A text', ' as it is ', { value: { text: ' as it is ' } }],
  ['a TEXT', 0, { value: { text: '0' } }],
  ['text', false, { value: { text: 'false' } }],
  ['A text', '', cleared],
  ['A text', null, cleared],
  ['A number', 0, { value: { number: '0' } }],
  ['A number', -1.5, { value: { number: '-1.5' } }],
  ['A number', ' 12.50 ', { value: { number: '12.50' } }],
  ['A number', 0.0000001, { value: { number: '0.0000001' } }],
  ['A number', 1e21, { value: { number: '1000000000000000000000' } }],
  ['A number', '1e3', { value: { number: '1000' } }],
  ['A number', null, cleared],
  ['A checkbox', true, { value: { checked: 'true' } }],
  ['A checkbox', false, cleared],
  ['A date', '2027-01-05', { value: { date: '2027-01-05T00:00:00.000Z' } }],
  ['A date', '2027-01-05T09:00:00+01:00', { value: { date: '2027-01-05T08:00:00.000Z' } }],
  ['A list', 'LOW', { value: '', idValue: 'low' }],
  ['A list', 10, { value: '', idValue: 'ten' }],
  ['A list', false, { value: '', idValue: 'no' }],
])('the custom field %s with %j is sent', async (name, value, body) => {
  expect(await bodyOf(name, value)).toEqual([body]);
});

test('a local time is one in its zone', async () => {
  expect(await bodyOf('date', '2027-07-05T09:00', 'Europe/Berlin')).toEqual([
    { value: { date: '2027-07-05T07:00:00.000Z' } },
  ]);
});

test.each([
  ['A number', '0x10'],
  ['A number', 'ten'],
  ['A number', true],
  ['A checkbox', 'yes'],
  ['A date', 'tomorrow'],
  ['A list', 'High'],
  ['Nothing', 'x'],
])('the custom field %s with %j is refused', async (name, value) => {
  await expect(bodyOf(name, value)).rejects.toThrow(/custom field/);
});
