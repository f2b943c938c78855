import { describe, expect, test } from 'vitest';
import { ConfigMistake, readConfig, variables } from './index.ts';

const refusal = (environment: Record<string, string>): string => {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigMistake) return error.message;
    throw error;
  }
  return 'accepted';
};

const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString('base64');

test('an empty environment gives a sandbox on the documented ports', () => {
  const config = readConfig({});
  expect(config).toMatchObject({ port: 4600, host: '127.0.0.1', sandbox: { enabled: true, port: 4610 } });
  expect(config.publicUrl.href).toBe('http://127.0.0.1:4600/');
  expect(config.services['board']?.apiBase.href).toBe('http://127.0.0.1:4611/');
});

test.each([
  ['PORT', 'eighty', 'a port number'],
  ['PORT', '70000', 'a port number'],
  ['PORT', '0', 'a port number, 1 to 65535'],
  ['PORT', '0x1000', 'a port number, 1 to 65535'],
  ['PORT', '1e3', 'a port number, 1 to 65535'],
  ['PORT', ' 80 ', 'a port number, 1 to 65535'],
  ['PORT', '+80', 'a port number, 1 to 65535'],
  ['PORT', '0080', 'a port number, 1 to 65535'],
  ['SANDBOX_PORT', '0b1000000000000', 'a port number, 1 to 65533'],
  ['SANDBOX_PORT', '65534', 'a port number, 1 to 65533'],
  ['DATABASE_POOL', '1e1', 'a number from 5 to 200'],
  ['DATABASE_POOL', '4', 'a number from 5 to 200'],
  ['CLOCK_OFFSET_MS', '1e3', 'milliseconds, such as'],
  ['CLOCK_OFFSET_MS', 'Infinity', 'milliseconds, such as'],
  ['DATABASE_URL', 'mysql://localhost/x', 'a postgres:// address'],
  ['DATABASE_URL', 'postgres://u:p@one:5432,two:5432/x', 'of one server'],
  ['PUBLIC_URL', 'ftp://example.com', 'an http or https address'],
  ['ENCRYPTION_KEY', 'short', 'base64 of 32 bytes'],
  ['ENCRYPTION_KEY', `2:${keyOf(1)},2:${keyOf(2)}`, 'a version of its own'],
  ['ENCRYPTION_KEY', `${keyOf(1)},01:${keyOf(2)}`, 'a version of its own'],
  ['ENCRYPTION_KEY', `2:${keyOf(1)},1:${keyOf(1)}`, 'none stands twice'],
  ['TRUSTED_PROXIES', '127.0.0.1, proxy.example', 'addresses or networks'],
  ['TRUSTED_PROXIES', '10.0.0.0/33', 'addresses or networks'],
  ['TRUSTED_PROXIES', '10.0.0.0/8/8', 'addresses or networks'],
  ['PUBLIC_URL', 'https://example.com/switchboard', 'an address without a path'],
  ['PUBLIC_URL', 'https://user:pass@example.com', 'an address without a path'],
  ['PUBLIC_URL', 'https://example.com/?from=here', 'an address without a path'],
  ['MAIL_API_URL', 'https://mail.example.com/v1.0?tenant=x', 'an address without a query'],
  ['MAIL_API_URL', 'https://user:pass@mail.example.com/v1.0', 'an address without a query, a fragment or a password'],
  ['MAIL_AUTHORITY', 'https://login.example.com/#here', 'an address without a query'],
  ['BOARD_API_URL', 'https://board.example.com/?', 'an address without a query'],
  ['BOARD_AUTH_URL', 'https://board.example.com/?key=x', 'an address without a query'],
  ['MODEL_API_URL', 'https://model.example.com/v1#x', 'an address without a query'],
  ['BOARD_AUTHORIZE_URL', 'https://auth.example.com/authorize#x', 'an address without a fragment or a password'],
  ['BOARD_TOKEN_URL', 'https://auth.example.com/token#x', 'an address without a fragment or a password'],
  ['DATABASE_POOL', '5.5', 'a number from 5 to 200'],
  ['DATABASE_POOL', '201', 'a number from 5 to 200'],
  ['BOOTSTRAP_API_KEY', 'tiny', 'at least 20 characters'],
  ['BOOTSTRAP_API_KEY', 'x'.repeat(201), 'at most 200'],
  ['BOOTSTRAP_API_KEY', 'a key that no header can carry', 'one word'],
  ['BOOTSTRAP_API_KEY', 'ein-schlüssel-mit-umlaut', 'one word'],
  ['SMTP_URL', 'mail.example.com', 'an address such as smtp://'],
  ['SMTP_URL', 'http://mail.example.com', 'an address such as smtp://'],
  ['SMTP_URL', 'smtp://user@mail.example.com', 'an address such as smtp://'],
  ['SMTP_URL', 'smtp://mail.example.com?from=nobody', 'an address such as smtp://'],
  ['SMTP_URL', 'smtp://mail.example.com?pool=true', 'an address such as smtp://'],
  ['SMTP_URL', 'smtp://us%zz:pass@mail.example.com', 'an address such as smtp://'],
  ['SANDBOX', 'maybe', '"auto", "on" or "off"'],
  ['LOG_LEVEL', 'loud', 'must be one of fatal, error'],
  ['BOARD_APP_KEY', 'xyz', '32 hexadecimal digits'],
  ['INTERVALS', '{"leaseMs":', 'a JSON object'],
  ['INTERVALS', '{"lease":1}', 'lease'],
  ['INTERVALS', '{"leaseMs":"soon"}', 'milliseconds'],
  ['INTERVALS', '{"leaseMs":0}', 'milliseconds'],
  ['INTERVALS', '[]', 'a JSON object'],
  ['PORT', '4611', 'none of the three ports of the sandbox'],
])('a wrong %s (%s) stops the start with its name and what it should be', (name, value, expected) => {
  const message = refusal({ [name]: value });
  expect(message).toContain(`${name} must be`);
  expect(message).toContain(expected);
  expect(message).not.toMatch(/Invalid|Too (?:big|small)|expected/);
});

