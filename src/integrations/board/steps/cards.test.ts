import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { boardSteps } from '../../../../test/board-steps.ts';

const scene = boardSteps();
const { call, run, label } = scene;

let list: { id: string; idBoard: string; name: string };
beforeEach(() => {
  list = scene.bench.board.newList();
});

describe('create_card', () => {
  test('a list by its name without a board is refused with the boards that there are', async () => {
    const { error } = await call('create_card', { list: list.name, name: 'Nowhere' });
    const { id, name } = scene.bench.board.launch();
    expect(error.details.fields.map(({ field }: { field: string }) => field)).toEqual(['input.list', 'input.board']);
    expect(error.details.candidates).toContainEqual(expect.objectContaining({ id, name }));
  });

  test('makes a card with all its parts, looked up by name', async () => {
    const board = scene.bench.board.launch();
    scene.bench.board.newCard({ name: 'Source', desc: 'From the source' });
    scene.bench.board.control.log.clear();
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
    // Of these look-ups the service allows few.
    const asked = scene.bench.board.control.log.list().filter(({ path }) => path.startsWith('/1/members/'));
    expect(asked).toHaveLength(1);
    const card = scene.bench.board.card(output.id);
    if (card === undefined) throw new Error('no card');
    expect(card).toMatchObject({
      name: 'Whole',
      dueComplete: true,
      dueReminder: 60,
      start: '2027-01-03T23:00:00.000Z',
    });
    expect(card.desc).toHaveLength(300);
    expect(card.idLabels).toEqual([label('Urgent'), label('Design')]);
    expect(card.idMembers).toEqual([scene.bench.board.member('ben').id, scene.bench.board.member('ada').id]);
    expect(card.attachments.map(({ name, url }) => [name, url])).toEqual([['Plan', 'https://example.com/a']]);
    const items = scene.bench.board
      .checklistsOn(card)[0]
      ?.checkItems.map(({ name, state, idMember }) => [name, state, idMember]);
    expect(items).toEqual([
      ['One', 'incomplete', null],
      ['Two', 'complete', scene.bench.board.member('ben').id],
    ]);
    const next = { cardId: card.id, name: 'Whole again', ifUnchangedSince: output.dateLastActivity.utc };
    expect((await run('update_card', next)).name).toBe('Whole again');
  });

  test('what is to be kept of a copy is refused where no card to copy is named', async () => {
    const { error } = await call('create_card', { idList: list.id, name: 'Alone', keepFromSource: ['labels'] });
    const fields = [{ field: 'input.copyFrom' }, { field: 'input.keepFromSource' }];
    expect(error).toMatchObject({ code: 'invalid_input', details: { fields } });
    expect(scene.bench.board.cardsIn(list.id)).toEqual([]);
  });

  test.each([
    [404, 'look it up again.', ['There']],
    [403, '', ['There']],
    [401, 'again', []],
  ])('a part that is refused with %i is told beside the card, which is there', async (status, told, there) => {
    scene.bench.board.control.faults.add({
      match: { method: 'POST', path: '/1/checklists' },
      kind: 'status',
      status,
      times: 1,
    });
    onTestFinished(() => scene.bench.connectBoard().then(() => {}));
    const checklists = [{ name: 'Never' }, { name: 'There' }];
    const { output, warnings } = await call('create_card', { idList: list.id, name: 'Partly', checklists });
    expect(warnings[0]).toMatch(/^The checklist "Never" was not added: /);
    expect(warnings[0]).toContain(told);
    const card = scene.bench.board.card(output.id);
    expect(card && scene.bench.board.checklistsOn(card).map(({ name }) => name)).toEqual(there);
  });

  test.each([
    ['no list', {}, 'idList'],
    ['a list name without its board', { list: 'To do' }, 'board'],
    ['a local time without its zone', { idList: 'LIST', due: '2027-01-05T09:00' }, 'timeZone'],
    ['an attachment that is nothing', { idList: 'LIST', attachments: [{}] }, 'attachments[0].url'],
    ['a list the board does not have', { board: 'Launch', list: 'Nowhere' }, 'list'],
  ])('refuses %s before anything is written', async (_, input, field) => {
    const before = scene.bench.board.actions().length;
    const given = JSON.parse(JSON.stringify({ name: 'x', ...input }).replace('LIST', list.id));
    const { status, error } = await call('create_card', given);
    expect([status, error.code]).toEqual([400, 'invalid_input']);
    expect(error.details.fields).toContainEqual({ field: `input.${field}`, message: error.message });
    expect(scene.bench.board.actions()).toHaveLength(before);
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
    const twins = [scene.bench.board.newList({ name: 'Twin' }), scene.bench.board.newList({ name: 'Twin' })];
    const { error } = await call('create_card', { board: 'Launch', list: 'twin', name: 'x' });
    expect(error.message).toMatch(/2 lists are called "twin"/);
    expect(error.details.candidates.map(({ id }: { id: string }) => id)).toEqual(twins.map(({ id }) => id));
  });
});

