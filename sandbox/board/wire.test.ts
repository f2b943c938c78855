import { expect, test } from 'vitest';
import { bornAt } from './ids.ts';
import { type TestBoard, type Thing, testBoard } from './test-board.ts';

const words = ({ status, type, text }: { status: number; type: string; text: string }) => [status, type, text];
const unknownId = '5abbe4b7ddc1b351ef961414';
const text = 'text/plain';
const json = 'application/json';
const firstList = ({ board }: TestBoard): string => board.lists()[0]?.id ?? '';
const error = (message: string, code = 'ERROR') => JSON.stringify({ message, error: code });

test('plain-text and JSON bodies of the errors, each with its content type', async () => {
  await using bench = await testBoard();
  const list = firstList(bench);
  const { id: idBoard, shortLink } = bench.board.launch();
  const cases: [method: string, path: string, body: unknown, expected: unknown[]][] = [
    ['GET', '/1/cards/nonsense!', undefined, [400, text, 'invalid id']],
    ['GET', `/1/cards/${unknownId}`, undefined, [404, text, 'The requested resource was not found.']],
    ['GET', `/1/boards/${unknownId}`, undefined, [404, text, 'The requested resource was not found.']],
    ['POST', '/1/cards', { name: 'x' }, [400, text, 'invalid value for idList']],
    ['POST', '/1/cards', { idList: '' }, [400, text, 'invalid value for idList']],
    ['POST', '/1/cards', { idList: shortLink }, [400, text, 'invalid value for idList']],
    ['POST', '/1/cards', { idList: unknownId }, [404, text, 'could not find the board that the card belongs to']],
    ['POST', '/1/cards', { idList: list, name: 7 }, [400, text, 'invalid value for name']],
    ['POST', '/1/boards', {}, [400, json, error('invalid value for name')]],
    ['POST', '/1/boards', { name: '' }, [400, json, error('invalid value for name')]],
    ['POST', '/1/boards', { name: 'x'.repeat(16385) }, [400, json, error('invalid value for name')]],
    ['POST', '/1/lists', { name: 'x', idBoard: shortLink }, [400, text, 'invalid value for idBoard']],
    ['POST', '/1/lists', { name: 'x' }, [400, text, 'invalid value for idBoard']],
    ['POST', '/1/lists', { idBoard }, [400, json, error('invalid value for name', 'BAD_REQUEST_ERROR')]],
    ['POST', '/1/lists', { name: 'x', idBoard, pos: 'middle' }, [400, json, error('Invalid position.')]],
    ['PUT', `/1/lists/${list}`, { pos: -3 }, [400, json, error('Invalid position.')]],
    ['POST', '/1/lists', { name: 'x', idBoard, idListSource: 'zz' }, [400, json, error('Invalid objectId')]],
    ['PUT', `/1/lists/${list}`, { idBoard: unknownId }, [404, json, error('Board not found.', 'BOARD_NOT_FOUND')]],
    ['POST', '/1/labels', { idBoard, color: 'red' }, [400, json, error('invalid value for name', 'BAD_REQUEST_ERROR')]],
    ['GET', '/1/webhooks', undefined, [404, text, 'Cannot GET /1/webhooks']],
    ['GET', '/1/no/such/route', undefined, [404, text, 'Cannot GET /1/no/such/route']],
    ['POST', '/1/webhooks', { idModel: idBoard }, [400, text, "Value isn't a string."]],
  ];
  for (const [method, path, body, expected] of cases) {
    expect
      .soft(words(await bench.call(method, path, body)), `${method} ${path} ${JSON.stringify(body)}`)
      .toEqual(expected);
  }
});

test('what is already there is refused with a sentence', async () => {
  await using bench = await testBoard();
  const { board } = bench;
  const card = board.newCard();
  const [label] = board.labels();
  const me = board.member().id;
  for (const [path, value, sentence] of [
    ['idLabels', label?.id, 'that label is already on the card'],
    ['idMembers', me, 'member is already on the card'],
    ['membersVoted', me, 'member has already voted on the card'],
  ]) {
    expect((await bench.call('POST', `/1/cards/${card.id}/${path}`, { value })).status).toBe(200);
    expect(words(await bench.call('POST', `/1/cards/${card.id}/${path}`, { value }))).toEqual([400, text, sentence]);
  }
});

