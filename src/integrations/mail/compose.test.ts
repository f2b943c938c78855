import { expect, test } from 'vitest';
import { recipientsOf } from './compose.ts';

test.each([
  ['ben@example.com', { address: 'ben@example.com' }],
  ['Okafor, Ben <ben@example.com>', { name: 'Okafor, Ben', address: 'ben@example.com' }],
  [
    { address: 'ben@example.com', name: 'Ben' },
    { name: 'Ben', address: 'ben@example.com' },
  ],
  [{ address: 'Ben Okafor <ben@example.com>' }, { name: 'Ben Okafor', address: 'ben@example.com' }],
  [
    { address: 'Ben Okafor <ben@example.com>', name: 'Ben' },
    { name: 'Ben', address: 'ben@example.com' },
  ],
])('%j is addressed by name and address', (given, emailAddress) => {
  expect(recipientsOf([given])).toEqual([{ emailAddress }]);
});
