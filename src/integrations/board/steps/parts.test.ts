import { expect, test } from 'vitest';
import { bootstrapKey } from '#test';
import { boardSteps } from '../../../../test/board-steps.ts';

const scene = boardSteps();
const { call, run, label } = scene;

test.each(['add_comment_to_card', 'add_comment'])('%s comments as the account', async (step) => {
  const card = scene.bench.board.newCard();
  const output = await run(step, { cardId: card.shortLink, text: 'Hello' });
  const author = {
    id: scene.bench.board.member('ada').id,
    username: 'ada',
    name: scene.bench.board.member('ada').fullName,
  };
  expect(output).toMatchObject({ commentId: expect.any(String), cardId: card.id, text: 'Hello', author });
  expect(scene.bench.board.comments(card.id)).toEqual(['Hello']);
});

test('the old name of commenting says which step to use instead', async () => {
  const { body } = await scene.bench.owned('GET', '/v1/steps?query=add%20comment');
  const told = body.items.map(({ id, deprecated }: { id: string; deprecated?: string }) => [id, deprecated]);
  expect(told).toEqual([
    ['board.add_comment_to_card', undefined],
    ['board.add_comment', 'Use board.add_comment_to_card.'],
  ]);
});

test('add_checklist adds items in their order, and copies one', async () => {
  const card = scene.bench.board.newCard();
  const items = ['One', { name: 'Two', checked: true, due: '2027-01-05', member: 'me' }, 'Three'];
  const made = await run('add_checklist', { cardId: card.id, name: 'Steps', items });
  expect(made).toMatchObject({ name: 'Steps', idCard: card.id });
  expect(made.items.map(({ name, state }: { name: string; state: string }) => [name, state])).toEqual([
    ['One', 'incomplete'],
    ['Two', 'complete'],
    ['Three', 'incomplete'],
  ]);
  const short = await call('add_checklist', { cardId: card.id, name: 'Short', items: ['One'] });
  expect(short.summary).toBe('Added the checklist “Short” with 1 item.');
  const copy = await run('add_checklist', { cardId: card.id, name: 'Again', copyFrom: 'steps' });
  expect(copy.items.map(({ state }: { state: string }) => state)).toEqual(['incomplete', 'incomplete', 'incomplete']);
});

test('create_checklist_item adds one or several and tells how far the checklist is', async () => {
  const card = scene.bench.board.newCard();
  scene.bench.board.newChecklist(card, { name: 'Plan' });
  const one = {
    cardId: card.id,
    checklistId: 'Plan',
    name: 'A',
    checked: true,
    member: 'ben',
    due: '2027-01-05T09:00:00Z',
  };
  const first = await run('create_checklist_item', one);
  expect(first).toMatchObject({
    items: [
      {
        name: 'A',
        state: 'complete',
        due: { utc: '2027-01-05T09:00:00.000Z' },
        idMember: scene.bench.board.member('ben').id,
      },
    ],
    checklist: { name: 'Plan', total: 1, complete: 1 },
  });
  const rest = await run('create_checklist_item', { checklistId: first.checklist.id, names: ['B', 'C'], pos: 'top' });
  expect(rest.checklist).toMatchObject({ total: 3, complete: 1 });
  expect(scene.bench.board.checklistsOn(card)[0]?.checkItems.map(({ name }) => name)).toEqual(['B', 'C', 'A']);
  const { error } = await call('create_checklist_item', { checklistId: first.checklist.id });
  expect(error.details.fields.map(({ field }: { field: string }) => field)).toEqual(['input.name', 'input.names']);
});

test('complete_checklist_item ticks by text; the same text twice is refused with both', async () => {
  const card = scene.bench.board.newCard();
  await run('add_checklist', { cardId: card.id, name: 'Left', items: ['Same', 'Other'] });
  await run('add_checklist', { cardId: card.id, name: 'Right', items: ['Same'] });
  expect(await run('complete_checklist_item', { cardId: card.id, item: 'other' })).toMatchObject({
    state: 'complete',
    changed: true,
  });
  const { error } = await call('complete_checklist_item', { cardId: card.id, item: 'Same' });
  expect(error.details.candidates.map(({ hint }: { hint: string }) => hint)).toEqual(['Left', 'Right']);
  const named = { cardId: card.id, item: 'Same', checklist: 'Right' };
  expect(await run('complete_checklist_item', named)).toMatchObject({ changed: true });
  expect(await run('complete_checklist_item', { ...named, complete: false })).toMatchObject({ state: 'incomplete' });
});