test('a bad background answers 500 although a board is created', async () => {
  await using bench = await testBoard();
  const before = bench.board.boards().length;
  const reply = await bench.call('POST', '/1/boards', { name: 'Grey', prefs_background: 'no-such-colour' });
  expect(reply.status).toBe(500);
  expect(bench.board.boards().length).toBe(before + 1);
});

test('order of checks: id syntax, then authentication, then permission, then existence', async () => {
  await using bench = await testBoard();
  const secret = bench.board.newBoard({ as: 'ben', name: 'Surprise', prefs: { permissionLevel: 'private' } });
  const bad = { authorization: 'OAuth oauth_consumer_key="nope", oauth_token="nope"' };
  expect(words(await bench.raw('GET', '/1/boards/zz', undefined, { headers: bad }))).toEqual([400, text, 'invalid id']);
  expect(words(await bench.raw('GET', `/1/boards/${secret.id}`, undefined, { headers: bad }))).toEqual([
    401,
    text,
    'invalid key',
  ]);
  expect(words(await bench.raw('GET', `/1/boards/${secret.id}`))).toEqual([
    401,
    text,
    'unauthorized permission requested',
  ]);
  expect(words(await bench.raw('GET', `/1/boards/${unknownId}`))).toEqual([
    401,
    text,
    'unauthorized permission requested',
  ]);
  expect(words(await bench.call('GET', `/1/boards/${secret.id}`))).toEqual([
    401,
    text,
    'unauthorized permission requested',
  ]);
  expect((await bench.call('GET', `/1/boards/${unknownId}`)).status).toBe(404);
  expect((await bench.call('GET', `/1/boards/${secret.id}`, undefined, { who: 'ben' })).status).toBe(200);
});

test('401 bodies tell the cases of key and token apart', async () => {
  await using bench = await testBoard();
  const ada = bench.board.credentials('ada');
  const ben = bench.board.credentials('ben');
  const ask = async (query: string) => words(await bench.raw('GET', `/1/members/me?${query}`));
  expect(await ask('')).toEqual([401, text, 'unauthorized permission requested']);
  expect(await ask(`key=${ada.key}`)).toEqual([401, text, 'missing scopes']);
  expect(await ask(`key=nope&token=${ada.token}`)).toEqual([401, text, 'invalid key']);
  expect(await ask(`token=${ada.token}`)).toEqual([401, text, 'invalid key']);
  expect(await ask(`key=${ada.key}&token=nope`)).toEqual([401, text, 'invalid token']);
  expect(await ask(`key=${ada.key}&token=${ben.token}`)).toEqual([401, text, 'invalid token']);
  await bench.control('tokens', { expire: true, user: 'ada' });
  expect(await ask(`key=${ada.key}&token=${ada.token}`)).toEqual([401, text, 'expired token']);
});

test('key and token come in the header, the query or the body', async () => {
  await using bench = await testBoard();
  const { key, token } = bench.board.credentials();
  const list = firstList(bench);
  expect((await bench.call('GET', '/1/members/me')).status).toBe(200);
  expect((await bench.raw('GET', `/1/members/me?key=${key}&token=${token}`)).status).toBe(200);
  expect((await bench.raw('POST', '/1/cards', { key, token, idList: list })).status).toBe(200);
  expect((await bench.raw('POST', '/1/cards', undefined, { form: { key, token, idList: list } })).status).toBe(200);
});

test('a public board answers without credentials', async () => {
  await using bench = await testBoard();
  const open = bench.board.newBoard({ prefs: { permissionLevel: 'public' } });
  expect((await bench.raw('GET', `/1/boards/${open.id}`)).status).toBe(200);
  expect((await bench.raw('PUT', `/1/boards/${open.id}`, { name: 'Mine' })).status).toBe(401);
});

test('ids are ObjectIds that sort by time', async () => {
  await using bench = await testBoard();
  const list = firstList(bench);
  const first = await bench.make('POST', '/1/cards', { idList: list });
  await bench.control('clock', { advanceMs: 5000 });
  const second = await bench.make('POST', '/1/cards', { idList: list });
  await bench.control('clock', { advanceMs: -60_000 });
  const third = await bench.make('POST', '/1/cards', { idList: list });
  expect([first.id, second.id, third.id].toSorted()).toEqual([first.id, second.id, third.id]);
  expect(bornAt(second.id) - bornAt(first.id)).toBeGreaterThanOrEqual(5000);
});

