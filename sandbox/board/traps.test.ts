import { expect, test } from 'vitest';
import type { Action } from './model.ts';
import { type TestBoard, testBoard } from './test-board.ts';
import { displayOf } from './views/display.ts';

const madeSince = ({ board }: TestBoard, count: number): readonly Action[] => board.actions().slice(count);
const keysOf = (bench: TestBoard, count: number): string[] =>
  madeSince(bench, count).map(
    (action) => displayOf(action, { world: bench.board.world, idMember: null }).translationKey,
  );

test('updateCard is rename, move, archive, reorder and due: data.old and the display tell which', async () => {
  await using bench = await testBoard();
  const [from, to] = bench.board.lists();
  const card = bench.board.newCard(from ? { list: from } : {});
  const before = bench.board.actions().length;
  const put = (body: unknown) => bench.make('PUT', `/1/cards/${card.id}`, body);
  await put({ name: 'Other' });
  await put({ desc: 'Words' });
  await put({ idList: to?.id });
  await put({ pos: 'top' });
  await put({ due: '2030-01-01' });
  await put({ due: '2030-02-01' });
  await put({ dueComplete: true });
  await put({ dueComplete: false });
  await put({ due: null });
  await put({ closed: true });
  await put({ closed: false });
  await put({ cover: { color: 'red' } });
  expect(keysOf(bench, before)).toEqual([
    'action_renamed_card',
    'action_changed_description_of_card',
    'action_move_card_from_list_to_list',
    'action_moved_card_higher',
    'action_added_a_due_date',
    'action_changed_a_due_date',
    'action_marked_the_due_date_complete',
    'action_marked_the_due_date_incomplete',
    'action_removed_a_due_date',
    'action_archived_card',
    'action_sent_card_to_board',
    'unknown',
  ]);
  expect(madeSince(bench, before).every(({ data }) => Object.keys(data['old'] as object).length === 1)).toBe(true);
});

test('a multi-field PUT is several deliveries', async () => {
  await using bench = await testBoard();
  const hook = await bench.listen();
  await bench.make('POST', '/1/webhooks', { callbackURL: hook.url, idModel: bench.board.launch().id });
  const [card] = bench.board.cardsIn(bench.board.lists()[0]?.id ?? '');
  await bench.make('PUT', `/1/cards/${card?.id}`, { name: 'A', desc: 'B', due: '2031-01-01' });
  const posts = await hook.until(3);
  expect(new Set(posts.map(({ body }) => body.action.id)).size).toBe(3);
});

test('notifications come newest first, and data.card may be missing', async () => {
  await using bench = await testBoard();
  const board = bench.board.newBoard();
  await bench.make('PUT', `/1/boards/${board.id}/members`, { email: 'ben@sandbox.test' });
  const card = bench.board.newCard();
  bench.board.comment(card, 'Look @ben');
  const [newest, older] = await bench.list('GET', '/1/members/me/notifications', 'ben');
  expect([newest?.['type'], older?.['type']]).toEqual(['mentionedOnCard', 'addedToBoard']);
  expect(older?.['data']).not.toHaveProperty('card');
  const later = await bench.list('GET', `/1/members/me/notifications?since=${older?.id}`, 'ben');
  expect(later.map(({ id }) => id)).toEqual([newest?.id]);
  await bench.make('PUT', `/1/notifications/${newest?.id}`, { unread: false }, 'ben');
  const unread = await bench.list('GET', '/1/members/me/notifications?read_filter=unread', 'ben');
  expect(unread.map(({ id }) => id)).not.toContain(newest?.id);
});

test('nobody is notified of the own actions', async () => {
  await using bench = await testBoard();
  const before = bench.board.notifications('ada').length;
  const card = bench.board.newCard({ idMembers: [bench.board.member().id] });
  bench.board.comment(card, 'Note to @ada');
  expect(bench.board.notifications('ada').length).toBe(before);
});

test('board ids copied from URLs are shortLinks: accepted in the path, not in the body', async () => {
  await using bench = await testBoard();
  const { shortLink, id } = bench.board.launch();
  expect((await bench.make('GET', `/1/boards/${shortLink}`)).id).toBe(id);
  const [card] = bench.board.cardsIn(bench.board.lists()[0]?.id ?? '');
  expect((await bench.make('GET', `/1/cards/${card?.shortLink}`)).id).toBe(card?.id);
  expect((await bench.call('POST', '/1/lists', { name: 'x', idBoard: shortLink })).text).toBe(
    'invalid value for idBoard',
  );
  expect((await bench.call('PUT', `/1/cards/${card?.id}`, { idBoard: shortLink })).text).toBe(
    'invalid value for idBoard',
  );
});