test('labels are put on and taken off by name; what is so already is no failure', async () => {
  const card = scene.bench.board.newCard();
  const input = { cardId: card.id, label: 'urgent' };
  expect(await run('add_label', input)).toEqual({ cardId: card.id, labelId: label('Urgent'), changed: true });
  expect((await run('add_label', input)).changed).toBe(false);
  expect(scene.bench.board.card(card.id)?.idLabels).toEqual([label('Urgent')]);
  expect((await run('remove_label', input)).changed).toBe(true);
  expect((await run('remove_label', input)).changed).toBe(false);
  expect((await call('add_label', { cardId: card.id, label: 'Nonsense' })).error.message).toMatch(/List Labels lists/);
});

test('update_card takes what create_card does, and names what it was not given rightly', async () => {
  const card = scene.bench.board.newCard();
  const output = await run('update_card', {
    cardId: card.id,
    list: 'Doing',
    due: '2026-12-01',
    timeZone: 'Europe/Berlin',
    attachments: ['https://example.com/plan'],
    checklists: [{ name: 'Before', items: ['a', { name: 'b', checked: true }] }],
  });
  const doing = scene.bench.board.lists().find(({ name }) => name === 'Doing');
  expect(output).toMatchObject({ idList: doing?.id, due: { utc: '2026-11-30T23:00:00.000Z' } });
  expect(output.changes.map(({ field }: { field: string }) => field)).toEqual(
    expect.arrayContaining(['idList', 'due', 'attachments', 'checklists']),
  );
  const read = await run('get_card', { cardId: card.id });
  expect(read).toMatchObject({ checklists: [{ items: [{ name: 'a' }, { name: 'b', state: 'complete' }] }] });
  expect(read.attachments).toMatchObject([{ url: 'https://example.com/plan' }]);

  const wrongIn = async (input: object) =>
    (await call('update_card', { cardId: card.id, ...input })).error.details.fields;
  expect(await wrongIn({ addLabels: ['Nowhere'] })).toMatchObject([{ field: 'input.addLabels' }]);
  expect(await wrongIn({ removeMembers: ['nobody'] })).toMatchObject([{ field: 'input.removeMembers' }]);
  expect(await wrongIn({ idList: 'Doing', list: 'Doing' })).toMatchObject([{ field: 'input.idList' }, {}]);
  expect(await wrongIn({ checklists: [{ name: 'x', item: [] }] })).toMatchObject([
    { field: 'input.checklists[0].item' },
  ]);
  expect(await wrongIn({ attachments: [{ url: 'https://example.com/plan' }, { name: 'x' }] })).toMatchObject([
    { field: 'input.attachments[1].url' },
    { field: 'input.attachments[1].file' },
  ]);
  const strange = ['a', { name: 'b', member: 'nobody' }];
  expect(await wrongIn({ checklists: [{ name: 'x' }, { name: 'y', items: strange }] })).toMatchObject([
    { field: 'input.checklists[1].items[1].member' },
  ]);
  const added = await call('add_checklist', { cardId: card.id, items: strange });
  expect(added.error.details.fields).toMatchObject([{ field: 'input.items[1].member' }]);
  const listed = await run('get_list_cards', { list: doing?.id, updatedSince: '2020-01-01', fields: ['name'] });
  expect(listed.items.length).toBeGreaterThan(0);
});

test('add_member assigns once', async () => {
  const card = scene.bench.board.newCard();
  expect(await run('add_member', { cardId: card.id, member: '@ben' })).toMatchObject({ changed: true });
  expect(await run('add_member', { cardId: card.id, member: 'Ben Okafor' })).toMatchObject({ changed: false });
  expect(scene.bench.board.card(card.id)?.idMembers).toEqual([scene.bench.board.member('ben').id]);
});

test('create_label makes a label once, or another if that is wanted', async () => {
  const board = scene.bench.board.launch().id;
  const input = { board, name: 'Fresh', color: 'lime_dark' };
  const made = await run('create_label', input);
  expect(made).toMatchObject({ created: true, name: 'Fresh', color: 'lime_dark' });
  expect(await run('create_label', { ...input, name: 'fresh' })).toMatchObject({ created: false, id: made.id });
  const again = await call('create_label', { board, name: 'Fresh' });
  expect(again).toMatchObject({ summary: 'There is already a label “Fresh”.', output: { id: made.id } });
  expect(await run('create_label', { ...input, color: null })).toMatchObject({ created: true, color: null });
  const twin = await run('create_label', { ...input, ifExists: 'create' });
  expect(twin.id).not.toBe(made.id);
  const { error } = await call('create_label', input);
  expect([error.code, error.details.fields[0].field]).toEqual(['invalid_input', 'input.name']);
  expect(error.message).toMatch(/^2 labels are called "Fresh"; use one of the candidates by its id, or make another/);
  const candidate = { name: 'Fresh', hint: 'lime_dark' };
  expect(new Set(error.details.candidates)).toEqual(
    new Set([
      { id: made.id, ...candidate },
      { id: twin.id, ...candidate },
    ]),
  );
  expect((await call('create_label', { board, name: '' })).error.details.fields).toHaveLength(2);
});

