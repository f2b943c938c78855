import { once } from 'node:events';
import { request as rawRequest } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootstrapKey, keptLog, type Workbench, workbench } from './workbench.ts';

/* What strangers can do at the doors that ask for no credential, or before one is looked at. */

const { log, lines } = keptLog();
let bench: Workbench;
beforeAll(async () => {
  bench = await workbench({ log });
});
afterAll(() => bench[Symbol.asyncDispose]());

/** Begins to send. Whoever goes on sending may be cut off before reading the refusal. */
const offer = async (path: string, type: string, body: { stated: number } | { poured: number }) => {
  const length = 'stated' in body ? { 'content-length': String(body.stated) } : { 'transfer-encoding': 'chunked' };
  const sending = rawRequest(new URL(path, bench.origin), {
    method: 'POST',
    headers: { 'content-type': type, origin: bench.origin, ...length },
  });
  const answered = once(sending, 'response') as Promise<[{ statusCode?: number; resume(): void }]>;
  sending.on('error', () => {}).flushHeaders();
  if ('poured' in body) {
    for (let sent = 0; sent < body.poured; sent += 100_000) sending.write(Buffer.alloc(100_000, 'x'));
    sending.end();
  }
  const answer = await answered.catch(() => undefined);
  answer?.[0].resume();
  sending.destroy();
  return answer?.[0].statusCode ?? 'cut off';
};

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

test.each([
  ['/v1/session', json],
  ['/oauth/register', json],
  ['/oauth/token', form],
  ['/oauth/revoke', form],
  ['/oauth/authorize', form],
  ['/connect/board/callback', form],
  ['/hooks/board/unknown', json],
  ['/hooks/mail/unknown', json],
])('%s takes no more than it needs from a stranger', async (path, type) => {
  expect(await offer(path, type, { stated: 2_000_000 })).toBe(413);
  expect([413, 'cut off']).toContain(await offer(path, type, { poured: 3_000_000 }));
});

test('no text from outside begins a line of the log, or a header of an answer', async () => {
  const evil = '\r\nset-cookie: evil=1\r\n{"level":60,"msg":"forged"}';
  const made = await fetch(`${bench.origin}/v1/files?name=${encodeURIComponent(`a${evil}".txt`)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'text/plain' },
    body: 'x',
  });
  const { ref } = (await made.json()) as { ref?: string };
  const answers = [
    await bench.call('GET', `/v1/files/${ref}`, { key: bootstrapKey }),
    await bench.call('GET', `/v1/accounts/${encodeURIComponent(evil)}`, { key: bootstrapKey }),
    await bench.call('POST', '/v1/session', { body: { email: `x${evil}@example.test`, password: evil } }),
    await bench.call('GET', `/${encodeURIComponent(evil)}`, { headers: { 'user-agent': 'x{"msg":"forged"}' } }),
    await bench.call('GET', `/oauth/authorize?redirect_uri=${encodeURIComponent(evil)}`),
    await bench.call('GET', `/connect/board/callback?state=x&error=${encodeURIComponent(evil)}`),
    await bench.call('PATCH', '/v1/workspace', { key: bootstrapKey, body: { name: `W${evil}` } }),
    await bench.call('GET', '/v1/workspace', { key: bootstrapKey }),
  ];
  for (const { headers } of answers) expect(headers.getSetCookie().join()).not.toContain('evil');
  for (const line of lines) {
    expect(line.trimEnd()).not.toContain('\n');
    expect(JSON.parse(line)).not.toMatchObject({ msg: 'forged' });
  }
  expect(lines.length).toBeGreaterThan(answers.length);
});

test('whatever a stranger posts to a hook, it starts nothing and is answered plainly', async () => {
  const bodies = fc.oneof(fc.json(), fc.string(), fc.constant('{"__proto__":{"value":[]}}'), fc.constant('[]'));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('mail', 'board', 'nothing', '__proto__'),
      fc.webSegment(),
      bodies,
      async (...given) => {
        const [integration, watch, body] = given;
        const { status } = await bench.call('POST', `/hooks/${integration}/${watch || 'x'}`, {
          body,
          headers: { 'x-trello-webhook': 'AAAA', 'x-forwarded-for': '127.0.0.1' },
        });
        expect([400, 401, 403, 404, 410]).toContain(status);
      },
    ),
    { numRuns: 40 },
  );
  expect((await bench.owned('GET', '/v1/runs')).body.items).toEqual([]);
  expect((await bench.owned('GET', '/v1/events')).body.items).toEqual([]);
});

test('names that every object has are no integrations, steps, triggers or fields', async () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const answers = [
      await bench.owned('POST', `/v1/steps/${name}.${name}/run`, { input: {} }),
      await bench.owned('POST', `/v1/steps/board.${name}/run`, { input: {} }),
      await bench.owned('POST', '/v1/connect', { integration: name }),
      await bench.owned('POST', '/v1/accounts', { integration: name, auth: { type: name } }),
      await bench.owned('POST', '/v1/triggers/preview', { type: `board.${name}`, accountId: 'acc_x', config: {} }),
      await bench.call('GET', `/connect/${name}/callback?state=x&code=x`),
    ];
    for (const { status } of answers) expect([400, 404, 409, 410]).toContain(status);
  }
  expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
});

test('who exists here cannot be told from how a refusal reads', async () => {
  const signIn = async (email: string) => {
    const { status, body } = await bench.call('POST', '/v1/session', { body: { email, password: 'a wrong guess' } });
    return [status, body.error.code, body.error.message];
  };
  expect(await signIn('owner@switchboard.local')).toEqual(await signIn('nobody@switchboard.local'));
  const link = async (token: string) => (await bench.call('GET', `/sign-in/${token}`)).body;
  expect(await link('sbl_unknown')).toBe(await link(`sbl_${'x'.repeat(43)}`));
});

test('addresses inside our network are refused wherever one can be given', async () => {
  const live = await bench.startProcess('api', { sandbox: { ...bench.config.sandbox, enabled: false } });
  const to = async (method: string, path: string, body: unknown) => {
    const answer = await fetch(new URL(path, live.origin), {
      method,
      headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': json },
      body: JSON.stringify(body),
    });
    return answer.status;
  };
  const inside = [
    'http://169.254.169.254/latest',
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://10.0.0.1/x',
    'file:///etc/passwd',
    'https://0x7f000001/x',
  ];
  for (const url of inside) {
    expect([url, await to('POST', '/v1/webhooks', { url, events: ['run.finished'] })]).toEqual([url, 400]);
    const model = { provider: 'openai-compatible', baseUrl: url, model: 'm', apiKey: 'k' };
    expect([url, await to('PATCH', '/v1/settings', { model })]).toEqual([url, 400]);
  }
  await live.stop();
});
