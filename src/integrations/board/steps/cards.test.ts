import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Workbench, workbench } from '#test';

let bench: Workbench;
let accountId: string;
let list: { id: string; idBoard: string; name: string };

beforeAll(async () => {
  bench = await workbench();
  bench.board.limits.off = true;
  accountId = await bench.connectBoard();
});
afterAll(() => bench[Symbol.asyncDispose]());
beforeEach(() => {
  list = bench.board.newList();
});

const call = async (step: string, input: unknown) => {
  const { status, body } = await bench.owned('POST', `/v1/steps/board.${step}/run`, { accountId, input });
  return { ...body, status };
};
const run = async (step: string, input: unknown) => {
  const answer = await call(step, input);
  expect(answer).toMatchObject({ status: 200 });
  return answer.output;
};
const label = (name: string) => bench.board.labels().find((one) => one.name === name)?.id ?? '';

describe('create_card', () => {
  test('a list by its name without a board is refused with the boards that there are', async () => {
    const { error } = await call('create_card', { list: list.name, name: 'Nowhere' });
    const { id, name } = bench.board.launch();
    expect(error.details.fields.map(({ field }: { field: string }) => field)).toEqual(['input.list', 'input.board']);
    expect(error.details.candidates).toContainEqual(expect.objectContaining({ id, name }));
  });

  test('makes a card with all its parts, looked up by name', async () => {
    const board = bench.board.launch();
    bench.board.newCard({ name: 'Source', desc: 'From the source' });
    const { output, warnings } = await call('create_card', {
      board: 'launch',
      list: list.name,
      name: 'Whole',
      desc: 'd'.repeat(300),
      due: '2027-01-05T09:00',
      start: '2027-01-04',
      timeZone: 'Europe/Berlin',
      dueComplete: true,
      dueReminder: 60,
      idLabels: ['Urgent', 'urgent', label('Design'), 'Nonsense'],
      idMembers: ['ben', 'me'],
      attachments: [{ url: 'https://example.com/a', name: 'Plan' }],
      checklists: [{ name: 'Steps', items: ['One', { name: 'Two', checked: true, member: 'Ben Okafor' }] }],
      copyFrom: 'Source',
      keepFromSource: ['comments'],
    });
    expect(warnings).toEqual([
      expect.stringMatching(
        /^The board has no label “Nonsense”; there is “Urgent”, .*”\. The card was made without it\.$/,
      ),
    ]);
    expect(output).toMatchObject({
      created: true,
      idList: list.id,
      idBoard: board.id,
      due: { utc: '2027-01-05T08:00:00.000Z', local: '2027-01-05T09:00:00', timeZone: 'Europe/Berlin' },
      descTruncated: true,
    });
    expect(output.desc).toHaveLength(201);
    const card = bench.board.card(output.id);
    if (card === undefined) throw new Error('no card');
    expect(card).toMatchObject({
      name: 'Whole',
      dueComplete: true,
      dueReminder: 60,
      start: '2027-01-03T23:00:00.000Z',
    });
    expect(card.desc).toHaveLength(300);
    expect(card.idLabels).toEqual([label('Urgent'), label('Design')]);
    expect(card.idMembers).toEqual([bench.board.member('ben').id, bench.board.member('ada').id]);
    expect(card.attachments.map(({ name, url }) => [name, url])).toEqual([['Plan', 'https://example.com/a']]);
    const items = bench.board
      .checklistsOn(card)[0]
      ?.checkItems.map(({ name, state, idMember }) => [name, state, idMember]);
    expect(items).toEqual([
      ['One', 'incomplete', null],
      ['Two', 'complete', bench.board.member('ben').id],
    ]);
    const next = { cardId: card.id, name: 'Whole again', ifUnchangedSince: output.dateLastActivity.utc };
    expect((await run('update_card', next)).name).toBe('Whole again');
  });

  test('what is to be kept of a copy is refused where no card to copy is named', async () => {
    const { error } = await call('create_card', { idList: list.id, name: 'Alone', keepFromSource: ['labels'] });
    const fields = [{ field: 'input.copyFrom' }, { field: 'input.keepFromSource' }];
    expect(error).toMatchObject({ code: 'invalid_input', details: { fields } });
    expect(bench.board.cardsIn(list.id)).toEqual([]);
  });

  test.each([
    [404, 'look it up again.', ['There']],
    [403, '', ['There']],
    [401, 'again', []],
  ])('a part that is refused with %i is told beside the card, which is there', async (status, told, there) => {
    bench.board.control.faults.add({
      match: { method: 'POST', path: '/1/checklists' },
      kind: 'status',
      status,
      times: 1,
    });
    onTestFinished(() => bench.connectBoard().then(() => {}));
    const checklists = [{ name: 'Never' }, { name: 'There' }];
    const { output, warnings } = await call('create_card', { idList: list.id, name: 'Partly', checklists });
    expect(warnings[0]).toMatch(/^The checklist "Never" was not added: /);
    expect(warnings[0]).toContain(told);
    const card = bench.board.card(output.id);
    expect(card && bench.board.checklistsOn(card).map(({ name }) => name)).toEqual(there);
  });

  test.each([
    ['no list', {}, 'idList'],
    ['a list name without its board', { list: 'To do' }, 'board'],
    ['a local time without its zone', { idList: 'LIST', due: '2027-01-05T09:00' }, 'timeZone'],
    ['an attachment that is nothing', { idList: 'LIST', attachments: [{}] }, 'attachments[0].url'],
    ['a list the board does not have', { board: 'Launch', list: 'Nowhere' }, 'list'],
  ])('refuses %s before anything is written', async (_, input, field) => {
    const before = bench.board.actions().length;
    const given = JSON.parse(JSON.stringify({ name: 'x', ...input }).replace('LIST', list.id));
    const { status, error } = await call('create_card', given);
    expect([status, error.code]).toEqual([400, 'invalid_input']);
    expect(error.details.fields).toContainEqual({ field: `input.${field}`, message: error.message });
    expect(bench.board.actions()).toHaveLength(before);
  });

  test.each([
    ['create_card', 'name', { idList: 'x', name: ' \n' }],
    ['create_card', 'checklists[0].items[0]', { idList: 'x', name: 'x', checklists: [{ name: 'x', items: [' '] }] }],
    ['add_comment_to_card', 'text', { cardId: 'x', text: '\t' }],
    ['search_cards', 'query', { query: ' ' }],
  ])('%s refuses blanks alone as %s', async (step, field, input) => {
    const { error } = await call(step, input);
    expect(error.details.fields).toEqual([{ field: `input.${field}`, message: 'must not be blank' }]);
  });

  test('a list name that fits twice is refused with both', async () => {
    const twins = [bench.board.newList({ name: 'Twin' }), bench.board.newList({ name: 'Twin' })];
    const { error } = await call('create_card', { board: 'Launch', list: 'twin', name: 'x' });
    expect(error.message).toMatch(/2 lists are called "twin"/);
    expect(error.details.candidates.map(({ id }: { id: string }) => id)).toEqual(twins.map(({ id }) => id));
  });
});

