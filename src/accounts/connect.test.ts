import pg from 'pg';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';
import { runStatement } from '../../test/run-statement.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await workbench({ mail: true });
});
afterAll(() => bench[Symbol.asyncDispose]());
beforeEach(() => {
  bench.mail.reset();
  bench.mail.control.faults.clear();
  bench.board.reset();
});

const mailAs = (as: string) => {
  bench.mail.world.tokens.consentMode = { mode: 'auto', as };
};
const boardAs = (as: string) => {
  bench.board.consent.current = { mode: 'auto', as };
};
const link = async (body: Record<string, unknown>): Promise<string> => {
  const answer = await bench.owned('POST', '/v1/connect', body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.url;
};
const account = async (id: string | undefined) => (await bench.owned('GET', `/v1/accounts/${id}`)).body;
const accounts = async () => (await bench.owned('GET', '/v1/accounts?limit=100')).body.items;

describe('mail', () => {
  test('a sign-in connects the account with what was granted, and it works', async () => {
    mailAs('ada@sandbox.test');
    const { heading, accountId } = await bench.visitor().visit(await link({ integration: 'mail' }));
    expect(heading).toBe('Connected');
    expect(await account(accountId)).toMatchObject({
      integration: 'mail',
      name: 'ada@sandbox.test',
      state: 'connected',
      identity: { address: 'ada@sandbox.test', kind: 'work' },
      authMethod: 'oauth2',
      permissionTypes: ['standard'],
      scopes: expect.arrayContaining(['Mail.Send', 'MailboxSettings.Read']),
    });
    expect((await account(accountId)).scopes).not.toContain('openid');
    expect((await bench.owned('POST', `/v1/accounts/${accountId}/test`)).body.works).toBe(true);
  });

  test('a personal account is known as one, whatever spelling its scopes come in', async () => {
    mailAs('cy@sandbox.test');
    const { accountId } = await bench.visitor().visit(await link({ integration: 'mail' }));
    expect(await account(accountId)).toMatchObject({ identity: { kind: 'personal' }, permissionTypes: ['standard'] });
  });

  test('the request is bound by PKCE, state and nonce, and asks for nothing but its permission types', async () => {
    const url = new URL(await bench.visitor().peek(await link({ integration: 'mail' })));
    const asked = Object.fromEntries(url.searchParams);
    expect(asked).toMatchObject({ response_type: 'code', code_challenge_method: 'S256', prompt: 'select_account' });
    expect(asked['redirect_uri']).toBe(new URL('/connect/mail/callback', bench.config.publicUrl).href);
    expect(asked['state']?.length).toBeGreaterThan(40);
    expect(asked['nonce']?.length).toBeGreaterThan(40);
    expect(asked['scope']).toContain('offline_access');
    expect(asked['scope']).not.toContain('Shared');
  });

  test('more is asked for later, and connecting again asks for everything ever granted', async () => {
    mailAs('ben@sandbox.test');
    const { accountId } = await bench.visitor().visit(await link({ integration: 'mail' }));
    const more = { integration: 'mail', accountId, permissionTypes: ['shared_mailboxes'] };
    await bench.visitor().visit(await link(more));
    expect((await account(accountId)).permissionTypes).toEqual(['standard', 'shared_mailboxes']);
    const having = async (type: string) =>
      (await bench.owned('GET', `/v1/accounts?permissionType=${type}`)).body.items.map(({ id }: { id: string }) => id);
    expect(await having('shared_mailboxes')).toContain(accountId);
    expect(await having('meetings_collaboration')).not.toContain(accountId);

    const again = new URL(await bench.visitor().peek(await link({ integration: 'mail', accountId })));
    expect(again.searchParams.get('scope')).toContain('Mail.Send.Shared');
    expect(again.searchParams.get('login_hint')).toBe('ben@sandbox.test');
  });

  test('transcripts refuse a personal account in plain words, and the way on asks for the rest', async () => {
    mailAs('cy@sandbox.test');
    const permissionTypes = ['standard', 'meetings_collaboration'];
    const visitor = bench.visitor();
    const page = await visitor.visit(await link({ integration: 'mail', permissionTypes }));
    expect(page.heading).toBe('Not available for personal accounts');
    const retry = /href="(\/connect\/[^"]+)"/.exec(page.text)?.[1] ?? '';
    const { heading, accountId } = await visitor.visit(new URL(retry, bench.origin).href);
    expect([heading, (await account(accountId)).permissionTypes]).toEqual(['Connected', ['standard']]);
    const asked = await bench.owned('POST', '/v1/connect', { integration: 'mail', accountId, permissionTypes });
    expect([asked.status, asked.body.error.message]).toEqual([400, expect.stringContaining('work accounts only')]);
  });

  test('transcripts need an administrator, and the page says so to anybody else', async () => {
    const body = { integration: 'mail', permissionTypes: ['standard', 'meetings_collaboration'] };
    mailAs('ben@sandbox.test');
    expect((await bench.visitor().visit(await link(body))).heading).toBe('An administrator must agree first');
    mailAs('ada@sandbox.test');
    const { accountId } = await bench.visitor().visit(await link(body));
    expect((await account(accountId)).scopes).toContain('OnlineMeetingTranscript.Read.All');
    const { items } = (await bench.owned('GET', '/v1/accounts?permissionType=meetings_collaboration')).body;
    expect(items.map(({ id }: { id: string }) => id)).toEqual([accountId]);
  });

  test('signing in as another person changes nothing', async () => {
    mailAs('ben@sandbox.test');
    const { accountId } = await bench.visitor().visit(await link({ integration: 'mail' }));
    mailAs('ada@sandbox.test');
    const visitor = bench.visitor();
    const page = await visitor.visit(await link({ integration: 'mail', accountId }));
    expect([page.status, page.heading]).toEqual([400, 'Another person signed in']);
    expect(page.text).toContain('ada@sandbox.test');
    expect((await account(accountId)).identity.address).toBe('ben@sandbox.test');
    expect((await bench.owned('POST', `/v1/accounts/${accountId}/test`)).body.works).toBe(true);
  });

  test('a token server that is away is told as that', async () => {
    mailAs('ada@sandbox.test');
    bench.mail.control.faults.add({
      match: { path: '/common/oauth2/v2.0/token' },
      kind: 'status',
      status: 503,
      times: 1,
    });
    expect((await bench.visitor().visit(await link({ integration: 'mail' }))).heading).toBe(
      'The service did not answer',
    );
  });
});

