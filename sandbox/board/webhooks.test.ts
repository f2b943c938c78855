import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { testBoard } from './test-board.ts';
import { connectOAuth } from './test-oauth.ts';

const json = 'application/json';

test('HEAD check: a callback that does not answer 200 makes no webhook', async () => {
  await using bench = await testBoard();
  const hook = await bench.listen((method) => (method === 'HEAD' ? 204 : 200));
  const reply = await bench.call('POST', '/1/webhooks', { callbackURL: hook.url, idModel: bench.board.launch().id });
  const message = `URL (${hook.url}) did not return 200 status code, got 204`;
  expect([reply.status, reply.type, reply.body]).toEqual([400, json, { message, error: 'ERROR' }]);
  expect(bench.board.webhooks()).toEqual([]);
  hook.answer = () => 200;
  const made = await bench.make('POST', '/1/webhooks', { callbackURL: hook.url, idModel: bench.board.launch().id });
  expect(made).toMatchObject({ active: true, consecutiveFailures: 0, firstConsecutiveFailDate: null });
  expect(hook.received.every(({ method, headers }) => method === 'HEAD' && !('x-trello-webhook' in headers))).toBe(
    true,
  );
});

test('no callback outside this machine is ever called', async () => {
  await using bench = await testBoard();
  const callbackURL = 'https://example.com/hook';
  const reply = await bench.call('POST', '/1/webhooks', { callbackURL, idModel: bench.board.launch().id });
  expect(reply.body).toEqual({ message: `URL (${callbackURL}) did not return 200 status code, got 0`, error: 'ERROR' });
});

test('duplicate rejection: same callback, model and token', async () => {
  await using bench = await testBoard();
  const hook = await bench.listen();
  const wanted = { callbackURL: hook.url, idModel: bench.board.launch().id };
  await bench.make('POST', '/1/webhooks', wanted);
  const again = await bench.call('POST', '/1/webhooks', wanted);
  expect([again.status, again.text]).toEqual([400, 'A webhook with that callback, model, and token already exists']);
  expect((await bench.call('POST', '/1/webhooks', wanted, { who: 'ben' })).status).toBe(200);
  const { token } = bench.board.credentials();
  expect(await bench.list('GET', `/1/tokens/${token}/webhooks`)).toHaveLength(1);
});

test('the signature is over the raw bytes and the callback URL, with the secret of the app', async () => {
  await using bench = await testBoard();
  const hook = await bench.listen();
  const callbackURL = `${hook.url}?watch=%C3%BC&x=a%20b`;
  await bench.make('POST', '/1/webhooks', { callbackURL, idModel: bench.board.launch().id });
  bench.board.newCard({ name: 'Grüße' });
  const [one] = await hook.until(1);
  const { appSecret, token } = bench.board.credentials();
  const sign = (secret: string) => createHmac('sha1', secret).update(`${one?.raw}${callbackURL}`).digest('base64');
  expect(one?.headers['x-trello-webhook']).toBe(sign(appSecret));
  expect(one?.headers['x-trello-webhook']).not.toBe(sign(token));
});

test('webhooks made under OAuth 2.0 are signed with the client secret', async () => {
  await using bench = await testBoard();
  const hook = await bench.listen();
  const { access, clientSecret } = await connectOAuth(bench, 'ada');
  const headers = { authorization: `Bearer ${access}` };
  const wanted = { callbackURL: hook.url, idModel: bench.board.launch().id };
  expect((await bench.raw('POST', '/1/webhooks', wanted, { headers })).status).toBe(200);
  bench.board.newCard();
  const [one] = await hook.until(1);
  const expected = createHmac('sha1', clientSecret).update(`${one?.raw}${hook.url}`).digest('base64');
  expect(one?.headers['x-trello-webhook']).toBe(expected);
});