test('where people grant access may have a query, as OAuth allows', () => {
  const BOARD_AUTHORIZE_URL = 'https://auth.example.com/authorize?audience=x';
  expect(refusal({ BOARD_AUTHORIZE_URL, BOARD_TOKEN_URL: 'https://auth.example.com/token?v=2' })).toBe('accepted');
});

test('an address may end with a slash, and the ports of a sandbox that is off are free', () => {
  expect(readConfig({ PUBLIC_URL: 'https://sb.example.com/' }).publicUrl.href).toBe('https://sb.example.com/');
  expect(readConfig({ PORT: '4610', SANDBOX: 'off' }).port).toBe(4610);
});

test('variables that look like settings but are none are known', () => {
  expect(readConfig({ MAIL_CLIENTID: 'x', BOARD_KEY: 'x', MAILTO: 'x', MAIL_TENANT: 'common' }).strangers).toEqual([
    ...['MAIL_CLIENTID', 'BOARD_KEY'],
  ]);
});

test('all mistakes are told at once, and none repeats the value', () => {
  const message = refusal({ PORT: 'x', ENCRYPTION_KEY: 'my-secret-by-mistake' });
  expect(message).toContain('PORT must be');
  expect(message).toContain('ENCRYPTION_KEY must be');
  expect(message).not.toContain('my-secret-by-mistake');
});

test('several keys are taken when each has a version of its own', () => {
  expect(refusal({ ENCRYPTION_KEY: `3:${keyOf(3)},2:${keyOf(2)},1:${keyOf(1)}` })).toBe('accepted');
});