test('PUT idLabels and idMembers replace the whole set, and duplicates are refused', async () => {
  await using bench = await testBoard();
  const [one, two] = bench.board.labels();
  const card = bench.board.newCard({ idLabels: one ? [one.id] : [] });
  const put = (body: unknown) => bench.call('PUT', `/1/cards/${card.id}`, body);
  const before = bench.board.actions().length;
  expect((await put({ idLabels: [two?.id] })).body).toMatchObject({ idLabels: [two?.id] });
  expect(bench.typesSince(before)).toEqual(['removeLabelFromCard', 'addLabelToCard']);
  expect((await put({ idLabels: `${one?.id},${one?.id}` })).text).toContain('label not found');
  const [ada, ben] = [bench.board.member(), bench.board.member('ben')];
  expect((await put({ idMembers: [ada.id, ben.id] })).body).toMatchObject({ idMembers: [ada.id, ben.id] });
  expect((await put({ idMembers: '' })).body).toMatchObject({ idMembers: [] });
});

test('visible hides cards on archived lists, open does not', async () => {
  await using bench = await testBoard();
  const board = bench.board.launch();
  const list = bench.board.newList();
  const card = bench.board.newCard({ list });
  const before = bench.board.actions().length;
  await bench.make('PUT', `/1/lists/${list.id}/closed`, { value: true });
  // The list alone is told of; its cards stay open.
  expect(bench.typesSince(before)).toEqual(['updateList']);
  const has = async (filter: string): Promise<boolean> =>
    (await bench.list('GET', `/1/boards/${board.id}/cards/${filter}`)).some(({ id }) => id === card.id);
  expect([await has('visible'), await has('open'), await has('closed'), await has('all')]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});

test('a 404 can also mean a wrong route, and a 4xx body is not always JSON', async () => {
  await using bench = await testBoard();
  const route = await bench.call('POST', '/1/boards/abc/def/ghi');
  expect([route.status, route.type, route.text]).toEqual([404, 'text/plain', 'Cannot POST /1/boards/abc/def/ghi']);
});

test('401 on one object may be missing permission while the token is fine', async () => {
  await using bench = await testBoard();
  const board = bench.board.newBoard({ as: 'ben' });
  expect((await bench.call('GET', `/1/boards/${board.id}`)).status).toBe(401);
  expect((await bench.call('GET', '/1/members/me')).status).toBe(200);
});

test('re-reading a card after deleteCard gives 404, and the payload has no name', async () => {
  await using bench = await testBoard();
  const card = bench.board.newCard();
  await bench.make('DELETE', `/1/cards/${card.id}`);
  const { id, idShort, shortLink } = card;
  expect(bench.board.actions().at(-1)).toMatchObject({
    type: 'deleteCard',
    data: { card: { id, idShort, shortLink } },
  });
  expect(bench.board.actions().at(-1)?.data['card']).not.toHaveProperty('name');
  for (const path of ['', '/actions', '/checklists', '/name']) {
    expect((await bench.call('GET', `/1/cards/${card.id}${path}`)).status).toBe(404);
  }
});

test('due dates are lenient on the way in and UTC with milliseconds on the way out', async () => {
  await using bench = await testBoard();
  const card = bench.board.newCard();
  const set = async (due: unknown) => (await bench.make('PUT', `/1/cards/${card.id}`, { due }))['due'];
  expect(await set('2030-05-01')).toBe('2030-05-01T00:00:00.000Z');
  expect(await set('2030-05-01 10:30')).toBe('2030-05-01T10:30:00.000Z');
  expect(await set('2030-05-01T10:30:00+02:00')).toBe('2030-05-01T08:30:00.000Z');
  expect(await set(1_900_000_000_000)).toBe('2030-03-17T17:46:40.000Z');
  expect(await set(null)).toBeNull();
  expect((await bench.call('PUT', `/1/cards/${card.id}`, { due: 'whenever' })).status).toBe(400);
});

test('comment edits arrive as updateComment with id and text in data.action', async () => {
  await using bench = await testBoard();
  const card = bench.board.newCard();
  const comment = bench.board.comment(card, 'First');
  const before = bench.board.actions().length;
  await bench.make('PUT', `/1/cards/${card.id}/actions/${comment.id}/comments`, { text: 'Second' });
  await bench.make('DELETE', `/1/actions/${comment.id}`);
  const [edited, deleted] = madeSince(bench, before);
  expect(edited).toMatchObject({
    type: 'updateComment',
    data: { action: { id: comment.id, text: 'Second' }, old: { text: 'First' } },
  });
  expect(deleted).toMatchObject({ type: 'deleteComment', data: { action: { id: comment.id } } });
  const foreign = bench.board.comment(card, 'Of ben', 'ben');
  expect((await bench.call('PUT', `/1/actions/${foreign.id}`, { text: 'Mine now' })).status).toBe(401);
});

test('POSTs are not idempotent: the same request makes a second card', async () => {
  await using bench = await testBoard();
  const idList = bench.board.newList().id;
  const headers = { 'idempotency-key': 'once' };
  for (let n = 0; n < 2; n++) await bench.call('POST', '/1/cards', { idList, name: 'Twin' }, { headers });
  expect(bench.board.cardsIn(idList).map(({ name }) => name)).toEqual(['Twin', 'Twin']);
});

test('uploaded files need the Authorization header, not query credentials', async () => {
  await using bench = await testBoard();
  const card = bench.board.newCard();
  const multipart = new FormData();
  multipart.append('file', new Blob(['a,b\n1,2\n'], { type: 'text/csv' }), 'numbers of may.csv');
  multipart.append('setCover', 'false');
  const made = await bench.call('POST', `/1/cards/${card.id}/attachments`, undefined, { multipart });
  expect(made.body).toMatchObject({ bytes: 8, isUpload: true, mimeType: 'text/csv', fileName: 'numbers_of_may.csv' });
  const path = (made.body as { url: string }).url.replace(bench.board.url, '');
  const { key, token } = bench.board.credentials();
  expect((await bench.call('GET', path)).text).toBe('a,b\n1,2\n');
  expect((await bench.raw('GET', `${path}?key=${key}&token=${token}`)).status).toBe(401);
  expect((await bench.raw('GET', path)).status).toBe(401);
  const before = bench.board.actions().at(-1);
  expect(before).toMatchObject({ type: 'addAttachmentToCard' });
  expect(before?.data).not.toHaveProperty('list');
});

test('a card moved to another board is told as moveCardFromBoard and moveCardToBoard', async () => {
  await using bench = await testBoard();
  const target = bench.board.newBoard();
  const [label] = bench.board.labels();
  const card = bench.board.newCard({ idLabels: label ? [label.id] : [] });
  const before = bench.board.actions().length;
  const moved = await bench.make('PUT', `/1/cards/${card.id}`, { idBoard: target.id });
  expect(bench.typesSince(before)).toEqual(['moveCardFromBoard', 'moveCardToBoard']);
  expect(moved).toMatchObject({ idBoard: target.id, labels: [{ name: label?.name, idBoard: target.id }] });
});

test('positions: top halves, bottom adds 16384, new lists sit near 2^47', async () => {
  await using bench = await testBoard();
  const board = bench.board.newBoard({ defaultLists: false });
  const add = async (pos?: string) =>
    (await bench.make('POST', '/1/lists', { name: 'L', idBoard: board.id, pos }))['pos'];
  expect([await add(), await add()]).toEqual([140737488338944, 140737488322560]);
  const idList = bench.board.lists(board)[0]?.id;
  const card = async (pos: unknown) => (await bench.make('POST', '/1/cards', { idList, pos }))['pos'];
  expect([await card('top'), await card('top'), await card('bottom'), await card(77.5), await card('')]).toEqual([
    16384, 8192, 32768, 77.5, 38.75,
  ]);
  expect((await bench.call('POST', '/1/cards', { idList, pos: 'sideways' })).status).toBe(400);
});

test('fields, nested resources and field endpoints tell what is asked, and always the id', async () => {
  await using bench = await testBoard();
  const board = bench.board.launch();
  const query =
    'fields=name&lists=open&list_fields=name&cards=visible&card_fields=name&members=all&member_fields=username';
  const told = await bench.make('GET', `/1/boards/${board.id}?${query}`);
  expect(Object.keys(told)).toEqual(['id', 'name', 'lists', 'cards', 'members']);
  expect(told['lists']).toHaveLength(3);
  expect(told['cards']).toHaveLength(12);
  const [first] = told['cards'] as object[];
  expect(Object.keys(first ?? {})).toEqual(['id', 'name']);
  expect(await bench.make('GET', `/1/boards/${board.id}/name`)).toEqual({ _value: 'Launch' });
  const card = bench.board.newCard();
  expect((await bench.make('PUT', `/1/cards/${card.id}/name`, { value: 'By field' }))['name']).toBe('By field');
  const nested = await bench.make(
    'GET',
    `/1/cards/${card.id}?fields=name&members=true&checklists=all&actions=all&board=true`,
  );
  expect(Object.keys(nested)).toEqual(['id', 'name', 'board', 'members', 'checklists', 'actions']);
});

test('a batch answers each route with its status as the only key', async () => {
  await using bench = await testBoard();
  const { id } = bench.board.launch();
  const inner = encodeURIComponent('/boards/zz');
  const urls = `/boards/${id}?fields=name%2Cdesc,/members/me?fields=username,${decodeURIComponent(inner)}`;
  const reply = await bench.call('GET', `/1/batch?urls=${encodeURIComponent(urls)}`);
  expect(reply.body).toMatchObject([
    { 200: { name: 'Launch' } },
    { 200: { username: 'ada' } },
    { 400: expect.anything() },
  ]);
  const many = Array.from({ length: 11 }, () => '/members/me').join(',');
  expect((await bench.call('GET', `/1/batch?urls=${many}`)).status).toBe(400);
});
