import { beforeEach, describe, expect, test } from 'vitest';
import { boardSteps } from '../../../../test/board-steps.ts';

const scene = boardSteps();
const { call, run, label } = scene;

let list: { id: string; idBoard: string; name: string };
beforeEach(() => {
  list = scene.bench.board.newList();
});

describe('get_card', () => {
  test('tells times in both forms, on the clock that is asked for', async () => {
    const card = scene.bench.board.newCard({ due: '2027-07-01T10:00:00.000Z' });
    scene.bench.board.comment(card, 'Hello');
    const output = await run('get_card', { cardId: card.id, include: ['comments'], timeZone: 'Asia/Kolkata' });
    const clock = { timeZone: 'Asia/Kolkata' };
    expect(output.due).toEqual({ utc: '2027-07-01T10:00:00.000Z', local: '2027-07-01T15:30:00', ...clock });
    expect([output.dateLastActivity, output.comments[0].createdAt]).toMatchObject([clock, clock]);
    const listed = await run('get_list_cards', { list: card.idList, fields: ['due'] });
    expect(listed.items).toContainEqual({
      id: card.id,
      due: { utc: '2027-07-01T10:00:00.000Z', local: '2027-07-01T10:00:00', timeZone: 'UTC' },
    });
  });

  test('tells what is included, cut to size, and where to go on', async () => {
    const card = scene.bench.board.newCard({
      name: 'Read me',
      desc: 'x'.repeat(6_000),
      idMembers: [scene.bench.board.member('ben').id],
    });
    scene.bench.board.newChecklist(card, { name: 'Todo' });
    for (let at = 1; at <= 4; at += 1) scene.bench.board.comment(card, `Comment ${at}`);
    const include = ['checklists', 'comments', 'members', 'list', 'board', 'attachments', 'customFields'];
    const output = await run('get_card', {
      cardId: `https://trello.com/c/${card.shortLink}/7-read-me`,
      include,
      maxComments: 3,
    });
    expect(output).toMatchObject({
      id: card.id,
      descTruncated: true,
      descLength: 6_000,
      commentCount: 4,
      members: [{ username: 'ben' }],
      checklists: [{ name: 'Todo', items: [] }],
      board: { name: 'Launch' },
      attachments: [],
      customFields: [],
      truncated: true,
    });
    expect(output.desc).toHaveLength(5_001);
    expect(output.comments.map(({ text }: { text: string }) => text)).toEqual(['Comment 4', 'Comment 3', 'Comment 2']);
    const rest = await run('get_comments', { cardId: card.id, cursor: output.commentsNextCursor });
    expect(rest).toMatchObject({ items: [{ text: 'Comment 1', author: { username: 'ada' } }], truncated: false });
    const copy = await run('create_card', { idList: card.idList, name: 'Copy', copyFrom: card.id });
    const copied = await run('get_card', { cardId: copy.id, include: ['comments'] });
    expect(copied).toMatchObject({ commentCount: 4, comments: expect.arrayContaining([expect.anything()]) });
    const { items } = await run('get_comments', { cardId: copy.id });
    expect(items.map(({ text }: { text: string }) => text).toSorted()).toEqual(
      [1, 2, 3, 4].map((at) => `Comment ${at}`),
    );
    const other = { cardId: scene.bench.board.newCard().id, cursor: output.commentsNextCursor };
    expect((await call('get_comments', other)).error.message).toContain('of another list');
  });

  test('is one text if that is wanted', async () => {
    const card = scene.bench.board.newCard({ due: '2026-12-24T03:00:00Z' });
    for (const text of ['One', 'Two']) await run('add_comment', { cardId: card.id, text });
    const asked = { cardId: card.id, format: 'markdown', timeZone: 'America/New_York' };
    const { markdown, desc, ...rest } = await run('get_card', {
      ...asked,
      include: ['list', 'board', 'comments'],
      maxComments: 1,
    });
    expect(markdown).toMatch(new RegExp(`^# ${card.name}\n\n- Board: Launch\n- List: To do`));
    expect(markdown).toContain('- Due: 2026-12-23T22:00:00 (America/New_York)');
    expect(markdown).toMatch(/\*\*Ada Marsh\*\*, [-\dT:]+ \(America\/New_York\):\nTwo/);
    expect(rest).toMatchObject({ truncated: true, commentsNextCursor: expect.any(String) });
    expect(desc).toBeUndefined();
  });

  test('finds a card by its exact name on a board, and says when there is none', async () => {
    const card = scene.bench.board.newCard({ name: 'Only one of its kind' });
    expect((await run('get_card', { cardId: 'only one of its kind', board: 'Launch' })).id).toBe(card.id);
    const { error } = await call('get_card', { cardId: 'Nowhere to be found', board: 'Launch' });
    expect([error.code, error.message]).toEqual(['invalid_input', expect.stringMatching(/Search Cards lists/)]);
    expect((await call('get_card', { cardId: 'Only one of its kind' })).error.message).toMatch(/give its board/);
  });
});

