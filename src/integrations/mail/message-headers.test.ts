import { expect, test } from 'vitest';
import { authenticationOf } from './message-headers.ts';

const found = (value: string) => authenticationOf([{ name: 'Authentication-Results', value }]);

test.each([
  [
    'mx.test; spf=pass (sender IP is 10.0.0.1) smtp.mailfrom=a.test; dkim=none; dmarc=fail action=none',
    'pass none fail',
  ],
  ['mx.test; spf=fail smtp.mailfrom="x; dkim=pass dmarc=pass"@evil.test; dkim=none; dmarc=fail', 'fail none fail'],
  ['mx.test; spf=fail smtp.mailfrom="\\"; dmarc=pass"@evil.test; dkim=none; dmarc=fail', 'fail none fail'],
  [
    'mx.test; spf=fail (says (of "a; dmarc=pass"@evil.test) no) ; dkim=none (x\\) dmarc=pass) ; dmarc=fail',
    'fail none fail',
  ],
  ['mx.test; spf=fail; dkim=none; ("dmarc=pass', 'fail none undefined'],
])('of %s what the server found counts, not what the sender put into it', (value, expected) => {
  const { spf, dkim, dmarc } = found(value) ?? {};
  expect(`${spf} ${dkim} ${dmarc}`).toBe(expected);
});