test('one action per field, and listBefore and listAfter without list for a move', async () => {
  await using bench = await testBoard();
  const [from, to] = bench.board.lists();
  const card = bench.board.newCard({ ...(from ? { list: from } : {}), name: 'Old' });
  const before = bench.board.actions().length;
  const changes = { name: 'New', desc: 'Text', due: '2030-01-01', dueComplete: true, idList: to?.id, pos: 'top' };
  await bench.make('PUT', `/1/cards/${card.id}`, changes);
  const made = bench.board.actions().slice(before);
  expect(made.every(({ type }) => type === 'updateCard')).toBe(true);
  const keys = made.map(({ data }) => Object.keys(data['old'] as object));
  expect(keys).toEqual([['name'], ['desc'], ['due'], ['dueComplete'], ['idList']]);
  const move = made.at(-1)?.data ?? {};
  expect(move).toMatchObject({ listBefore: { id: from?.id }, listAfter: { id: to?.id }, card: { idList: to?.id } });
  expect(move).not.toHaveProperty('list');
});

test('the due-before-create order', async () => {
  await using bench = await testBoard();
  const before = bench.board.actions().length;
  const me = bench.board.member().id;
  await bench.make('POST', '/1/cards', { idList: firstList(bench), due: '2030-01-01', idMembers: [me] });
  expect(bench.typesSince(before)).toEqual(['updateCard', 'addMemberToCard', 'createCard']);
  expect(bench.board.actions()[before]?.data['old']).toEqual({ due: null });
});

test('a copied card tells its parts, then copyCard, then its members once more', async () => {
  await using bench = await testBoard();
  const source = bench.board.newCard({ due: '2030-01-01T00:00:00.000Z', idMembers: [bench.board.member().id] });
  const comment = bench.board.comment(source, 'Remember');
  const before = bench.board.actions().length;
  await bench.control('clock', { advanceMs: 60_000 });
  await bench.make('POST', '/1/cards', { idList: source.idList, idCardSource: source.id });
  const made = bench.board.actions().slice(before);
  const types = ['updateCard', 'addMemberToCard', 'copyCommentCard', 'copyCard', 'addMemberToCard'];
  expect(made.map(({ type }) => type)).toEqual(types);
  expect(made[2]?.date).toBe(comment.date);
  expect(made[4]?.data['fromCopy']).toBe(true);
});

test('a new board in a workspace emits createBoard then addToOrganizationBoard; a copy emits copyBoard instead', async () => {
  await using bench = await testBoard();
  const before = bench.board.actions().length;
  const made = await bench.make('POST', '/1/boards', { name: 'One' });
  expect(bench.typesSince(before)).toEqual(['createBoard', 'addToOrganizationBoard']);
  const middle = bench.board.actions().length;
  await bench.make('POST', '/1/boards', { name: 'Two', idBoardSource: made.id });
  expect(bench.typesSince(middle)).toEqual(['copyBoard', 'addToOrganizationBoard']);
});

test('{"_value":null} and {"limits":{}} each where it belongs', async () => {
  await using bench = await testBoard();
  const { board } = bench;
  const card = board.newCard();
  const [label] = board.labels();
  const comment = board.comment(card, 'Hm');
  const checklist = board.newChecklist(card);
  const link = await bench.make('POST', `/1/cards/${card.id}/attachments`, { url: 'https://example.com/' });
  await bench.make('POST', `/1/cards/${card.id}/idLabels`, { value: label?.id });
  const empty = { _value: null };
  const limits = { limits: {} };
  const gone = (path: string) => bench.make('DELETE', path);
  expect(await gone(`/1/cards/${card.id}/idLabels/${label?.id}`)).toEqual(empty);
  expect(await gone(`/1/cards/${card.id}/actions/${comment.id}/comments`)).toEqual(empty);
  expect(await gone(`/1/cards/${card.id}/attachments/${link.id}`)).toEqual(limits);
  expect(await gone(`/1/checklists/${checklist.id}`)).toEqual(limits);
  expect(await gone(`/1/labels/${label?.id}`)).toEqual(limits);
  expect(await gone(`/1/cards/${card.id}`)).toEqual(limits);
  expect(await gone(`/1/boards/${board.newBoard().id}`)).toEqual(empty);
});

test('rate headers on every answer', async () => {
  await using bench = await testBoard();
  const { headers } = await bench.call('GET', '/1/members/me');
  expect(headers.get('x-rate-limit-api-key-interval-ms')).toBe('10000');
  expect(headers.get('x-rate-limit-api-key-max')).toBe('300');
  expect(headers.get('x-rate-limit-api-token-max')).toBe('100');
  expect(headers.get('x-rate-limit-api-token-remaining')).toBe('99');
  expect(headers.get('x-rate-limit-db-query-time-max')).toBe('7200000');
  expect(
    (await bench.call('GET', '/1/cards/5abbe4b7ddc1b351ef961414')).headers.get('x-rate-limit-api-token-remaining'),
  ).toBe('98');
});