test('archive_card archives, brings back, and says whether that changed anything', async () => {
  const card = scene.bench.board.newCard();
  expect(await run('archive_card', { cardId: card.id })).toEqual({ cardId: card.id, closed: true, changed: true });
  expect(await run('archive_card', { cardId: card.id })).toMatchObject({ changed: false });
  expect(await run('archive_card', { cardId: card.id, archived: false })).toMatchObject({
    closed: false,
    changed: true,
  });
  expect(scene.bench.board.card(card.id)?.closed).toBe(false);
});

test('move_card moves by name, within its list, on its board and to another', async () => {
  const card = scene.bench.board.newCard({ list: scene.bench.board.newList({ name: 'Start' }) });
  const other = scene.bench.board.newBoard({ name: 'Elsewhere' });
  const there = scene.bench.board.newList({ board: other, name: 'There' });
  const first = await run('move_card', { cardId: card.id, list: list.name, pos: 'top' });
  expect(first).toMatchObject({ idList: list.id, moved: true, from: { idBoard: card.idBoard } });
  scene.bench.board.newCard({ list: scene.bench.board.world.lists.get(list.id) } as never);
  const again = { cardId: card.id, list: list.id };
  expect(await run('move_card', again)).toMatchObject({ pos: first.pos, moved: false });
  expect(await run('move_card', { ...again, pos: 'bottom' })).toMatchObject({ idList: list.id, moved: true });
  const second = await run('move_card', { cardId: card.id, list: 'There', toBoard: 'Elsewhere' });
  expect(second).toMatchObject({ idList: there.id, idBoard: other.id, from: { idList: list.id } });
});

