import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';

let bench: Workbench;
beforeAll(async () => {
  bench = await workbench({ mail: true });
});
afterAll(() => bench[Symbol.asyncDispose]());

const fault = (service: string, name: string) => bench.owned('POST', '/v1/sandbox/faults', { service, fault: name });

test('the sandbox says where it stands, and how a board key is obtained', async () => {
  expect((await bench.owned('GET', '/v1/sandbox')).body).toEqual({
    enabled: true,
    mail: bench.mail.url,
    board: bench.board.url,
  });
  const { items } = (await bench.owned('GET', '/v1/integrations')).body;
  const board = items.find(({ name }: { name: string }) => name === 'board');
  const typed = board.auth.find(({ type }: { type: string }) => type === 'key_token');
  expect(typed.guide).toEqual({
    registerUrl: `${bench.board.url}/power-ups/admin`,
    authorizeUrl: `${bench.board.url}/1/authorize?expiration=never&name=Switchboard&scope=read%2Cwrite&response_type=token`,
  });
});

test('each fault strikes the service it was chosen for, is listed, and ends', async () => {
  expect((await fault('board', 'fails_once')).body.items).toEqual([{ service: 'board', fault: 'fails_once' }]);
  await fault('mail', 'refuses_once');
  await fault('mail', 'answer_lost_once');
  expect((await fault('mail', 'notifications_lost')).body.items).toEqual([
    { service: 'mail', fault: 'refuses_once' },
    { service: 'mail', fault: 'answer_lost_once' },
    { service: 'mail', fault: 'notifications_lost' },
    { service: 'board', fault: 'fails_once' },
  ]);
  expect(bench.mail.control.outgoing.faults).toMatchObject({ drop: 1, duplicate: 0 });

  expect((await fault('mail', 'none')).body.items).toEqual([{ service: 'board', fault: 'fails_once' }]);
  expect(bench.mail.control.outgoing.faults).toMatchObject({ drop: 0 });
  const auth = await bench.keyAndToken();
  expect((await bench.owned('POST', '/v1/accounts', { integration: 'board', auth })).status).toBe(502);
  expect((await bench.owned('POST', '/v1/accounts', { integration: 'board', auth })).status).toBe(201);
  expect((await bench.owned('GET', '/v1/sandbox/faults')).body.items).toEqual([]);
});

test('a mail arrives from a person who can read the answer; nothing but the list is passed on', async () => {
  const { status, body } = await bench.owned('POST', '/v1/sandbox/mail', { to: 'ben@sandbox.test' });
  expect(status).toBe(201);
  expect(body).toMatchObject({ from: 'ada@sandbox.test', to: 'ben@sandbox.test' });
  const { items } = (await bench.owned('GET', '/v1/sandbox/outbox')).body;
  expect(items).toEqual([]);

  expect((await bench.owned('POST', '/v1/sandbox/mail', { to: 'nobody@example.com' })).status).toBe(422);
  expect((await fault('mail', 'reset')).status).toBe(400);
  expect((await bench.owned('POST', '/v1/sandbox/faults', { service: 'model', fault: 'none' })).status).toBe(400);
});

test('outside the sandbox the routes say that there is none, and a service elsewhere is never told anything', async () => {
  const { services } = bench.config;
  for (const config of [
    { sandbox: { enabled: false, port: 1 } },
    { services: { ...services, mail: { apiBase: new URL('https://mail.example.com/v1.0') } } },
  ]) {
    const { origin, stop } = await bench.startProcess('api', config);
    const ask = (method: string, path: string, body?: unknown) =>
      fetch(new URL(path, origin), {
        method,
        headers: { authorization: 'Bearer bootstrap-key-of-the-workbench', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    expect(await (await ask('GET', '/v1/sandbox')).json()).toEqual({ enabled: false });
    expect((await ask('GET', '/v1/sandbox/outbox')).status).toBe(404);
    expect((await ask('POST', '/v1/sandbox/faults', { service: 'mail', fault: 'fails_once' })).status).toBe(404);
    await stop();
  }
});
