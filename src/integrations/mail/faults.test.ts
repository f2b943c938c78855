import { expect, test } from 'vitest';
import { readFault } from './faults.ts';

const answer = (status: number, code: string, message: string, headers: Record<string, string> = {}) =>
  readFault({ status, headers, body: { error: { code, message, innerError: { date: '', 'request-id': '' } } } });

test.each([
  [400, 'BadRequest', 'Parsing OData failed', 'upstream_rejected', /Parsing OData failed/],
  [400, 'ErrorInvalidIdMalformed', 'Id is malformed.', 'invalid_input', /take ids from/],
  [400, 'InefficientFilter', 'too complex', 'upstream_rejected', /fewer things/],
  [400, 'ErrorInvalidUrlQueryFilter', 'x', 'upstream_rejected', /filter/],
  [400, 'SearchWithOrderBy', 'x', 'upstream_rejected', /cannot be ordered/],
  [400, 'ErrorInvalidRecipients', 'x', 'invalid_input', /correct the recipients/],
  [400, 'TimeZoneNotSupportedException', 'x', 'invalid_input', /time zone/],
  [
    401,
    'InvalidAuthenticationToken',
    'Lifetime validation failed, the token is expired.',
    'reconnect_needed',
    /connect it again/,
  ],
  [403, 'ErrorAccessDenied', 'Access is denied.', 'upstream_rejected', /permission/],
  [403, 'ErrorSendAsDenied', 'x', 'upstream_rejected', /may not send in that name/],
  [403, 'Forbidden', 'x', 'upstream_rejected', /permission/],
  [404, 'ErrorItemNotFound', 'x', 'not_found', /look for it again/],
  [404, 'ResourceNotFound', 'x', 'not_found', /no cloud mailbox; look for it again/],
  [404, 'MailboxNotEnabledForRESTAPI', 'x', 'upstream_rejected', /no cloud mailbox/],
  [405, 'x', 'x', 'upstream_rejected', /method/],
  [409, 'ErrorFolderExists', 'x', 'conflict', /exists already/],
  [410, 'SyncStateNotFound', 'x', 'conflict', /from the beginning/],
  [412, 'ErrorIrresolvableConflict', 'x', 'conflict', /read it again/],
  [413, 'RequestEntityTooLarge', 'x', 'too_large', /4 MB/],
  [424, 'FailedDependency', 'x', 'upstream_rejected', /batch/],
  [429, 'ApplicationThrottled', 'over its MailboxConcurrency limit.', 'rate_limited', /wait/],
  [500, 'InternalServerError', 'x', 'upstream_unavailable', /later/],
  [503, 'ServiceUnavailable', 'x', 'upstream_unavailable', /later/],
  [504, 'GatewayTimeout', 'x', 'upstream_unavailable', /later/],
  [507, 'ErrorQuotaExceeded', 'x', 'upstream_rejected', /full/],
] as const)('%i %s says what to do next', (status, code, message, expected, next) => {
  const fault = answer(status, code, message);
  expect(fault).toMatchObject({ code: expected, details: { upstream: { status, code } } });
  expect(fault.message).toMatch(next);
});

test('how long to wait is read from seconds and from a date', () => {
  expect(answer(429, 'x', 'x', { 'retry-after': '7' }).retryAfterMs).toBe(7_000);
  const date = { date: 'Sun, 15 Nov 2026 05:00:00 GMT', 'retry-after': 'Sun, 15 Nov 2026 05:00:09 GMT' };
  expect(answer(429, 'x', 'x', date).retryAfterMs).toBe(9_000);
  expect(answer(429, 'x', 'x').retryAfterMs).toBe(10_000);
  expect(answer(503, 'x', 'x', { 'retry-after': '7' }).retryAfterMs).toBe(7_000);
  expect(answer(503, 'x', 'x').retryAfterMs).toBeUndefined();
});

test("a gateway's page is no reason", () => {
  const fault = readFault({ status: 502, headers: {}, body: '<html>Bad gateway</html>' });
  expect(fault).toMatchObject({ code: 'upstream_unavailable' });
  expect(fault.message).not.toContain('<');
});