describe('update_card', () => {
  test('changes what is given, clears what is null, leaves the rest, and tells what changed', async () => {
    const card = bench.board.newCard({
      name: 'Old',
      desc: 'Old text',
      due: '2027-01-01T00:00:00.000Z',
      idLabels: [label('Copy')],
    });
    const output = await run('update_card', {
      cardId: card.shortLink,
      name: 'New',
      due: null,
      desc: null,
      addLabels: ['Urgent', 'Copy'],
      removeLabels: ['Design'],
      addMembers: ['me'],
    });
    expect(bench.board.card(card.id)).toMatchObject({
      name: 'New',
      due: null,
      desc: '',
      idLabels: [label('Copy'), label('Urgent')],
      idMembers: [bench.board.member('ada').id],
      dueComplete: false,
    });
    expect(output.changes).toEqual([
      { field: 'name', from: 'Old', to: 'New' },
      { field: 'desc', from: 'Old text', to: '' },
      { field: 'due', from: '2027-01-01T00:00:00.000Z', to: null },
      { field: 'labels', from: [label('Copy')], to: [label('Copy'), label('Urgent')].toSorted() },
      { field: 'members', from: [], to: [bench.board.member('ada').id] },
    ]);
  });

  test('replaces sets, moves by the name of a list and archives', async () => {
    const card = bench.board.newCard({ idLabels: [label('Copy')], idMembers: [bench.board.member('ben').id] });
    const output = await run('update_card', {
      cardId: card.id,
      idLabels: ['Design'],
      idMembers: null,
      idList: list.name,
      closed: true,
    });
    expect(output).toMatchObject({ idList: list.id, closed: true, idMembers: [] });
    expect(bench.board.card(card.id)?.idLabels).toEqual([label('Design')]);
  });

  test('refuses if the card changed since it was read', async () => {
    const card = bench.board.newCard();
    const read = await run('get_card', { cardId: card.id });
    bench.board.changeCard(card, { name: 'Changed by another' });
    const ifUnchangedSince = new Date(Date.parse(read.dateLastActivity.utc) - 1).toISOString();
    const { status, error } = await call('update_card', { cardId: card.id, name: 'Mine', ifUnchangedSince });
    expect([status, error.code, bench.board.card(card.id)?.name]).toEqual([409, 'conflict', 'Changed by another']);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect((await run('update_card', { cardId: card.id, name: 'Mine', ifUnchangedSince: later })).name).toBe('Mine');
  });

  test('a reminder is a change like any other', async () => {
    const { id: cardId } = bench.board.newCard({ name: 'Remind' });
    const changed = (dueReminder: number | null) => call('update_card', { cardId, dueReminder });
    const told = async (dueReminder: number | null) => (await changed(dueReminder)).output.changes;
    expect(await told(60)).toEqual([{ field: 'dueReminder', from: null, to: 60 }]);
    expect(await told(null)).toEqual([{ field: 'dueReminder', from: 60, to: null }]);
    expect(await changed(-1)).toMatchObject({ output: { changes: [] }, summary: expect.stringMatching(/so already/) });
  });

  test('with nothing to change is refused', async () => {
    const { id: cardId } = bench.board.newCard();
    const { status, error } = await call('update_card', { cardId, board: 'Launch', timeZone: 'UTC', addLabels: [] });
    expect([status, error.message]).toEqual([400, expect.stringContaining('Nothing to change')]);
  });
});

