import { expect, test } from 'vitest';
import type { Path } from '#kit';
import type { BoardCredential } from './auth.ts';
import { boardUpstream } from './upstream.ts';

const credential = { key: '0123456789abcdef0123456789abcdef', token: 'ATTAsecret' };
const limitsOf = (given: BoardCredential, path: string) =>
  boardUpstream.paceOf(boardUpstream.payersOf(given), { method: 'GET', path: path as Path }).limits;
const pace = (path: string) => limitsOf(credential, path);

test.each(['/1/members/me', '/1/members/me/boards', '/1/search', '/1/search/members', '/1/membersSearch'])(
  '%s has the lower limit as well',
  (path) => {
    expect(pace(path).map(({ limit, windowMs }) => [limit, windowMs])).toEqual([
      [100, 10_000],
      [100, 900_000],
      [300, 10_000],
    ]);
  },
);

test.each(['/1/boards/x/members', '/1/cards/x', '/1/memberships', '/1/searching'])('%s has not', (path) => {
  expect(pace(path).map(({ limit }) => limit)).toEqual([100, 300]);
});

test('budgets are named without telling the credential, and differ between credentials', () => {
  const names = JSON.stringify([pace('/1/search'), boardUpstream.payersOf(credential)]);
  for (const secret of Object.values(credential)) expect(names).not.toContain(secret);
  const other = limitsOf({ ...credential, token: 'ATTAother' }, '/1/x');
  expect(other[0]?.bucket).not.toBe(pace('/1/x')[0]?.bucket);
  expect(other.at(-1)?.bucket).toBe(pace('/1/x').at(-1)?.bucket);
});

test("those who signed in share the budget of the operator's app, as those with its key do", () => {
  const [ada, ben] = ['a', 'b'].map((accessToken) => limitsOf({ accessToken }, '/1/x'));
  expect(ada?.map(({ limit }) => limit)).toEqual([100, 300]);
  expect(ada?.[0]?.bucket).not.toBe(ben?.[0]?.bucket);
  expect(ada?.[1]?.bucket).toBe(ben?.[1]?.bucket);
  expect(ada?.[1]?.bucket).not.toBe(pace('/1/x')[1]?.bucket);
});

test.each([
  ['API_KEY_LIMIT_EXCEEDED', 'board key'],
  ['API_TOKEN_LIMIT_EXCEEDED', 'board token'],
  ['API_TOKEN_DB_LIMIT_EXCEEDED', 'board token'],
  ['RATE_LIMIT_EXCEEDED', 'board members'],
])('%s keeps us away from what it is about', (error, bucket) => {
  const answer = { status: 429, headers: {}, body: { error, message: 'Rate limit exceeded' } };
  const kept = boardUpstream.spentOf?.(pace('/1/search'), answer);
  expect(kept?.map((limit) => limit.bucket.split(' ').slice(0, 2).join(' '))).toEqual([bucket]);
});

test('a refusal by a limit that the call did not count in keeps the token away', () => {
  const answer = { status: 429, headers: {}, body: { error: 'RATE_LIMIT_EXCEEDED', message: 'Exceeded' } };
  expect(boardUpstream.spentOf?.(pace('/1/cards/x'), answer)).toEqual(pace('/1/cards/x').slice(0, 1));
});
