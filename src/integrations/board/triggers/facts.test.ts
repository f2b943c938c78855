import { afterAll, beforeAll, expect, test } from 'vitest';
import { Fault, type Judgement, type WebhookTrigger } from '#kit';
import { type BoardScene, boardScene } from '../../../../test/board-scene.ts';
import { board as integration } from '../index.ts';

let scene: BoardScene;
beforeAll(async () => {
  scene = await boardScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

const triggerOf = (name: string): WebhookTrigger => {
  const found = integration.triggers.find((trigger) => trigger.name === name);
  if (found?.kind !== 'webhook') throw new Error(`there is no webhook trigger ${name}`);
  return found;
};

type Outcome = { judgement: Judgement | 'other'; event?: unknown; calls: number };

/** Judges as the house does: what is missing is read first. */
const judge = async (name: string, action: unknown, given: object = {}): Promise<Outcome> => {
  const trigger = triggerOf(name);
  const config = trigger.config.parse(given);
  const parsed = trigger.delivery.safeParse(structuredClone(action));
  if (!parsed.success) return { judgement: 'other', calls: 0 };
  scene.board.control.log.clear();
  const lacks = trigger.isIncomplete?.(parsed.data, config) === true;
  const delivery = lacks ? await trigger.complete?.(parsed.data, scene.contextOf(), config) : parsed.data;
  const calls = scene.board.control.log.list().length;
  const context = { account: scene.accountOf(), since: new Date(0), now: new Date() };
  const judgement = trigger.judge(delivery, config, context);
  if (judgement.outcome !== 'fired') return { judgement, calls };
  const event: unknown = trigger.toEvent(delivery, config);
  expect(trigger.event.parse(event)).toEqual(event);
  return { judgement, event, calls };
};

const fired = { outcome: 'fired' };
const actionsOf = (id: string) => [...scene.board.actions(id)];
const firing = async (name: string, id: string): Promise<string[]> => {
  const all = await Promise.all(actionsOf(id).map(async (each) => [each.type, await judge(name, each)] as const));
  return all
    .filter(([, { judgement }]) => judgement !== 'other' && judgement.outcome === 'fired')
    .map(([type]) => type);
};

test('a card that is made with a due date and members is one new card and no update', async () => {
  const due = '2027-01-05T10:00:00.000Z';
  const card = scene.board.newCard({ due, idMembers: [scene.board.member('ben').id] });
  expect(actionsOf(card.id).map(({ type }) => type)).toEqual(['updateCard', 'addMemberToCard', 'createCard']);
  expect(await firing('card_updated', card.id)).toEqual([]);
  expect(await firing('new_card', card.id)).toEqual(['createCard']);
  expect(await firing('new_member_on_card', card.id)).toEqual(['addMemberToCard']);
  const [first] = actionsOf(card.id);
  const { judgement } = await judge('card_updated', first);
  expect(judgement).toEqual({ outcome: 'skipped', reason: 'This is part of creating the card.' });
});

test('a copy is one new card, and its people and checklists are no updates', async () => {
  const source = scene.board.newCard({ due: '2027-01-05T10:00:00.000Z', idMembers: [scene.board.member('ben').id] });
  scene.board.newChecklist(source);
  scene.board.comment(source, 'Hello');
  const copy = scene.board.newCard({ source });
  expect(await firing('card_updated', copy.id)).toEqual([]);
  expect(await firing('new_card', copy.id)).toEqual(['copyCard']);
  expect(await firing('new_member_on_card', copy.id)).toEqual(['addMemberToCard']);
  expect(await firing('new_comment', copy.id)).toEqual([]);
});

test('a due date that somebody sets right after making the card is an update', async () => {
  const card = scene.board.newCard();
  scene.board.changeCard(card, { due: '2027-01-05T10:00:00.000Z' });
  expect(await firing('card_updated', card.id)).toEqual(['updateCard']);
});

test('what somebody did right after making a card is an update, also where the card is gone by then', async () => {
  const card = scene.board.newCard({ idMembers: [scene.board.member('ben').id] });
  scene.board.changeCard(card, { due: '2027-01-05T10:00:00.000Z' });
  await scene.bench.make('DELETE', `/1/cards/${card.id}`);
  expect(await firing('card_updated', card.id)).toEqual(['updateCard']);
});

test('a card that is copied from the inbox comes with what it has', async () => {
  const card = scene.board.newCard({ due: '2027-01-05T10:00:00.000Z' });
  const [update, creation] = actionsOf(card.id);
  if (creation === undefined) throw new Error('no creation');
  creation.type = 'copyInboxCard';
  expect((await judge('card_updated', update)).judgement).toMatchObject({ outcome: 'skipped' });
  scene.board.changeCard(card, { due: null });
  scene.board.changeCard(card, { due: '2027-01-06T10:00:00.000Z' });
  expect((await judge('card_updated', actionsOf(card.id).at(-1))).judgement).toEqual(fired);
});

test('as long as the service does not tell of the creation, it is asked again', async () => {
  const card = scene.board.newCard({ due: '2027-01-05T10:00:00.000Z' });
  const [update, creation] = actionsOf(card.id);
  if (creation === undefined) throw new Error('no creation');
  scene.board.world.dropAction(creation);
  const fault = await judge('card_updated', update).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(Fault);
  expect(fault).toMatchObject({ code: 'upstream_unavailable', retryAfterMs: 2_000 });
});

test('a list that the action does not tell is looked up, once, and only if all else fits', async () => {
  const [todo, doing] = scene.board.lists();
  const card = scene.board.newCard(todo === undefined ? {} : { list: todo });
  scene.board.changeCard(card, { labels: scene.board.labels().slice(0, 1) });
  const action = actionsOf(card.id).find(({ type }) => type === 'addLabelToCard');
  const here = { lists: [todo?.id] };
  expect(await judge('label_added_to_card', action, here)).toMatchObject({ judgement: fired, calls: 1 });
  expect(await judge('label_added_to_card', action, { lists: [doing?.id] })).toMatchObject({
    judgement: { outcome: 'filtered', clause: 'lists' },
    calls: 1,
  });
  expect(await judge('label_added_to_card', action, { ...here, labels: ['Nonesuch'] })).toMatchObject({ calls: 0 });
  expect(await judge('custom_webhook_events', action, { ...here, eventTypes: ['create'] })).toMatchObject({ calls: 0 });
  expect(await judge('custom_webhook_events', action, { ...here, eventTypes: ['add'] })).toMatchObject({ calls: 1 });
  expect(await judge('label_added_to_card', action)).toMatchObject({ judgement: fired, calls: 0 });
});

type Board = typeof scene.board;
type Card = ReturnType<Board['newCard']>;
type List = ReturnType<Board['newList']>;

test.each<[string, (card: Card, doing: List, elsewhere: ReturnType<Board['newBoard']>) => unknown]>([
  ['still lies there', () => {}],
  ['was moved on', (card, doing) => scene.board.changeCard(card, { list: doing })],
  ['went to another board', (card, _, board) => scene.board.changeCard(card, { board })],
  [
    'was moved on and deleted',
    (card, list) => {
      scene.board.changeCard(card, { list });
      return scene.bench.make('DELETE', `/1/cards/${card.id}`);
    },
  ],
])('where an action tells no list, the one counts in which its card was then, also where it %s', async (_, since) => {
  const [todo, doing] = scene.board.lists();
  if (todo === undefined || doing === undefined) throw new Error('no lists');
  const elsewhere = scene.board.newBoard();
  const card = scene.board.newCard({ list: doing });
  scene.board.changeCard(card, { list: todo });
  scene.board.changeCard(card, { labels: scene.board.labels().slice(0, 1) });
  const action = actionsOf(card.id).find(({ type }) => type === 'addLabelToCard');
  await new Promise((resolve) => setTimeout(resolve, 2));
  await since(card, doing, elsewhere);

  const here = await judge('label_added_to_card', action, { lists: [todo.id] });
  expect(here).toMatchObject({ judgement: fired, event: { list: { id: todo.id, name: todo.name } } });
  for (const id of [doing.id, scene.board.lists(elsewhere)[0]?.id]) {
    expect((await judge('label_added_to_card', action, { lists: [id] })).judgement).toMatchObject({ clause: 'lists' });
  }
  const found = { ...action, id: 'state', told: 'state' };
  expect((await judge('label_added_to_card', found, { lists: [todo.id] })).judgement).toEqual(fired);
  expect((await judge('label_added_to_card', action, { includeCard: true })).judgement).toEqual(fired);
});

test('of a card that is read for a filter or for how it was made, no more is told than of any other', async () => {
  const card = scene.board.newCard({ desc: 'Read along' });
  scene.board.changeCard(card, { members: [scene.board.member('ben')] });
  const action = actionsOf(card.id).find(({ type }) => type === 'addMemberToCard');
  const told = { id: card.id, name: card.name, shortLink: card.shortLink, idBoard: card.idBoard };
  const address = { url: `https://trello.com/c/${card.shortLink}` };
  for (const name of ['card_updated', 'new_member_on_card', 'new_board_activity']) {
    const { event } = await judge(name, action, { lists: [card.idList] });
    expect(event).toMatchObject({ list: { id: card.idList } });
    expect(event).not.toHaveProperty('card.desc');
  }
  const { event } = await judge('card_updated', action);
  expect(event).toMatchObject({ card: { ...told, ...address } });
  expect(event).not.toHaveProperty('card.desc');
});

test('the whole card comes along if asked for, its description cut', async () => {
  const ben = scene.board.member('ben');
  const card = scene.board.newCard({ desc: 'x'.repeat(5_000), idMembers: [ben.id] });
  scene.board.comment(card, 'Hello');
  const action = actionsOf(card.id).find(({ type }) => type === 'commentCard');
  const { event, calls } = await judge('new_comment', action, { includeCard: true });
  expect(calls).toBe(1);
  expect(event).toMatchObject({
    card: {
      id: card.id,
      url: expect.stringMatching(`^http://127.0.0.1:.*/c/${card.shortLink}`),
      descTruncated: true,
      members: [{ id: ben.id, username: 'ben' }],
      idList: card.idList,
    },
    list: { id: card.idList },
  });
  const plain = await judge('new_comment', action);
  expect(plain).toMatchObject({ calls: 0, event: { card: { url: `https://trello.com/c/${card.shortLink}` } } });
});

test('of an attachment type, size and kind are read, in one call', async () => {
  const card = scene.board.newCard();
  const form = new FormData();
  form.set('file', new Blob(['%PDF-1.7'], { type: 'application/pdf' }), 'flyer.pdf');
  await scene.bench.call('POST', `/1/cards/${card.id}/attachments`, undefined, { multipart: form });
  await scene.bench.make('POST', `/1/cards/${card.id}/attachments`, {
    url: 'https://example.com/page',
    name: 'A page',
  });
  const [file, link] = actionsOf(card.id).filter(({ type }) => type === 'addAttachmentToCard');
  const { event, calls } = await judge('new_attachment', file, { lists: [card.idList], mimeTypes: ['application/*'] });
  expect(calls).toBe(1);
  expect(event).toMatchObject({
    list: { id: card.idList },
    attachment: { name: 'flyer.pdf', mimeType: 'application/pdf', bytes: 8, isUpload: true },
  });
  expect(event).not.toHaveProperty('card.desc');
  const refused = await judge('new_attachment', file, { kind: 'link' });
  expect(refused.judgement).toEqual({ outcome: 'filtered', clause: 'kind' });
  expect((await judge('new_attachment', link, { kind: 'link' })).judgement).toEqual(fired);
});

test('a new board is told with its workspace, by which it can be chosen', async () => {
  const organization = scene.board.launch().idOrganization ?? '';
  const made = scene.board.newBoard({ idOrganization: organization });
  const [creation, companion] = actionsOf(made.id);
  const { event } = await judge('new_board', creation, { workspaces: [organization] });
  expect(event).toMatchObject({
    board: { id: made.id, name: made.name },
    workspace: { id: organization },
    copied: false,
  });
  const lone = scene.board.newBoard();
  const [alone] = actionsOf(lone.id);
  const refused = await judge('new_board', alone, { workspaces: [organization] });
  expect(refused.judgement).toEqual({ outcome: 'filtered', clause: 'workspaces' });
  expect((await judge('new_board', companion)).judgement).toBe('other');
});

test('of a board that was found among those of its workspace, who made it and whether it is a copy is read', async () => {
  const idOrganization = scene.board.launch().idOrganization;
  const made = scene.board.newBoard({ as: 'ben', idOrganization, prefs: { permissionLevel: 'org' } });
  const [creation] = actionsOf(made.id);
  if (creation === undefined) throw new Error('nothing is told');
  const found = {
    id: `board ${made.id}`,
    type: 'createBoard',
    date: new Date(0).toISOString(),
    data: { board: { id: made.id, name: made.name, shortLink: made.shortLink } },
    told: 'state',
  };
  const told = async () => (await judge('new_board', found)).event;
  creation.type = 'copyBoard';
  const { id, date } = creation;
  expect(await told()).toMatchObject({
    action: { id, type: 'copyBoard', date },
    actor: { name: scene.board.member('ben').fullName },
    copied: true,
  });
  // Who made it may not be told.
  scene.board.world.actionsOf.set(made.id, []);
  expect(await told()).toMatchObject({ action: { id: found.id, type: 'createBoard' }, copied: false });
});

test('boards are named as in steps, and kept by their ids; one that nobody knows is refused at its place', async () => {
  const { id, shortLink, name } = scene.board.launch();
  const given = { boards: [id, name.toUpperCase(), `https://trello.com/b/${shortLink}/launch`] };
  const onBoards = integration.triggers.filter(({ config }) => 'boards' in config.shape);
  expect(onBoards).toHaveLength(14);
  for (const { config, settle } of onBoards) {
    expect(await settle?.(config.parse(given), scene.contextOf(), () => false)).toMatchObject({ boards: [id] });
  }
  const { config, settle } = triggerOf('new_card');
  const refused = settle?.(config.parse({ boards: [id, 'Lunch'] }), scene.contextOf(), () => false);
  await expect(refused).rejects.toMatchObject({ details: { fields: [{ field: 'config.boards[1]' }] } });
});

const someId = 'ab'.repeat(12);

test('a board that is gone, closed or not to be seen is refused at its place, however it is named', async () => {
  const { id } = scene.board.launch();
  const settled = (board: string, more: object = {}) => {
    const { config, settle } = triggerOf('new_card');
    return settle?.(config.parse({ boards: [id, board], ...more }), scene.contextOf(), () => false);
  };
  const secret = scene.board.newBoard({ as: 'ben' });
  const closed = scene.board.newBoard();
  await scene.bench.make('PUT', `/1/boards/${closed.id}`, { closed: true });
  const links = [secret, closed].flatMap((board) => [board.id, `https://trello.com/b/${board.shortLink}/x`]);
  for (const board of [someId, ...links]) {
    for (const more of [{}, { lists: ['To do'] }]) {
      await expect(settled(board, more), board).rejects.toMatchObject({
        code: 'invalid_input',
        details: { fields: [{ field: 'config.boards[1]' }] },
      });
    }
  }
});

test.each([
  ['new_card', 'lists', ['to do'], 'list'],
  ['card_moved', 'fromLists', ['To do'], 'list'],
  ['card_moved', 'toLists', ['Done'], 'list'],
  ['card_due_reminder', 'lists', ['Doing'], 'list'],
  ['label_added_to_card', 'labels', ['urgent'], 'label'],
  ['new_member_on_card', 'members', ['me', '@BEN', 'ada marsh'], 'member'],
])(
  '%s takes names in %s that its boards have; any other would never be met, and is refused',
  async (name, field, known, what) => {
    const { config, settle } = integration.triggers.find((trigger) => trigger.name === name) ?? triggerOf(name);
    const settled = (names: readonly string[], boards = [scene.board.launch().name]) =>
      settle?.(config.parse({ boards, [field]: names }), scene.contextOf(), () => false);

    expect(await settled([...known, someId.toUpperCase()])).toMatchObject({ [field]: [...known, someId] });
    await expect(settled([...known, 'Nowhere'])).rejects.toMatchObject({
      message: expect.stringContaining(`no ${what} "Nowhere"`),
      details: { fields: [{ field: `config.${field}[${known.length}]` }], candidates: expect.any(Array) },
    });
    if (what === 'list') await expect(settled(['Nowhere'], [])).rejects.toThrow('no list "Nowhere"');
    expect(await settled(known, [])).toMatchObject({ [field]: known });
  },
);

test('cards are kept by their ids, since not every action tells the short link; one that nobody knows is refused', async () => {
  const card = scene.board.newCard();
  const elsewhere = scene.board.newBoard();
  const { config, settle } = triggerOf('custom_webhook_events');
  const settled = (cards: string[]) =>
    settle?.(config.parse({ cards, eventTypes: ['moveCardFromBoard'] }), scene.contextOf(), () => false);
  const given = [card.shortLink, `https://trello.com/c/${card.shortLink}/1-a-card`, card.id.toUpperCase()];
  expect(await settled(given)).toMatchObject({ cards: [card.id] });
  const kept = (await settled([card.shortLink])) as object;
  scene.board.changeCard(card, { board: elsewhere });
  const left = scene.board.actions(scene.board.launch().id).findLast(({ type }) => type === 'moveCardFromBoard');
  expect((await judge('custom_webhook_events', left, kept)).judgement).toEqual(fired);
  await expect(settled([card.id, 'nOsUcHcD'])).rejects.toMatchObject({
    details: { fields: [{ field: 'config.cards[1]' }] },
  });
});

test('workspaces are kept by their ids, so that they may be renamed; one that nobody knows is refused', async () => {
  const { config, settle, resources } = triggerOf('new_board');
  const settled = async (...workspaces: string[]) =>
    config.parse(await settle?.(config.parse({ workspaces }), scene.contextOf(), () => false));
  const organization = scene.board.launch().idOrganization ?? '';

  const kept = await settled('analytical engines', organization.toUpperCase());
  expect(kept).toMatchObject({ workspaces: [organization] });
  await scene.bench.make('PUT', `/1/organizations/${organization}`, { displayName: 'Difference Engines' });
  expect(await resources(kept, scene.contextOf())).toContain(`organization/${organization}`);
  for (const unknown of [someId, 'Nowhere']) {
    await expect(settled(organization, unknown)).rejects.toMatchObject({
      details: { fields: [{ field: 'config.workspaces[1]' }], candidates: [{ id: organization }] },
    });
  }
});

test('where nobody decides, the card is read for agents that use what only reading tells', async () => {
  const onCards = integration.triggers.filter(({ config }) => 'includeCard' in config.shape);
  expect(onCards).toHaveLength(11);
  const kept = async ({ config, settle }: (typeof onCards)[number], given: object, used: string) =>
    settle?.(config.parse(given), scene.contextOf(), (part) => part.join('.') === used);
  for (const trigger of onCards) {
    expect(await kept(trigger, {}, 'card.desc')).toMatchObject({ includeCard: true });
    expect(await kept(trigger, {}, 'card.name')).toMatchObject({ includeCard: false });
    expect(await kept(trigger, { includeCard: false }, 'card.desc')).toMatchObject({ includeCard: false });
    expect(await kept(trigger, { includeCard: true }, '')).toMatchObject({ includeCard: true });
  }
  expect(await kept(triggerOf('label_added_to_card') as never, {}, 'list')).toMatchObject({ includeCard: true });
  expect(await kept(triggerOf('new_card') as never, {}, 'list')).toMatchObject({ includeCard: false });
});

test('boards of a configuration become resources, by id; without any, all open ones', async () => {
  const { resources, config } = triggerOf('new_card');
  const { id, shortLink } = scene.board.launch();
  const boards = [id.toUpperCase(), shortLink, `https://trello.com/b/${shortLink}/launch`];
  expect(await resources(config.parse({ boards }), scene.contextOf())).toEqual([`board/${id}`]);
  const closed = scene.board.newBoard();
  await scene.bench.make('PUT', `/1/boards/${closed.id}`, { closed: true });
  const all = await resources(config.parse({}), scene.contextOf());
  expect(all).toContain(`board/${id}`);
  expect(all).not.toContain(`board/${closed.id}`);
  const missing = resources(config.parse({ boards: ['5f0000000000000000000009', 'nOnEsUcH'] }), scene.contextOf());
  await expect(missing).rejects.toMatchObject({ code: 'invalid_input' });
  const own = await triggerOf('new_board').resources(triggerOf('new_board').config.parse({}), scene.contextOf());
  expect(own).toEqual(['member/me', `organization/${scene.board.launch().idOrganization}`]);
});

test.each([
  ['custom_webhook_events', 'eventTypes'],
  ['new_board_activity', 'activityTypes'],
])('%s is not made with a slip in %s, by which it would never fire', async (name, field) => {
  const { config, settle } = triggerOf(name);
  const settled = (types: readonly string[]) =>
    settle?.(config.parse({ [field]: types }), scene.contextOf(), () => false);
  const meant = ['create', 'updateCard:idList', 'addLabelToCard', 'somethingTheServiceAddsLater'];
  expect(await settled(meant)).toMatchObject({ [field]: meant });
  const slips = {
    creatCard: 'createCard',
    updatecard: 'updateCard',
    cardCreated: 'createCard',
    commentsCard: 'commentCard',
  };
  for (const [slip, right] of Object.entries(slips)) {
    await expect(settled(['create', slip]), slip).rejects.toMatchObject({
      message: expect.stringContaining(`Is ${right} meant?`),
      details: { fields: [{ field: `config.${field}[1]` }] },
    });
  }
});