describe('get_card', () => {
  test('tells times in both forms, on the clock that is asked for', async () => {
    const card = bench.board.newCard({ due: '2027-07-01T10:00:00.000Z' });
    bench.board.comment(card, 'Hello');
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
    const card = bench.board.newCard({
      name: 'Read me',
      desc: 'x'.repeat(6_000),
      idMembers: [bench.board.member('ben').id],
    });
    bench.board.newChecklist(card, { name: 'Todo' });
    for (let at = 1; at <= 4; at += 1) bench.board.comment(card, `Comment ${at}`);
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
    const other = { cardId: bench.board.newCard().id, cursor: output.commentsNextCursor };
    expect((await call('get_comments', other)).error.message).toContain('of another list');
  });

  test('is one text if that is wanted', async () => {
    const card = bench.board.newCard({ due: '2026-12-24T03:00:00Z' });
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
    const card = bench.board.newCard({ name: 'Only one of its kind' });
    expect((await run('get_card', { cardId: 'only one of its kind', board: 'Launch' })).id).toBe(card.id);
    const { error } = await call('get_card', { cardId: 'Nowhere to be found', board: 'Launch' });
    expect([error.code, error.message]).toEqual(['invalid_input', expect.stringMatching(/Search Cards lists/)]);
    expect((await call('get_card', { cardId: 'Only one of its kind' })).error.message).toMatch(/give its board/);
  });
});

