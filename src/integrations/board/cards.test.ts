import { expect, test } from 'vitest';
import type { Upstream } from '#kit';
import { summarize, withPeople } from './cards.ts';

const written = summarize({
  id: '5f1e00000000000000000001',
  shortLink: 'abcDEF12',
  name: 'Written',
  url: 'https://boards.example/c/abcDEF12',
  desc: '',
  idList: '5f1e00000000000000000002',
  idBoard: '5f1e00000000000000000003',
  closed: false,
  due: null,
  dueComplete: false,
  labels: [],
  idMembers: ['5f1e00000000000000000004'],
  pos: 1,
  dateLastActivity: null,
});

test('a card that was written is told although the people on it are answered in a shape of another kind', async () => {
  const upstream = { get: async () => ({ message: 'odd' }) } as unknown as Upstream;
  expect(await withPeople(written, { upstream })).toEqual(written);
});