test('create_list makes a list, copies one, or answers the one that is there', async () => {
  const made = await run('create_list', { idBoard: 'Launch', name: 'Backlog' });
  expect(made).toMatchObject({ created: true, name: 'Backlog', closed: false });
  expect(scene.bench.board.lists().at(-1)?.id).toBe(made.id);
  const again = await call('create_list', {
    idBoard: scene.bench.board.launch().shortLink,
    name: 'Backlog',
    ifExists: 'return',
  });
  expect(again.output).toMatchObject({ created: false, id: made.id });
  expect(again.summary).toBe('There is already a list “Backlog”.');
  // As names are looked up: letter case counts only where it tells two apart.
  const low = { idBoard: scene.bench.board.launch().id, name: 'backlog' };
  expect(await run('create_list', { ...low, ifExists: 'return' })).toMatchObject({ created: false, id: made.id });
  const twin = await run('create_list', { ...low, name: 'Backlog' });
  const { error } = await call('create_list', { ...low, ifExists: 'return' });
  expect([error.code, error.details.fields[0].field]).toEqual(['invalid_input', 'input.name']);
  expect(error.message).toMatch(/^2 open lists are called "backlog"; use one of the candidates/);
  const candidates = error.details.candidates.map(({ id }: { id: string }) => id);
  expect(new Set(candidates)).toEqual(new Set([made.id, twin.id]));
  const copy = await run('create_list', { idBoard: 'Launch', name: 'Copied', idListSource: 'To do' });
  expect(scene.bench.board.cardsIn(copy.id).length).toBe(
    scene.bench.board.cardsIn(scene.bench.board.lists()[0]?.id ?? '').length,
  );
});

const upload = async (bytes: Uint8Array<ArrayBuffer>, name: string) => {
  const headers = { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/pdf' };
  const url = `${scene.bench.origin}/v1/files?name=${encodeURIComponent(name)}`;
  const answer = await fetch(url, { method: 'POST', headers, body: bytes });
  return ((await answer.json()) as { ref: string }).ref;
};

test('attach adds a link, and a stored file byte by byte', async () => {
  // With a token of its own: that before has made nearly as many calls as it may.
  await scene.bench.connectBoard();
  const card = scene.bench.board.newCard();
  const link = await run('attach', { cardId: card.id, url: 'https://example.com/x', name: 'Link' });
  expect(link).toMatchObject({ name: 'Link', url: 'https://example.com/x', isUpload: false, cardId: card.id });
  const address = `https://example.com/${'x'.repeat(1_000)}`;
  expect(await run('attach', { cardId: card.id, url: address })).toMatchObject({ url: address });
  const bytes = crypto.getRandomValues(new Uint8Array(5_000));
  const file = await run('attach', { cardId: card.id, file: await upload(bytes, 'Ünïted "plan".pdf'), setCover: true });
  expect(file).toMatchObject({ name: 'Ünïted "plan".pdf', bytes: 5_000, mimeType: 'application/pdf', isUpload: true });
  expect(scene.bench.board.world.files.get(file.id)).toEqual(bytes);
  expect(card.idAttachmentCover).toBe(file.id);
});

test('attach refuses nothing, both, a file that is not there, and one that is too large', async () => {
  const card = scene.bench.board.newCard();
  const code = async (input: object) => (await call('attach', { cardId: card.id, ...input })).error.code;
  expect(await code({})).toBe('invalid_input');
  expect(await code({ url: 'https://example.com/x', file: 'file_x' })).toBe('invalid_input');
  expect(await code({ file: 'file_00000000000000000000000000' })).toBe('not_found');
  expect(await code({ file: await upload(new Uint8Array(10 * 1024 * 1024 + 1), 'large.pdf') })).toBe('too_large');
  expect(card.attachments).toEqual([]);
});

test.each([300, 10 * 1024 * 1024])(
  'a file of %d bytes whose upload was answered by nobody is found by its name and size',
  async (size) => {
    const card = scene.bench.board.newCard();
    const bytes = new Uint8Array(size).fill(13);
    const file = await upload(bytes, 'Ünce.pdf');
    const match = { method: 'POST', path: 'attachments$' };
    scene.bench.board.control.faults.add({ match, kind: 'accept_then', status: 504, times: 1 });
    const made = await run('attach', { cardId: card.id, file });
    expect(made).toMatchObject({ name: 'Ünce.pdf', bytes: size });
    expect(card.attachments).toHaveLength(1);
    expect(Buffer.from(bytes).equals(scene.bench.board.world.files.get(made.id) ?? Buffer.of())).toBe(true);
  },
);