test('a delivery tells action, model and webhook, and excluded types arrive as well', async () => {
  await using bench = await testBoard();
  const hook = await bench.listen();
  const board = bench.board.launch();
  const webhook = await bench.make('POST', '/1/webhooks', { callbackURL: hook.url, idModel: board.id });
  const [label] = bench.board.labels();
  const card = bench.board.newCard();
  await bench.make('POST', `/1/cards/${card.id}/idLabels`, { value: label?.id });
  await hook.until(2);
  expect(hook.types.toSorted()).toEqual(['addLabelToCard', 'createCard']);
  const { body } = hook.posts.find((post) => post.body.action.type === 'createCard') ?? {};
  expect(body?.action.display.translationKey).toBe('action_create_card');
  expect(body?.model).toMatchObject({ id: board.id, name: 'Launch', labelNames: { red: 'Urgent' } });
  expect(body?.webhook).toMatchObject({ id: webhook.id, callbackURL: hook.url });
});

test('a list webhook fires for the list left and the list entered, a card webhook for its card', async () => {
  await using bench = await testBoard();
  const [left, entered] = bench.board.lists();
  const card = bench.board.newCard(left ? { list: left } : {});
  const hooks = await Promise.all([bench.listen(), bench.listen(), bench.listen()]);
  for (const [at, idModel] of [left?.id, entered?.id, card.id].entries()) {
    await bench.make('POST', '/1/webhooks', { callbackURL: hooks[at]?.url, idModel });
  }
  await bench.make('PUT', `/1/cards/${card.id}`, { idList: entered?.id });
  for (const hook of hooks) expect((await hook.until(1))[0]?.body.action.type).toBe('updateCard');
});

test('a member webhook gets the own actions and those about the member', async () => {
  await using bench = await testBoard();
  const hook = await bench.listen();
  const ben = bench.board.member('ben');
  await bench.make('POST', '/1/webhooks', { callbackURL: hook.url, idModel: ben.id }, 'ben');
  const card = bench.board.newCard();
  await bench.make('POST', `/1/cards/${card.id}/idMembers`, { value: ben.id });
  await bench.make('POST', '/1/boards', { name: 'Mine' }, 'ben');
  await hook.until(3);
  expect(hook.types.toSorted()).toEqual(['addMemberToCard', 'addToOrganizationBoard', 'createBoard']);
});

test('the client identifier is echoed to webhooks of the same key only', async () => {
  await using bench = await testBoard();
  const [mine, other] = await Promise.all([bench.listen(), bench.listen()]);
  const idModel = bench.board.launch().id;
  await bench.make('POST', '/1/webhooks', { callbackURL: mine.url, idModel });
  await bench.make('POST', '/1/webhooks', { callbackURL: other.url, idModel }, 'ben');
  const headers = { 'x-trello-client-identifier': 'switchboard' };
  await bench.call('POST', '/1/cards', { idList: bench.board.lists()[0]?.id }, { headers });
  expect((await mine.until(1))[0]?.headers['x-trello-client-identifier']).toBe('switchboard');
  expect((await other.until(1))[0]?.headers['x-trello-client-identifier']).toBeUndefined();
});

test('retries come after 30, 60 and 120 s, then the delivery is lost', async () => {
  await using bench = await testBoard();
  const hook = await bench.listen();
  const webhook = await bench.make('POST', '/1/webhooks', { callbackURL: hook.url, idModel: bench.board.launch().id });
  hook.answer = () => 500;
  bench.board.newCard();
  await hook.until(1);
  for (const [n, wait] of [30_000, 60_000, 120_000].entries()) {
    await settled();
    await bench.control('clock', { advanceMs: wait - 2000 });
    await settled();
    expect(hook.posts).toHaveLength(n + 1);
    await bench.control('clock', { advanceMs: 2000 });
    await hook.until(n + 2);
  }
  await settled();
  await bench.control('clock', { advanceMs: 3_600_000 });
  await settled();
  expect(hook.posts).toHaveLength(4);
  expect(new Set(hook.posts.map(({ raw }) => raw)).size).toBe(1);
  const seen = await bench.make('GET', `/1/webhooks/${webhook.id}`);
  expect(seen).toMatchObject({ active: true, consecutiveFailures: 4 });
  hook.answer = () => 200;
  bench.board.newCard();
  await hook.until(5);
  await settled();
  expect(await bench.make('GET', `/1/webhooks/${webhook.id}`)).toMatchObject({ consecutiveFailures: 0 });
});

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 40));