describe('get_list_cards', () => {
  test('pages from top to bottom, in few words', async () => {
    for (let at = 1; at <= 5; at += 1)
      scene.bench.board.newCard({
        list: scene.bench.board.world.lists.get(list.id),
        name: `C${at}`,
        desc: 'y'.repeat(500),
      } as never);
    const first = await run('get_list_cards', { list: list.id, limit: 2 });
    expect(first).toMatchObject({
      total: 5,
      truncated: true,
      items: [{ name: 'C1', descTruncated: true }, { name: 'C2' }],
    });
    const full = await run('get_list_cards', { list: list.id, limit: 1, view: 'full' });
    expect(full.items[0]).toMatchObject({ desc: 'y'.repeat(500) });
    expect(full.items[0]).not.toHaveProperty('descTruncated');
    const second = await run('get_list_cards', {
      list: list.id,
      limit: 2,
      cursor: first.nextCursor,
      fields: ['name'],
    });
    expect(second.items).toEqual([
      { id: expect.any(String), name: 'C3' },
      { id: expect.any(String), name: 'C4' },
    ]);
    const { output: third, summary } = await call('get_list_cards', { list: list.id, cursor: second.nextCursor });
    expect(summary).toBe('Found 5 cards; these are 1 of them.');
    expect([third.items.length, third.nextCursor, third.truncated]).toEqual([1, undefined, false]);
    for (const [step, input] of [
      ['get_list_cards', { list: list.id, filter: 'all' }],
      ['get_list_cards', { list: scene.bench.board.newList().id }],
      ['get_boards', {}],
    ] as const) {
      const { status, error } = await call(step, { ...input, cursor: first.nextCursor });
      expect([step, status, error.details.fields[0].field]).toEqual([step, 400, 'input.cursor']);
      expect(error.message).toContain('of another list');
    }
  });

  test('filters by label, member, due date, completion, change and archive', async () => {
    const home = scene.bench.board.world.lists.get(list.id);
    const make = (name: string, more: object) =>
      scene.bench.board.newCard({ name, ...more, ...(home && { list: home }) });
    const day = 86_400_000;
    const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();
    make('late', { due: inDays(-1) });
    make('soon', { due: inDays(2), idLabels: [label('Urgent')] });
    make('far', { due: inDays(30), dueComplete: true, idMembers: [scene.bench.board.member('ben').id] });
    scene.bench.board.changeCard(make('gone', {}), { closed: true });
    const names = async (input: object) =>
      (await run('get_list_cards', { list: list.id, ...input })).items.map(({ name }: { name: string }) => name);
    expect(await names({})).toEqual(['late', 'soon', 'far']);
    expect(await names({ filter: 'closed' })).toEqual(['gone']);
    expect(await names({ filter: 'all', due: 'none' })).toEqual(['gone']);
    expect(await names({ due: 'overdue' })).toEqual(['late']);
    expect(await names({ due: 'next' })).toEqual(['soon']);
    expect(await names({ complete: true })).toEqual(['far']);
    expect(await names({ labels: ['Urgent'] })).toEqual(['soon']);
    const ben = { id: scene.bench.board.member('ben').id, username: 'ben', fullName: 'Ben Okafor' };
    const mine = await run('get_list_cards', { list: list.id, members: ['ben'], fields: ['name', 'members'] });
    expect(mine.items).toEqual([{ id: expect.any(String), name: 'far', members: [ben] }]);
    expect((await run('search_cards', { query: `list:"${list.name}" member:ben` })).items[0].members).toEqual([ben]);
    expect(await names({ updatedSince: new Date(Date.now() + day).toISOString() })).toEqual([]);
    for (const [query, found] of [
      ['due:overdue', ['late']],
      ['due:week', ['soon']],
      ['due:complete member:ben', ['far']],
    ] as const) {
      const { items } = await run('search_cards', { query: `list:"${list.name}" ${query}` });
      expect(items.map(({ name }: { name: string }) => name)).toEqual(found);
    }
  });
});

test.each([
  ['label:Nonsense', [/^This board has no label "Nonsense"; there is "Urgent", /]],
  ['list:"No such" zebra', [/^This board has no list "No such"; there is "/]],
  ['@nobody label:red', [/^This board has no member "nobody"; there is "@ada", /]],
  ['assignee:ben', [/"assignee:" is not an operator of a search; these are: .*label:, list:, member:/]],
  ['-label:Nonsense https://a.test/zzz 10:30', []],
  ['label:Urgent zzz', []],
])('search_cards %j that finds nothing says what is not there', async (query, told) => {
  const { warnings } = await call('search_cards', { query, boards: ['Launch'] });
  expect(warnings ?? []).toEqual(told.map((each) => expect.stringMatching(each)));
});

test('search_cards finds words on chosen boards, open cards unless asked, page by page', async () => {
  const card = scene.bench.board.newCard({ name: 'Zebrafish one', desc: 'y'.repeat(500) });
  scene.bench.board.newCard({ name: 'Zebrafish two' });
  scene.bench.board.changeCard(scene.bench.board.newCard({ name: 'Zebrafish three' }), { closed: true });
  const first = await run('search_cards', { query: 'zebra', boards: ['Launch'], limit: 1 });
  expect(first).toMatchObject({ items: [{ id: card.id, descTruncated: true }], truncated: true });
  const full = await run('search_cards', { query: 'zebra', boards: ['Launch'], limit: 1, view: 'full' });
  expect(full.items).toMatchObject([{ desc: card.desc }]);
  const second = await run('search_cards', { query: 'zebra', boards: ['Launch'], limit: 1, cursor: first.nextCursor });
  expect(second.items).toMatchObject([{ name: 'Zebrafish two' }]);
  const wider = { query: 'zebra', boards: ['Launch'], limit: 5, cursor: first.nextCursor };
  expect((await call('search_cards', wider)).error.message).toContain('limit of the call that gave this cursor: 1');
  expect((await run('search_cards', { query: 'zebrafish', includeArchived: true })).items).toHaveLength(3);
});
