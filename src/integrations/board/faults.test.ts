import { expect, test } from 'vitest';
import { changes } from './aside.ts';
import { readFault } from './faults.ts';

const json = (message: string, error = 'ERROR') => ({ message, error });

/** Every refusal the service is known to give (its contract, sections 2.6, 3 and 4), and what the caller is told. */
const table: readonly [name: string, status: number, body: unknown, code: string, next: RegExp][] = [
  ['an unknown or revoked token', 401, 'invalid token', 'reconnect_needed', /connect it again/],
  ['an expired token', 401, 'expired token', 'reconnect_needed', /connect it again/],
  ['a bad key', 401, 'invalid key', 'reconnect_needed', /connect it again/],
  ['a bad key in older words', 401, 'invalid app key', 'reconnect_needed', /connect it again/],
  ['a grant that is too small', 401, 'missing scopes', 'upstream_rejected', /more permissions/],
  [
    'an object that may not be seen',
    401,
    'unauthorized permission requested',
    'upstream_rejected',
    /member of the board/,
  ],
  [
    'a member that may not be seen',
    401,
    'unauthorized member permission requested',
    'upstream_rejected',
    /may not see/,
  ],
  ["another token's webhook", 401, 'webhook does not belong to token', 'upstream_rejected', /another account/],
  ['a malformed id in the path', 400, 'invalid id', 'invalid_input', /24 digits/],
  ['an unknown or deleted object', 404, 'The requested resource was not found.', 'not_found', /look it up again/],
  ['a malformed list', 400, 'invalid value for idList', 'invalid_input', /look it up again/],
  ['an unknown list', 404, 'could not find the board that the card belongs to', 'not_found', /Get Lists/],
  ['a bad name', 400, json('invalid value for name'), 'upstream_rejected', /Correct the named value/],
  ['a short link in the body', 400, 'invalid value for idBoard', 'invalid_input', /Short links do not work/],
  ['a missing name', 400, json('invalid value for name', 'BAD_REQUEST_ERROR'), 'upstream_rejected', /Correct/],
  ['a bad position', 400, json('Invalid position.'), 'upstream_rejected', /top, bottom/],
  ['a malformed id in the body', 400, json('Invalid objectId'), 'invalid_input', /look it up again/],
  ['an unknown board', 404, json('Board not found.', 'BOARD_NOT_FOUND'), 'not_found', /Get Boards/],
  ['a label that is not there', 400, json('label not found', 'BAD_REQUEST_ERROR'), 'not_found', /List Labels/],
  ['a vote that was given', 400, 'member has already voted on the card', 'upstream_rejected', /so already/],
  ['a label that is there', 400, 'that label is already on the card', 'upstream_rejected', /so already/],
  ['a label that is gone', 400, 'that label is not on the card', 'upstream_rejected', /so already/],
  [
    'a second webhook',
    400,
    'A webhook with that callback, model, and token already exists',
    'upstream_rejected',
    /already/,
  ],
  [
    'a callback out of reach',
    400,
    json('URL (https://x) did not return 200 status code, got 404'),
    'upstream_rejected',
    /callback/,
  ],
  ['an object limit', 403, json('List has reached its limit of open cards'), 'upstream_rejected', /limit .* reached/],
  ['a scope that was not granted', 403, json('insufficient scope'), 'upstream_rejected', /more permissions/],
  ['an unknown endpoint', 404, 'Cannot GET /1/nothing', 'upstream_rejected', /no such endpoint/],
  ['a conflict', 409, 'conflict', 'conflict', /read it again/],
  ['a file that is too large', 413, json('File too large', 'FILE_TOO_LARGE'), 'too_large', /link instead/],
  ['a part that failed', 449, 'sub-request failed', 'upstream_unavailable', /try again/],
  ["the token's limit", 429, json('Rate limit exceeded', 'API_TOKEN_LIMIT_EXCEEDED'), 'rate_limited', /Wait/],
  ["the key's limit", 429, json('Rate limit exceeded', 'API_KEY_LIMIT_EXCEEDED'), 'rate_limited', /Wait/],
  [
    'the limit on database time',
    429,
    json('Rate limit exceeded', 'API_TOKEN_DB_LIMIT_EXCEEDED'),
    'rate_limited',
    /fewer fields/,
  ],
  ['too many cards', 429, json('Rate limit exceeded', 'API_TOO_MANY_CARDS_REQUESTED'), 'rate_limited', /ask for fewer/],
  [
    'the limit on members',
    429,
    json('Exceeded rate limit to /1/member', 'RATE_LIMIT_EXCEEDED'),
    'rate_limited',
    /15 minutes/,
  ],
  ['a bad background', 500, 'Internal Server Error', 'upstream_unavailable', /later/],
  ["a gateway's page", 502, '<html>Bad Gateway</html>', 'upstream_unavailable', /later/],
  ['a read that takes too long', 504, '', 'upstream_unavailable', /ask for less/],
  ['something never seen', 418, { teapot: true }, 'upstream_rejected', /Correct the request/],
];

test.each(table)('%s', (_, status, body, code, next) => {
  const fault = readFault({ status, headers: {}, body });
  expect([fault.code, fault.details]).toEqual([code, expect.objectContaining({ upstream: expect.anything() })]);
  expect(fault.message).toMatch(next);
  expect(fault.message).toMatch(/\.$/);
  expect(fault.retryAfterMs === undefined).toBe(code !== 'rate_limited');
});

test('the time to wait is the one the service names', () => {
  const body = { error: 'API_TOKEN_LIMIT_EXCEEDED', message: 'Rate limit exceeded' };
  expect(readFault({ status: 429, headers: { 'retry-after': '7' }, body }).retryAfterMs).toBe(7_000);
  expect(readFault({ status: 429, headers: {}, body }).retryAfterMs).toBe(10_000);
  expect(readFault({ status: 503, headers: { 'retry-after': '7' }, body }).retryAfterMs).toBe(7_000);
  const asDate = { 'retry-after': 'Sun, 15 Nov 2026 12:00:20 GMT', date: 'Sun, 15 Nov 2026 12:00:00 GMT' };
  expect(readFault({ status: 429, headers: asDate, body }).retryAfterMs).toBe(20_000);
});

test.each(['that label is already on the card', 'label has already been added', 'member is not on the card'])(
  'what is so already is no change, and no failure: %s',
  async (body) => {
    const refused = () => Promise.reject(readFault({ status: 400, headers: {}, body }));
    expect(await changes(refused)).toBe(false);
  },
);