test('a webhook is disabled only after 30 days and more than 1000 failures in a row', async () => {
  await using bench = await testBoard();
  const hook = await bench.listen();
  await bench.make('POST', '/1/webhooks', { callbackURL: hook.url, idModel: bench.board.launch().id });
  const [webhook] = bench.board.webhooks();
  if (!webhook) throw new Error('no webhook');
  hook.answer = () => 500;
  const longAgo = new Date(Date.now() - 31 * 86_400_000).toISOString();
  Object.assign(webhook, { consecutiveFailures: 1500, firstConsecutiveFailDate: new Date().toISOString() });
  bench.board.newCard();
  await hook.until(1);
  await settled();
  expect(webhook.active).toBe(true);
  Object.assign(webhook, { firstConsecutiveFailDate: longAgo });
  bench.board.newCard();
  await hook.until(2);
  await settled();
  expect(webhook.active).toBe(false);
});

test('the answer 410 deletes the webhook', async () => {
  await using bench = await testBoard();
  const hook = await bench.listen();
  await bench.make('POST', '/1/webhooks', { callbackURL: hook.url, idModel: bench.board.launch().id });
  hook.answer = () => 410;
  bench.board.newCard();
  await hook.until(1);
  await settled();
  expect(bench.board.webhooks()).toEqual([]);
});

test('token info lists webhooks, and revocation deletes them', async () => {
  await using bench = await testBoard();
  const hook = await bench.listen();
  await bench.make('POST', '/1/webhooks', { callbackURL: hook.url, idModel: bench.board.launch().id });
  const { token } = bench.board.credentials();
  const info = await bench.make('GET', `/1/tokens/${token}?webhooks=true`);
  expect(info).toMatchObject({ identifier: "Ada's app", dateExpires: null, webhooks: [{ callbackURL: hook.url }] });
  expect(info['permissions']).toContainEqual({ idModel: '*', modelType: 'Board', read: true, write: true });
  const headers = bench.headersOf('ada');
  expect((await bench.raw('DELETE', `/1/tokens/${token}`, undefined, { headers })).status).toBe(200);
  expect(bench.board.webhooks()).toEqual([]);
  expect((await bench.raw('GET', '/1/members/me', undefined, { headers })).text).toBe('invalid token');
});

test('a webhook of another token is not told about', async () => {
  await using bench = await testBoard();
  const hook = await bench.listen();
  const { id } = await bench.make('POST', '/1/webhooks', { callbackURL: hook.url, idModel: bench.board.launch().id });
  const reply = await bench.call('GET', `/1/webhooks/${id}`, undefined, { who: 'ben' });
  expect([reply.status, reply.text]).toEqual([401, 'webhook does not belong to token']);
  const { token } = bench.board.credentials();
  const put = await bench.call('PUT', `/1/tokens/${token}/webhooks/${id}`, { description: 'x' });
  expect(put.status).toBe(404);
});

test('a webhook that is changed is checked again and keeps its place', async () => {
  await using bench = await testBoard();
  const [first, second] = await Promise.all([bench.listen(), bench.listen()]);
  const made = await bench.make('POST', '/1/webhooks', { callbackURL: first.url, idModel: bench.board.launch().id });
  await bench.make('PUT', `/1/webhooks/${made.id}`, { callbackURL: second.url });
  expect(second.received.map(({ method }) => method)).toEqual(['HEAD']);
  bench.board.newCard();
  await second.until(1);
  expect(first.posts).toEqual([]);
  expect(await bench.make('GET', `/1/webhooks/${made.id}/active`)).toEqual({ _value: true });
  expect(await bench.make('DELETE', `/1/webhooks/${made.id}`)).toEqual({ _value: null });
});