test('archive_card archives, brings back, and says whether that changed anything', async () => {
  const card = bench.board.newCard();
  expect(await run('archive_card', { cardId: card.id })).toEqual({ cardId: card.id, closed: true, changed: true });
  expect(await run('archive_card', { cardId: card.id })).toMatchObject({ changed: false });
  expect(await run('archive_card', { cardId: card.id, archived: false })).toMatchObject({
    closed: false,
    changed: true,
  });
  expect(bench.board.card(card.id)?.closed).toBe(false);
});

test('move_card moves by name, within its list, on its board and to another', async () => {
  const card = bench.board.newCard({ list: bench.board.newList({ name: 'Start' }) });
  const other = bench.board.newBoard({ name: 'Elsewhere' });
  const there = bench.board.newList({ board: other, name: 'There' });
  const first = await run('move_card', { cardId: card.id, list: list.name, pos: 'top' });
  expect(first).toMatchObject({ idList: list.id, moved: true, from: { idBoard: card.idBoard } });
  bench.board.newCard({ list: bench.board.world.lists.get(list.id) } as never);
  const again = { cardId: card.id, list: list.id };
  expect(await run('move_card', again)).toMatchObject({ pos: first.pos, moved: false });
  expect(await run('move_card', { ...again, pos: 'bottom' })).toMatchObject({ idList: list.id, moved: true });
  const second = await run('move_card', { cardId: card.id, list: 'There', toBoard: 'Elsewhere' });
  expect(second).toMatchObject({ idList: there.id, idBoard: other.id, from: { idList: list.id } });
});

describe('get_list_cards', () => {
  test('pages from top to bottom, in few words', async () => {
    for (let at = 1; at <= 5; at += 1)
      bench.board.newCard({
        list: bench.board.world.lists.get(list.id),
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
      ['get_list_cards', { list: bench.board.newList().id }],
      ['get_boards', {}],
    ] as const) {
      const { status, error } = await call(step, { ...input, cursor: first.nextCursor });
      expect([step, status, error.details.fields[0].field]).toEqual([step, 400, 'input.cursor']);
      expect(error.message).toContain('of another list');
    }
  });

  test('filters by label, member, due date, completion, change and archive', async () => {
    const home = bench.board.world.lists.get(list.id);
    const make = (name: string, more: object) => bench.board.newCard({ name, ...more, ...(home && { list: home }) });
    const day = 86_400_000;
    const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();
    make('late', { due: inDays(-1) });
    make('soon', { due: inDays(2), idLabels: [label('Urgent')] });
    make('far', { due: inDays(30), dueComplete: true, idMembers: [bench.board.member('ben').id] });
    bench.board.changeCard(make('gone', {}), { closed: true });
    const names = async (input: object) =>
      (await run('get_list_cards', { list: list.id, ...input })).items.map(({ name }: { name: string }) => name);
    expect(await names({})).toEqual(['late', 'soon', 'far']);
    expect(await names({ filter: 'closed' })).toEqual(['gone']);
    expect(await names({ filter: 'all', due: 'none' })).toEqual(['gone']);
    expect(await names({ due: 'overdue' })).toEqual(['late']);
    expect(await names({ due: 'next' })).toEqual(['soon']);
    expect(await names({ complete: true })).toEqual(['far']);
    expect(await names({ labels: ['Urgent'] })).toEqual(['soon']);
    expect(await names({ members: ['ben'] })).toEqual(['far']);
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
  const card = bench.board.newCard({ name: 'Zebrafish one', desc: 'y'.repeat(500) });
  bench.board.newCard({ name: 'Zebrafish two' });
  bench.board.changeCard(bench.board.newCard({ name: 'Zebrafish three' }), { closed: true });
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
