import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';

let bench: Workbench;
let secretId: string;
beforeAll(async () => {
  bench = await workbench({ mail: true });
  const auth = await bench.keyAndToken();
  const { body } = await bench.owned('POST', '/v1/secrets', { integration: 'board', name: 'Robot', auth });
  secretId = body.id;
});
afterAll(() => bench[Symbol.asyncDispose]());

const run = (step: string, body: Record<string, unknown>) => bench.owned('POST', `/v1/steps/${step}/run`, body);

describe('a secret', () => {
  test('is stored once the service accepts it, and never read back', async () => {
    const { body } = await bench.owned('GET', '/v1/secrets');
    expect(body.items).toEqual([
      { id: secretId, integration: 'board', name: 'Robot', identity: expect.anything(), createdAt: expect.anything() },
    ]);
    expect(secretId).toMatch(/^sec_/);
    const { token, key } = await bench.keyAndToken();
    expect(JSON.stringify(body)).not.toContain(token);
    const wrong = { integration: 'board', auth: { type: 'key_token', key, token: 'wrong' } };
    expect((await bench.owned('POST', '/v1/secrets', wrong)).body.error.code).toBe('invalid_input');
  });

  test('runs a step in place of an account, with its effects and records', async () => {
    const list = bench.board.newList();
    const { status, body } = await run('board.create_card', { secretId, input: { idList: list.id, name: 'By robot' } });
    expect([status, body.account]).toEqual([200, { id: secretId, name: 'Robot' }]);
    expect(bench.board.cardsIn(list.id).map(({ name }) => name)).toEqual(['By robot']);
    const audit = await bench.owned('GET', '/v1/audit?limit=1');
    expect(audit.body.items[0]).toMatchObject({ action: 'effect.sent', details: { accountId: secretId } });
  });

  test('is no account: it is not listed, chosen or changed as one', async () => {
    expect((await bench.owned('GET', '/v1/accounts')).body.items).toEqual([]);
    for (const method of ['GET', 'DELETE']) {
      expect((await bench.owned(method, `/v1/accounts/${secretId}`)).status).toBe(404);
    }
    const input = { method: 'GET', endpoint: '/1/members/me' };
    expect((await run('board.api_call', { input })).body.error.message).toContain('No board account is connected');
    expect((await run('board.api_call', { accountId: secretId, input })).status).toBe(404);
    const accountId = await bench.connectBoard();
    expect((await run('board.api_call', { secretId: accountId, input })).status).toBe(404);
    expect((await run('board.api_call', { accountId, secretId, input })).status).toBe(400);
  });

  test('that is deleted is gone', async () => {
    expect((await bench.owned('DELETE', `/v1/secrets/${secretId}`)).status).toBe(204);
    expect((await bench.owned('GET', '/v1/secrets')).body.items).toEqual([]);
    const seen = bench.board.control.log.list().length;
    const input = { method: 'GET', endpoint: '/1/members/me' };
    expect((await run('board.api_call', { secretId, input })).status).toBe(404);
    expect(bench.board.control.log.list()).toHaveLength(seen);
  });
});

describe('an account that lacks a scope', () => {
  test('is refused before any call, with what is missing and how to ask for it', async () => {
    const accountId = await bench.connectMail('ben@sandbox.test', ['User.Read', 'Mail.Read']);
    const seen = bench.mail.control.log.list().length;
    const { items } = (await bench.owned('GET', '/v1/steps?integration=mail')).body;
    expect(items.length).toBeGreaterThan(0);
    const input = { to: ['ada@sandbox.test'], subject: 'x', body: 'y' };
    const { status, body } = await run('mail.send_email', { accountId, input, permission: 'autopilot' });
    expect([status, body.error.code]).toEqual([403, 'forbidden']);
    expect(body.error.details.missingScopes).toContain('Mail.Send');
    expect(bench.mail.control.log.list()).toHaveLength(seen);

    const listed = await bench.owned('GET', '/v1/accounts?step=mail.send_email');
    expect(listed.body.items).toHaveLength(1);
    expect(listed.body.items[0].step).toMatchObject({ ready: false, missingScopes: body.error.details.missingScopes });
    const link = await bench.owned('POST', '/v1/connect', listed.body.items[0].step.connect);
    expect(link.status).toBe(201);
  });

  test('is shown beside those that are ready', async () => {
    await bench.connectMail('ada@sandbox.test');
    const { body } = await bench.owned('GET', '/v1/accounts?step=mail.send_email');
    expect(body.items.map(({ step }: { step: { ready: boolean } }) => step.ready)).toEqual([true, false]);
    const plain = await bench.owned('GET', '/v1/accounts?integration=mail');
    expect(plain.body.items[0]).not.toHaveProperty('step');
    expect((await bench.owned('GET', '/v1/accounts?step=mail.nothing')).status).toBe(400);
    expect((await bench.owned('GET', '/v1/accounts?step=mail.send_email&integration=board')).status).toBe(400);
  });
});
