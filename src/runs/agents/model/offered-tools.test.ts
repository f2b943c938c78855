import { expect, test } from 'vitest';
import { besideFixed } from './offered-tools.ts';

const inputs = ['cardId', 'text', 'account'].map((name) => ({ name, type: 'string' as const, required: true }));

test('what an agent tells as null was left out, and what is fixed is not for it to choose', () => {
  const fixed = { account: 'acc_1', other: 1 };
  expect(besideFixed({ inputs }, { cardId: 'c', text: null, account: null }, fixed)).toEqual({
    cardId: 'c',
    account: 'acc_1',
  });
  expect(() => besideFixed({ inputs }, { account: 'acc_2' }, fixed)).toThrow('input.account: is not an input');
});