describe('update_card', () => {
  test('changes what is given, clears what is null, leaves the rest, and tells what changed', async () => {
    const card = scene.bench.board.newCard({
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
    expect(scene.bench.board.card(card.id)).toMatchObject({
      name: 'New',
      due: null,
      desc: '',
      idLabels: [label('Copy'), label('Urgent')],
      idMembers: [scene.bench.board.member('ada').id],
      dueComplete: false,
    });
    expect(output.changes).toEqual([
      { field: 'name', from: 'Old', to: 'New' },
      { field: 'desc', from: 'Old text', to: '' },
      { field: 'due', from: '2027-01-01T00:00:00.000Z', to: null },
      { field: 'labels', from: [label('Copy')], to: [label('Copy'), label('Urgent')].toSorted() },
      { field: 'members', from: [], to: [scene.bench.board.member('ada').id] },
    ]);
  });

  test('replaces sets, moves by the name of a list and archives', async () => {
    const card = scene.bench.board.newCard({
      idLabels: [label('Copy')],
      idMembers: [scene.bench.board.member('ben').id],
    });
    const output = await run('update_card', {
      cardId: card.id,
      idLabels: ['Design'],
      idMembers: null,
      idList: list.name,
      closed: true,
    });
    expect(output).toMatchObject({ idList: list.id, closed: true, idMembers: [] });
    expect(scene.bench.board.card(card.id)?.idLabels).toEqual([label('Design')]);
  });

  test('tells the people on it by name, also those who were on it before', async () => {
    const ada = { id: scene.bench.board.member('ada').id, username: 'ada', fullName: 'Ada Marsh' };
    const ben = { id: scene.bench.board.member('ben').id, username: 'ben', fullName: 'Ben Okafor' };
    const made = await run('create_card', { idList: list.id, name: 'Peopled', idMembers: ['ben'] });
    expect(made).toMatchObject({ idMembers: [ben.id], members: [ben] });
    const cardId = made.id;
    expect((await run('update_card', { cardId, name: 'Renamed' })).members).toEqual([ben]);
    expect((await run('update_card', { cardId, idMembers: ['ben', 'ada'] })).members).toEqual([ben, ada]);
    expect((await run('update_card', { cardId, removeMembers: ['ben'] })).members).toEqual([ada]);
    expect((await run('move_card', { cardId, list: list.id, pos: 'top' })).members).toEqual([ada]);
    expect((await run('create_card', { idList: list.id, name: 'Nobody' })).members).toEqual([]);
  });

  test('a card that was made is told although nobody could be asked who is on it', async () => {
    const match = { method: 'GET', path: '^/1/cards/\\w+/members' };
    scene.bench.board.control.faults.add({ match, kind: 'status', status: 400, times: 1 });
    const made = await call('create_card', { idList: list.id, name: 'Unnamed', idMembers: ['ben'] });
    expect(made).toMatchObject({ status: 200, warnings: [] });
    expect(made.output).not.toHaveProperty('members');
  });

  test('refuses if the card changed since it was read', async () => {
    const card = scene.bench.board.newCard();
    const read = await run('get_card', { cardId: card.id });
    scene.bench.board.changeCard(card, { name: 'Changed by another' });
    const ifUnchangedSince = new Date(Date.parse(read.dateLastActivity.utc) - 1).toISOString();
    const { status, error } = await call('update_card', { cardId: card.id, name: 'Mine', ifUnchangedSince });
    expect([status, error.code, scene.bench.board.card(card.id)?.name]).toEqual([
      409,
      'conflict',
      'Changed by another',
    ]);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect((await run('update_card', { cardId: card.id, name: 'Mine', ifUnchangedSince: later })).name).toBe('Mine');
  });

  test('a reminder is a change like any other', async () => {
    const { id: cardId } = scene.bench.board.newCard({ name: 'Remind' });
    const changed = (dueReminder: number | null) => call('update_card', { cardId, dueReminder });
    const told = async (dueReminder: number | null) => (await changed(dueReminder)).output.changes;
    expect(await told(60)).toEqual([{ field: 'dueReminder', from: null, to: 60 }]);
    expect(await told(null)).toEqual([{ field: 'dueReminder', from: 60, to: null }]);
    expect(await changed(-1)).toMatchObject({ output: { changes: [] }, summary: expect.stringMatching(/so already/) });
  });

  test('with nothing to change is refused', async () => {
    const { id: cardId } = scene.bench.board.newCard();
    const { status, error } = await call('update_card', { cardId, board: 'Launch', timeZone: 'UTC', addLabels: [] });
    expect([status, error.message]).toEqual([400, expect.stringContaining('Nothing to change')]);
  });
});