test('429 bodies of token and key, and the penalty after 200 refusals', async () => {
  await using bench = await testBoard();
  const path = `/1/lists/${firstList(bench)}?fields=name`;
  const limited = (code: string) => [429, json, JSON.stringify({ message: 'Rate limit exceeded', error: code })];
  const last = async (count: number) => {
    let reply = await bench.call('GET', path);
    for (let n = 1; n < count; n++) reply = await bench.call('GET', path);
    return words(reply);
  };
  expect((await last(100))[0]).toBe(200);
  expect(await last(1)).toEqual(limited('API_TOKEN_LIMIT_EXCEEDED'));
  expect(await last(199)).toEqual(limited('API_TOKEN_LIMIT_EXCEEDED'));
  expect(await last(2)).toEqual(limited('API_KEY_LIMIT_EXCEEDED'));
  await bench.control('clock', { advanceMs: 10_000 });
  expect((await last(1))[0]).toBe(200);
  await bench.control('limits', { perKey: 1 });
  expect((await last(1))[0]).toBe(200);
  expect(await last(1)).toEqual(limited('API_KEY_LIMIT_EXCEEDED'));
});

test('the member routes have a limit of their own: 100 in 900 s', async () => {
  await using bench = await testBoard();
  await bench.control('limits', { perMemberRoutes: 2 });
  const ask = () => bench.call('GET', '/1/members/me?fields=id');
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
  expect(words(await ask())).toEqual([429, json, error('Exceeded rate limit to /1/member', 'RATE_LIMIT_EXCEEDED')]);
  await bench.control('clock', { advanceMs: 900_000 });
  expect((await ask()).status).toBe(200);
});

test('excluded types are absent from GET actions', async () => {
  await using bench = await testBoard();
  const { board } = bench;
  const card = board.newCard();
  const [label] = board.labels();
  const before = board.actions().length;
  await bench.make('POST', `/1/cards/${card.id}/idLabels`, { value: label?.id });
  const comment = await bench.make('POST', `/1/cards/${card.id}/actions/comments`, { text: 'One' });
  await bench.make('PUT', `/1/actions/${comment.id}`, { text: 'Two' });
  const checklist = await bench.make('POST', '/1/checklists', { idCard: card.id });
  await bench.make('POST', `/1/checklists/${checklist.id}/checkItems`, { name: 'Item' });
  expect(bench.typesSince(before)).toEqual([
    'addLabelToCard',
    'commentCard',
    'updateComment',
    'addChecklistToCard',
    'createCheckItem',
  ]);
  const told = await bench.list('GET', `/1/cards/${card.id}/actions?filter=all`);
  expect(told.map(({ type }) => type)).toEqual(['addChecklistToCard', 'commentCard', 'createCard']);
});

test('bulk cards have null checkItemStates, a single card an empty array', async () => {
  await using bench = await testBoard();
  const card = bench.board.newCard({ name: 'Plain' });
  const bulk = await bench.list('GET', `/1/lists/${card.idList}/cards`);
  expect(bulk.find(({ id }) => id === card.id)?.['checkItemStates']).toBeNull();
  expect((await bench.make('GET', `/1/cards/${card.id}`))['checkItemStates']).toEqual([]);
});

test('labels stop at 50 unless more are asked for', async () => {
  await using bench = await testBoard();
  const board = bench.board.newBoard({ defaultLabels: false });
  for (let n = 0; n < 60; n++) bench.board.newLabel({ board });
  expect(await bench.list('GET', `/1/boards/${board.id}/labels`)).toHaveLength(50);
  expect(await bench.list('GET', `/1/boards/${board.id}/labels?limit=1000`)).toHaveLength(60);
});

test('members/me/boards includes closed boards', async () => {
  await using bench = await testBoard();
  const board = bench.board.newBoard();
  await bench.make('PUT', `/1/boards/${board.id}`, { closed: true });
  const ids = async (query: string): Promise<string[]> =>
    (await bench.list('GET', `/1/members/me/boards${query}`)).map((one: Thing) => one.id);
  expect(await ids('')).toContain(board.id);
  expect(await ids('?filter=open')).not.toContain(board.id);
});