test('proxies are addresses and networks, one or several', () => {
  expect(readConfig({ TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8 fd00::/8' }).trustedProxies).toEqual([
    ...['127.0.0.1', '10.0.0.0/8', 'fd00::/8'],
  ]);
  expect(readConfig({}).trustedProxies).toEqual([]);
});

test('a mail server is read from one address', () => {
  const read = (SMTP_URL: string, PUBLIC_URL = 'https://sb.example.com') => readConfig({ SMTP_URL, PUBLIC_URL }).smtp;
  expect(read('smtps://ada%40x:p%2Fw@mail.example.com?from=sb@example.com')).toEqual({
    host: 'mail.example.com',
    port: 465,
    secure: true,
    auth: { user: 'ada@x', pass: 'p/w' },
    from: 'sb@example.com',
  });
  expect(read('smtp://127.0.0.1:2525')).toEqual({
    host: '127.0.0.1',
    port: 2525,
    secure: false,
    from: 'switchboard@sb.example.com',
  });
  expect(read('smtp://mail', 'http://127.0.0.1:4600')).toMatchObject({ port: 587, from: 'switchboard@localhost' });
  expect(readConfig({}).smtp).toBeUndefined();
});

test('numbers are plain ones', () => {
  const numbers = {
    PORT: '65535',
    SANDBOX_PORT: '65533',
    SANDBOX: 'off',
    DATABASE_POOL: '200',
    CLOCK_OFFSET_MS: '-3600000',
  };
  expect(readConfig(numbers)).toMatchObject({ port: 65_535, databasePool: 200, clockOffsetMs: -3_600_000 });
});

test.each([
  ['?sslmode=require', '?sslmode=verify-full'],
  ['?a=b&sslmode=verify-ca&sslrootcert=/ca.pem', '?a=b&sslmode=verify-full&sslrootcert=/ca.pem'],
  ['?sslmode=require&uselibpqcompat=true', '?sslmode=require&uselibpqcompat=true'],
  ['?sslmode=no-verify', '?sslmode=no-verify'],
])('a database asked for with %s is asked for with %s', (given, asked) => {
  const at = 'postgres://u:p@db.example.com/x';
  expect(readConfig({ DATABASE_URL: at + given }).databaseUrl).toBe(at + asked);
});

test.each(['sslMode=require', 'SSLMODE=require', 'ssl_mode=verify-full', 'sslmode=requre', 'a=b&sslmode='])(
  'a database is not asked for with %s, which would mean something else',
  (given) => {
    const told = refusal({ DATABASE_URL: `postgres://u:hunter2@db.example.com/x?${given}` });
    expect(told).toMatch(/DATABASE_URL must be an address whose sslmode is .+ verify-full/);
    expect(told).not.toContain('hunter2');
  },
);

test('an empty value counts as not given', () => {
  expect(readConfig({ PORT: '' }).port).toBe(4600);
});

describe('live credentials', () => {
  const live = { BOARD_APP_KEY: '0'.repeat(32) };

  test('switch the sandbox off and call the real service', () => {
    const config = readConfig(live);
    expect(config.sandbox.enabled).toBe(false);
    expect(config.services['board']?.apiBase.href).toBe('https://api.trello.com/');
  });

  test('refuse a sandbox beside them', () => {
    expect(refusal({ ...live, SANDBOX: 'on' })).toContain('SANDBOX must not be "on"');
  });
});

describe("the operator's registrations", () => {
  test('are the sandbox apps while nothing is set', () => {
    const { mail, board } = readConfig({}).services;
    expect(mail?.oauth?.tokenUrl.href).toBe('http://127.0.0.1:4610/common/oauth2/v2.0/token');
    expect(board?.oauth?.authorizeUrl.href).toBe('http://127.0.0.1:4611/oauth/authorize');
    expect(board?.fragment?.base.href).toBe('http://127.0.0.1:4611/');
  });

  test('are only those that were made, in live mode', () => {
    const { sandbox, services } = readConfig({ MAIL_CLIENT_ID: 'app', MAIL_TENANT: 'organizations' });
    expect(sandbox.enabled).toBe(false);
    expect(services['mail']?.oauth).toMatchObject({
      clientId: 'app',
      clientSecret: undefined,
      issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
    });
    expect(services['mail']?.oauth?.authorizeUrl.pathname).toBe('/organizations/oauth2/v2.0/authorize');
    expect(services['board']).toEqual({
      apiBase: new URL('https://api.trello.com'),
      pages: new URL('https://trello.com'),
    });
  });

  test.each([
    ['MAIL_CLIENT_SECRET', 'MAIL_CLIENT_ID'],
    ['BOARD_CLIENT_SECRET', 'BOARD_CLIENT_ID'],
    ['BOARD_APP_SECRET', 'BOARD_APP_KEY'],
  ])('%s alone is refused', (secret, owner) => {
    expect(refusal({ [secret]: 'x' })).toContain(`${owner} must be set beside ${secret}`);
  });
});

test('every variable says what it is for', () => {
  for (const [name, { about }] of Object.entries(variables)) expect([name, about.length > 10]).toEqual([name, true]);
});
