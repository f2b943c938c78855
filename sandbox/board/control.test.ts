import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBoard } from './server.ts';
import { testBoard } from './test-board.ts';

test('the seeded world makes sense and is the same after every reset', async () => {
  await using bench = await testBoard();
  const board = bench.board.launch();
  const first = bench.board.snapshot();
  expect(board.name).toBe('Launch');
  expect(bench.board.lists().map(({ name }) => name)).toEqual(['To do', 'Doing', 'Done']);
  expect(bench.board.labels().map(({ name }) => name)).toEqual(['Urgent', 'Design', 'Copy', 'Engineering']);
  expect(bench.board.lists().flatMap(({ id }) => bench.board.cardsIn(id))).toHaveLength(12);
  bench.board.newCard();
  await bench.make('DELETE', `/1/boards/${board.id}`);
  await bench.control('reset');
  expect(bench.board.snapshot()).toEqual(first);
});

test('a snapshot brings the world back as it was, files and webhooks included', async () => {
  await using bench = await testBoard();
  const hook = await bench.listen();
  await bench.make('POST', '/1/webhooks', { callbackURL: hook.url, idModel: bench.board.launch().id });
  const multipart = new FormData();
  multipart.append('file', new Blob(['hello']), 'a.txt');
  const card = bench.board.newCard();
  const file = await bench.call('POST', `/1/cards/${card.id}/attachments`, undefined, { multipart });
  const { body: snapshot } = await bench.raw('GET', '/_control/snapshot');
  await bench.control('reset');
  expect((await bench.call('GET', `/1/cards/${card.id}`)).status).toBe(404);
  expect((await bench.control('restore', snapshot)).status).toBe(200);
  expect(bench.board.cardsIn(card.idList).at(-1)?.id).toBe(card.id);
  const path = (file.body as { url: string }).url.replace(bench.board.url, '');
  expect((await bench.call('GET', path)).text).toBe('hello');
  bench.board.newCard();
  await hook.until(1);
  expect((await bench.control('restore', { cards: 'no' })).status).toBe(400);
});

test('with a state file the world outlives the server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'board-state-'));
  const file = join(folder, 'board.json');
  const first = await startBoard({ file });
  const card = first.newCard({ name: 'Lasting' });
  await first.close();
  await using second = await startBoard({ file });
  expect(second.card(card.id)?.name).toBe('Lasting');
  await rm(folder, { recursive: true });
});

test('credentials of the seeded members and of the OAuth client are told to automation', async () => {
  await using bench = await testBoard();
  const { body } = await bench.raw('GET', '/_control/credentials');
  expect(body).toMatchObject({
    members: [{ username: 'ada', email: 'ada@sandbox.test' }, { username: 'ben' }],
    oauth: { clientId: 'sandbox-board-client', clientSecret: expect.any(String) },
  });
});

test('bulk seeding makes cards and accounts that work', async () => {
  await using bench = await testBoard();
  const { body } = await bench.control('seed', { cards: 5000, accounts: 3 });
  const { cards, accounts } = body as {
    cards: { idBoard: string };
    accounts: { key: string; token: string; idList: string }[];
  };
  const all = await bench.list('GET', `/1/boards/${cards.idBoard}/cards?fields=name`);
  expect(all).toHaveLength(5000);
  expect(new Set(accounts.map(({ key }) => key)).size).toBe(3);
  for (const { key, token, idList } of accounts) {
    expect((await bench.raw('POST', '/1/cards', { key, token, idList, name: 'Hi' })).status).toBe(200);
  }
});

test('GET /_control/actions is the truth for counting events', async () => {
  await using bench = await testBoard();
  const last = bench.board.actions().at(-1)?.id;
  bench.board.newLabel();
  const { body } = await bench.raw('GET', `/_control/actions?since=${last}`);
  expect(body).toMatchObject({ items: [{ type: 'createLabel', display: { translationKey: 'unknown' } }] });
});

test('faults strike in the words of the service, and the log tells what arrived without credentials', async () => {
  await using bench = await testBoard();
  await bench.control('faults', {
    match: { path: '/1/members' },
    kind: 'status',
    status: 429,
    times: 1,
    retryAfter: 3,
  });
  const { key, token } = bench.board.credentials();
  const struck = await bench.raw('GET', `/1/members/me?key=${key}&token=${token}`);
  expect([struck.status, struck.headers.get('retry-after'), struck.body]).toEqual([
    429,
    '3',
    { error: 'API_TOKEN_LIMIT_EXCEEDED', message: 'Rate limit exceeded' },
  ]);
  expect((await bench.raw('GET', `/1/members/me?key=${key}&token=${token}`)).status).toBe(200);
  await bench.call('GET', `/1/tokens/${token}`);
  const { body, text } = await bench.raw('GET', '/_control/requests');
  expect(body).toMatchObject({ items: [{ status: 429 }, { status: 200, user: 'ada' }, { status: 200 }] });
  expect(text).not.toContain(token);
});

test('held webhooks are delivered once they are let go', async () => {
  await using bench = await testBoard();
  const hook = await bench.listen();
  await bench.make('POST', '/1/webhooks', { callbackURL: hook.url, idModel: bench.board.launch().id });
  expect((await bench.control('notifications', { pause: 1, shuffle: 0.5 })).body).toMatchObject({
    pause: true,
    shuffle: 0.5,
  });
  bench.board.newCard();
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(hook.posts).toEqual([]);
  await bench.control('notifications', { pause: false, shuffle: false });
  await hook.until(1);
});

test('limits off lets everything through, and mistakes are explained', async () => {
  await using bench = await testBoard();
  await bench.control('limits', { off: true });
  for (let n = 0; n < 120; n++) expect((await bench.call('GET', '/1/members/me?fields=id')).status).toBe(200);
  expect((await bench.control('consent', { mode: 'auto', as: 'nobody' })).body).toEqual({
    error: 'There is no member nobody.',
  });
  for (const [order, body, error] of [
    ['limits', { perKey: 'many' }, 'perKey must be a number.'],
    ['limits', { perKey: -1 }, 'perKey must be at least 0.'],
    ['limits', { perkey: 1 }, 'The body has no field perkey.'],
    ['faults', { kind: 'stutter' }, 'kind must be status or latency or accept_then or reset.'],
    ['faults', { kind: 'status', match: { path: 7 } }, 'match.path must be a text.'],
    ['notifications', { drop: 2, pause: 'yes' }, 'drop must be at most 1. pause must be true or false.'],
    ['consent', { mode: 'auto' }, 'as must be given.'],
    ['clock', { advanceMs: 'a day' }, 'advanceMs must be a number.'],
  ] as const) {
    expect([order, await bench.control(order, body)]).toMatchObject([order, { status: 400, body: { error } }]);
  }
  for (const [order, body] of [
    ['limits', { perMailbox: 5 }],
    ['seed', { messages: 5 }],
  ] as const) {
    expect((await bench.control(order, body)).status).toBe(200);
  }
});