test('a service that does not find who signed in is not told as a link that no longer works', async () => {
  mailAs('ada@sandbox.test');
  bench.mail.control.faults.add({ match: { path: '/v1.0/me' }, kind: 'status', status: 404, times: 1 });
  const { heading } = await bench.visitor().visit(await link({ integration: 'mail' }));
  expect(heading).toBe('The service refused');
});

describe('board', () => {
  test('OAuth 2.0 connects an account that signs with the granted token', async () => {
    boardAs('ada');
    const { accountId } = await bench.visitor().visit(await link({ integration: 'board', method: 'oauth2' }));
    expect(await account(accountId)).toMatchObject({
      identity: { username: 'ada' },
      authMethod: 'oauth2',
      permissionTypes: ['standard'],
      scopes: ['read:board', 'write:board', 'read:member', 'read:organization'],
    });
    const list = bench.board.newList();
    const given = { accountId, input: { idList: list.id, name: 'By OAuth' } };
    expect((await bench.owned('POST', '/v1/steps/board.create_card/run', given)).status).toBe(200);
  });

  test('what was granted is taken back when storage goes away before it is stored', async () => {
    boardAs('ben');
    const before = await accounts();
    const client = new pg.Client({ connectionString: bench.connectionString });
    await client.connect();
    await client.query('begin; lock table accounts in share row exclusive mode');
    const seen = bench.board.control.log.list().length;
    const coming = bench.visitor().visit(await link({ integration: 'board', method: 'oauth2' }));
    const cut = "select pg_terminate_backend(pid) from pg_locks where relation = 'accounts'::regclass and not granted";
    await expect.poll(async () => (await client.query(cut)).rowCount).toBe(1);
    await client.end();

    expect((await coming).status).toBe(503);
    const since = bench.board.control.log.list().slice(seen);
    expect(since.filter(({ method }) => method === 'DELETE')).toMatchObject([{ path: '/1/tokens/…', status: 200 }]);
    expect(await accounts()).toEqual(before);
  });

  test('the token of /1/authorize comes by our own page and connects', async () => {
    boardAs('ben');
    const visitor = bench.visitor();
    const page = await visitor.visit(await link({ integration: 'board', method: 'authorize' }));
    expect(page.url.hash).toMatch(/^#token=/);
    expect(page.text).not.toContain('token=');
    const { heading, accountId } = await visitor.bringFragment(page);
    expect(heading).toBe('Connected');
    expect(await account(accountId)).toMatchObject({ authMethod: 'authorize', identity: { username: 'ben' } });
    expect((await bench.owned('POST', `/v1/accounts/${accountId}/test`)).body.works).toBe(true);
  });

  test('a fragment from another browser, another site, or a second time is refused', async () => {
    boardAs('ben');
    const visitor = bench.visitor();
    const page = await visitor.visit(await link({ integration: 'board', method: 'authorize' }));
    expect((await bench.visitor().bringFragment(page)).heading).toBe('Started in another browser');
    expect((await visitor.bringFragment(page, 'https://evil.example')).status).toBe(403);
    expect((await visitor.bringFragment(page)).heading).toBe('Connected');
    expect((await visitor.bringFragment(page)).heading).toBe('This link no longer works');
  });
});

describe('a link', () => {
  test('belongs to the browser that opened it; previews do not take it', async () => {
    mailAs('ada@sandbox.test');
    const url = await link({ integration: 'mail' });
    const head = await fetch(url.replace(bench.config.publicUrl.origin, bench.origin), { method: 'HEAD' });
    expect([head.status, head.headers.getSetCookie()]).toEqual([200, []]);
    const [mine, theirs] = [bench.visitor(), bench.visitor()];
    await mine.peek(url);
    expect((await theirs.visit(url)).heading).toBe('Started in another browser');
    expect((await mine.visit(url)).heading).toBe('Connected');
    expect((await mine.visit(url)).heading).toBe('This link no longer works');
  });

  test('that a chat or a mail has looked at is still for the person who opens it in a window', async () => {
    mailAs('ada@sandbox.test');
    const local = (address: string) => address.replace(bench.config.publicUrl.origin, bench.origin);
    const url = await link({ integration: 'mail' });
    const preview = bench.visitor();
    const looked = await preview.peek(url);
    // As browsers do; `fetch` calls itself something else.
    const window = { 'sec-fetch-mode': 'navigate' };
    const { statusCode, headers } = await request(local(url), { headers: window });
    expect(statusCode).toBe(302);
    const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
    expect((await request(local(url), { headers: window })).statusCode).toBe(400);
    expect((await preview.visit(url)).heading).toBe('Started in another browser');
    expect((await preview.visit(looked)).heading).toBe('This link no longer works');
    const granted = await fetch(String(headers.location), { redirect: 'manual' });
    const end = await fetch(local(granted.headers.get('location') ?? ''), { headers: { cookie } });
    expect(await end.text()).toContain('<h1>Connected</h1>');
  });

  test('expires', async () => {
    const { body } = await bench.owned('POST', '/v1/connect', { integration: 'mail' });
    const expiresIn = new Date(body.expiresAt).getTime() - Date.now();
    expect(expiresIn).toBeGreaterThan(9 * 60_000);
    expect(expiresIn).toBeLessThanOrEqual(10 * 60_000);
    const later = await bench.startProcess('api', { clockOffsetMs: 11 * 60_000 });
    expect((await bench.visitor(later.origin).visit(body.url)).heading).toBe('This link no longer works');
    await later.stop();
  });

  test('is not kept alive for ever by being opened again and again', async () => {
    const { body } = await bench.owned('POST', '/v1/connect', { integration: 'mail' });
    await runStatement(
      bench.connectionString,
      `select set_config('app.workspace', '*', false); update connects set created_at = created_at - interval '55 minutes'`,
    );
    const later = await bench.startProcess('api', { clockOffsetMs: 6 * 60_000 });
    const [now, then] = [bench.visitor(), bench.visitor(later.origin)];
    expect(new URL(await now.peek(body.url)).origin).toBe(bench.mail.url);
    expect((await then.visit(body.url)).heading).toBe('This link no longer works');
    await later.stop();
  });

  test('ends with the key and with the right of whoever made it, also when it was opened before', async () => {
    mailAs('ada@sandbox.test');
    const before = await accounts();
    const made = (await bench.owned('POST', '/v1/api-keys', { name: 'Lost', scopes: ['connect'] })).body;
    const by = async (who: { key: string } | { cookie: string }): Promise<string> =>
      (await bench.call('POST', '/v1/connect', { ...who, body: { integration: 'mail' } })).body.url;
    const [unopened, opened] = [await by(made), await by(made)];
    const visitor = bench.visitor();
    const callback = await visitor.peek(await visitor.peek(opened));
    await bench.owned('DELETE', `/v1/api-keys/${made.id}`);
    for (const url of [unopened, opened, callback]) {
      expect(await visitor.visit(url)).toMatchObject({ status: 410, heading: 'This link no longer works' });
    }

    const short = (await bench.owned('POST', '/v1/api-keys', { name: 'Short', scopes: ['connect'] })).body;
    const expired = await by(short);
    expect((await bench.visitor().peek(expired)).startsWith(bench.mail.url)).toBe(true);
    await runStatement(
      bench.connectionString,
      `select set_config('app.workspace', '*', false); update api_keys set expires_at = now() where id = '${short.id}'`,
    );
    expect((await bench.visitor().visit(expired)).heading).toBe('This link no longer works');

    const builder = (await bench.owned('POST', '/v1/members', { email: 'bea@example.test', role: 'builder' })).body;
    const place = `/v1/members/${builder.id}`;
    const cookie = await bench.signIn((await bench.owned('POST', `${place}/sign-in-link`)).body.url);
    const [demoted, gone] = [await by({ cookie }), await by({ cookie })];
    const { key } = await bench.newTenant('Elsewhere');
    await bench.call('POST', '/v1/members', { key, body: { email: 'bea@example.test', role: 'owner' } });
    await bench.owned('PATCH', place, { role: 'approver' });
    expect((await bench.visitor().visit(demoted)).heading).toBe('This link no longer works');
    await bench.owned('DELETE', place);
    expect((await bench.visitor().visit(gone)).heading).toBe('This link no longer works');
    expect(await accounts()).toEqual(before);
  });

  test('serves an end user, whose accounts stay apart', async () => {
    mailAs('ada@sandbox.test');
    const [one, two] = [
      await bench.visitor().visit(await link({ integration: 'mail', endUserId: 'customer 1' })),
      await bench.visitor().visit(await link({ integration: 'mail', endUserId: 'customer 2' })),
    ];
    expect(one.accountId).not.toBe(two.accountId);
    expect(await account(one.accountId)).toMatchObject({ endUserId: 'customer 1' });
    const wrong = { integration: 'mail', accountId: one.accountId, endUserId: 'customer 2' };
    expect((await bench.owned('POST', '/v1/connect', wrong)).status).toBe(404);
    expect((await bench.owned('POST', '/v1/connect', { ...wrong, endUserId: 'customer 1' })).status).toBe(201);
    const elsewhere = { integration: 'board', method: 'oauth2', accountId: one.accountId };
    expect((await bench.owned('POST', '/v1/connect', elsewhere)).status).toBe(400);
    const tenant = await bench.newTenant('Platform');
    const { body } = await bench.call('POST', '/v1/connect', {
      key: tenant.key,
      body: { integration: 'mail', endUserId: 'customer 3' },
    });
    await bench.visitor().visit(body.url);
    const run = { key: tenant.key, body: { input: {} } };
    const unnamed = await bench.call('POST', '/v1/steps/mail.list_folders/run', run);
    expect(unnamed.body.error.details.fields).toMatchObject([{ field: 'endUserId' }]);
    const stranger = { ...run, body: { ...run.body, endUserId: 'customer 4' } };
    const none = await bench.call('POST', '/v1/steps/mail.list_folders/run', stranger);
    expect(none.body.error.message).toBe('No mail account is connected for this end user; connect one first.');
    // What is offered can be asked for as it is, and is for whom the step was.
    const offered = { key: tenant.key, body: none.body.error.details.connect };
    await bench.visitor().visit((await bench.call('POST', '/v1/connect', offered)).body.url);
    expect((await bench.call('POST', '/v1/steps/mail.list_folders/run', stranger)).status).toBe(200);
    await bench.owned('DELETE', `/v1/accounts/${one.accountId}`);
    const gone = { integration: 'mail', accountId: one.accountId };
    expect((await bench.owned('POST', '/v1/connect', gone)).status).toBe(404);
  });

  test('leads back only to allowed origins, with the account', async () => {
    mailAs('ada@sandbox.test');
    const body = { integration: 'mail', returnUrl: 'https://app.example.com/done?x=1' };
    expect((await bench.owned('POST', '/v1/connect', body)).status).toBe(400);
    for (const evil of ['https://app.example.com.evil.test/', 'https://user@app.example.com/', 'javascript:alert(1)']) {
      expect((await bench.owned('POST', '/v1/connect', { ...body, returnUrl: evil })).status).toBe(400);
    }
    const own = new URL('/integrations', bench.config.publicUrl).href;
    expect((await bench.owned('POST', '/v1/connect', { ...body, returnUrl: own })).status).toBe(201);

    await bench.owned('PATCH', '/v1/settings', { allowedReturnOrigins: ['https://app.example.com'] });
    for (const evil of ['https://user@app.example.com/', 'https://:password@app.example.com/']) {
      expect((await bench.owned('POST', '/v1/connect', { ...body, returnUrl: evil })).status).toBe(400);
    }
    const visitor = bench.visitor();
    const there = await visitor.peek(await link(body));
    const back = new URL(await visitor.peek(await visitor.peek(there)));
    expect(back.origin + back.pathname).toBe('https://app.example.com/done');
    expect(back.searchParams.get('x')).toBe('1');
    expect((await account(back.searchParams.get('accountId') ?? '')).state).toBe('connected');
  });
});

describe('a callback', () => {
  test.each([
    ['without anything', '/connect/mail/callback', 410],
    ['with a state nobody gave out', '/connect/mail/callback?state=x&code=y', 410],
    ['of an unknown service', '/connect/fax/callback?state=x&code=y', 410],
  ])('%s ends in a plain page', async (_, path, status) => {
    const page = await bench.visitor().visit(`${bench.origin}${path}`);
    expect([page.status, page.heading]).toEqual([status, 'This link no longer works']);
  });

  test('of the right person in the wrong browser connects nothing, and theirs still works', async () => {
    mailAs('ada@sandbox.test');
    const before = await accounts();
    const [mine, theirs] = [bench.visitor(), bench.visitor()];
    const callback = await mine.peek(await mine.peek(await link({ integration: 'mail' })));
    expect((await theirs.visit(callback)).heading).toBe('Started in another browser');
    expect(await accounts()).toEqual(before);
    expect((await mine.visit(callback)).heading).toBe('Connected');
    expect((await mine.visit(callback)).heading).toBe('This link no longer works');
  });

  test('that comes after its time connects nothing', async () => {
    mailAs('ada@sandbox.test');
    const before = await accounts();
    const mine = bench.visitor();
    const callback = await mine.peek(await mine.peek(await link({ integration: 'mail' })));
    await runStatement(
      bench.connectionString,
      `select set_config('app.workspace', '*', false); update connects set expires_at = expires_at - interval '10 minutes'`,
    );
    expect((await mine.visit(callback)).heading).toBe('This link no longer works');
    expect(await accounts()).toEqual(before);
  });

  test('that names another issuer is refused', async () => {
    mailAs('ada@sandbox.test');
    const mine = bench.visitor();
    const callback = await mine.peek(await mine.peek(await link({ integration: 'mail' })));
    expect((await mine.visit(`${callback}&iss=https://elsewhere.example`)).heading).toBe('The service refused');
  });

  test('at the address of another service connects nothing, and uses nothing up', async () => {
    mailAs('ada@sandbox.test');
    const mine = bench.visitor();
    const callback = await mine.peek(await mine.peek(await link({ integration: 'mail' })));
    const before = await accounts();
    const mixedUp = await mine.visit(callback.replace('/connect/mail/', '/connect/board/'));
    expect([mixedUp.heading, await accounts()]).toEqual(['This link no longer works', before]);
    expect((await mine.visit(callback)).heading).toBe('Connected');
  });

  test("with another attempt's code is refused by PKCE", async () => {
    mailAs('ada@sandbox.test');
    const [mine, theirs] = [bench.visitor(), bench.visitor()];
    const stolen = new URL(await theirs.peek(await theirs.peek(await link({ integration: 'mail' }))));
    const own = new URL(await mine.peek(await mine.peek(await link({ integration: 'mail' }))));
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    expect((await mine.visit(own.href)).heading).toBe('The service refused');
  });

  test('of a person who said no says so, and offers the same again', async () => {
    const visitor = bench.visitor();
    const there = new URL(await visitor.peek(await link({ integration: 'mail' })));
    const state = there.searchParams.get('state') ?? '';
    const query = `state=${encodeURIComponent(state)}&error=access_denied&error_description=AADSTS65004`;
    const page = await visitor.visit(`${bench.origin}/connect/mail/callback?${query}`);
    expect(page.heading).toBe('Nothing was connected');
    mailAs('ada@sandbox.test');
    const { searchParams } = new URL(await visitor.peek(there.href));
    const late = `state=${encodeURIComponent(state)}&code=${searchParams.get('code')}`;
    const again = await visitor.visit(`${bench.origin}/connect/mail/callback?${late}`);
    expect(again.heading).toBe('This link no longer works');
    const retry = /href="(\/connect\/[^"]+)"/.exec(page.text)?.[1] ?? '';
    expect((await visitor.visit(new URL(retry, bench.origin).href)).heading).toBe('Connected');
  });
});
