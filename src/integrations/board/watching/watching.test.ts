import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CaughtUp, type Occurrence, path, type WatchContext } from '#kit';
import { type BoardScene, boardScene, toNotification } from '../../../../test/board-scene.ts';
import { board as integration } from '../index.ts';
import { watching } from './index.ts';
import { Action, occurrenceOf } from './occurrence.ts';

const { push } = watching;
const typesOf = (all: readonly Occurrence[]) => all.map(({ body }) => (body as { type: string }).type);

/** Everything since the cursor, in the order it is told. */
const allSince = async (resource: string, cursor: unknown, context: WatchContext) => {
  const occurrences: Occurrence[] = [];
  let caught: CaughtUp = { occurrences: [], cursor, more: true };
  let rounds = 0;
  for (; caught.more; rounds += 1) {
    caught = await watching.catchUp(resource, caught.cursor, context);
    occurrences.push(...caught.occurrences);
  }
  return { occurrences, cursor: caught.cursor, gaps: caught.gaps ?? [], rounds };
};

describe('registrations', () => {
  let scene: BoardScene;
  beforeAll(async () => {
    scene = await boardScene();
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  test.each(['board', 'member', 'organization'])('%s: registered once, and registering again adopts', async (kind) => {
    const hook = await scene.bench.listen();
    const launch = scene.board.launch();
    const ids: Record<string, string> = { board: launch.id, member: 'me', organization: launch.idOrganization ?? '' };
    const context = scene.contextOf();
    const callback = { url: `${hook.url}?for=${kind}`, secret: '' };
    const resource = `${kind}/${ids[kind]}`;
    const made = await push.register(resource, callback, context);
    const idModel = kind === 'member' ? context.account.identity.id : ids[kind];
    expect(scene.board.webhooks().find(({ id }) => id === made.id)).toMatchObject({
      callbackURL: callback.url,
      idModel,
    });
    // One that the service had switched off meanwhile is switched on again.
    await context.upstream.put(path`/1/webhooks/${made.id}`, { body: { active: false } });
    expect(await push.register(resource, callback, context)).toEqual(made);
    expect(scene.board.webhooks().find(({ id }) => id === made.id)).toMatchObject({ active: true });
    expect(await push.list(context)).toContainEqual({ id: made.id, url: callback.url });
    expect(await push.check(resource, made, callback, context)).toEqual({ state: 'healthy', registration: made });
  });

  test('the token is sent to the service, and nowhere else', async () => {
    scene.board.control.log.clear();
    const paths: string[] = [];
    const context = scene.contextOf();
    const spying = {
      ...context.upstream,
      get: (...asked: Parameters<typeof context.upstream.get>) => (
        paths.push(asked[0]), context.upstream.get(...asked)
      ),
    };
    await push.list({ ...context, upstream: spying });
    expect(paths).toEqual(['/1/tokens/{token}/webhooks']);
  });

  test('one that was signed in for is registered and listed alike', async () => {
    const { access } = await scene.signIn();
    const hook = await scene.bench.listen();
    const context = scene.contextOf({ credential: { accessToken: access } });
    const resource = `board/${scene.board.launch().id}`;
    const callback = { url: hook.url, secret: '' };
    const made = await push.register(resource, callback, context);
    expect(await push.register(resource, callback, context)).toEqual(made);
    await push.remove(made, context);
    expect(await push.list(context)).toEqual([]);
  });

  test('an address that does not answer is told as such', async () => {
    const hook = await scene.bench.listen(() => 503);
    const resource = `board/${scene.board.launch().id}`;
    const refused = push.register(resource, { url: hook.url, secret: '' }, scene.contextOf());
    await expect(refused).rejects.toMatchObject({ code: 'upstream_rejected' });
  });

  test('a webhook that fails, was switched off, points elsewhere or is gone is found out', async () => {
    const [hook, moved] = [await scene.bench.listen(), await scene.bench.listen()];
    const context = scene.contextOf();
    const resource = `board/${scene.board.launch().id}`;
    const callback = { url: hook.url, secret: '' };
    const made = await push.register(resource, callback, context);
    const webhook = scene.board.webhooks().find(({ id }) => id === made.id);
    if (webhook === undefined) throw new Error('no webhook');
    webhook.consecutiveFailures = 3;
    expect(await push.check(resource, made, callback, context)).toMatchObject({ state: 'degraded' });
    webhook.active = false;
    expect(await push.check(resource, made, callback, context)).toMatchObject({ state: 'degraded' });
    expect(webhook).toMatchObject({ active: true, consecutiveFailures: 0 });
    expect(await push.check(resource, made, { ...callback, url: moved.url }, context)).toMatchObject({
      state: 'healthy',
    });
    expect(webhook.callbackURL).toBe(moved.url);
    await push.remove(made, context);
    expect(await push.check(resource, made, callback, context)).toMatchObject({ state: 'gone' });
    await push.remove(made, context);
    // Nobody else's is touched.
    const theirs = await push.register(resource, callback, scene.contextOf({ who: 'ben' }));
    expect(await push.check(resource, theirs, callback, context)).toMatchObject({ state: 'gone' });
    await push.remove(theirs, context);
    expect(scene.board.webhooks().some(({ id }) => id === theirs.id)).toBe(true);
  });
});

test('a delivery is verified with the secret of each way to connect, and known by one key by every way', async () => {
  await using scene = await boardScene();
  const { appSecret, ...credential } = scene.board.credentials();
  const { access, clientSecret } = await scene.signIn();
  const [typed, signedIn, member] = [
    await scene.bench.listen(),
    await scene.bench.listen(),
    await scene.bench.listen(),
  ];
  const resource = `board/${scene.board.launch().id}`;
  await push.register(resource, { url: typed.url, secret: '' }, scene.contextOf());
  await push.register('member/me', { url: member.url, secret: '' }, scene.contextOf());
  const grant = { accessToken: access };
  await push.register(resource, { url: signedIn.url, secret: '' }, scene.contextOf({ credential: grant }));
  const [oauth, fragment, byKey] = integration.auth;
  const apiBase = new URL('http://127.0.0.1:1');
  const settings = {
    apiBase,
    oauth: { clientId: 'x', clientSecret, authorizeUrl: apiBase, tokenUrl: apiBase },
    fragment: { base: apiBase, appKey: credential.key, appSecret },
  };
  expect(byKey?.signingSecret?.({ ...credential, secret: appSecret }, { apiBase })).toBe(appSecret);
  expect(byKey?.signingSecret?.(credential, { apiBase })).toBeUndefined();
  expect(fragment?.signingSecret?.(credential, settings)).toBe(appSecret);
  expect(oauth?.signingSecret?.(grant, settings)).toBe(clientSecret);

  const written = await scene.contextOf().upstream.post('/1/cards' as never, {
    body: { idList: scene.board.lists()[0]?.id, name: 'Grüße' },
  });
  const keys = new Set<string>();
  for (const [hook, secret] of [
    [typed, appSecret],
    [member, appSecret],
    [signedIn, clientSecret],
  ] as const) {
    const [one] = await hook.until(1);
    if (one === undefined) throw new Error('nothing came');
    const proof = { url: hook.url, signingSecret: secret, isOurSecret: () => false };
    const received = push.receive(toNotification(one), proof);
    if ('answer' in received) throw new Error(`answered ${received.answer.status}`);
    for (const { key, subject } of received.occurrences) {
      keys.add(key);
      expect(subject).toBe((written as { id: string }).id);
    }
    expect(push.receive(toNotification(one), { ...proof, signingSecret: 'other' })).toEqual({
      answer: { status: 401 },
    });
  }
  expect(keys.size).toBe(1);
  const [hint = ''] = keys;
  expect(await watching.read(resource, hint, scene.contextOf())).toMatchObject({ key: hint });
});

describe('catching up', () => {
  test('tells what happened since, oldest first and once, however often it looks', async () => {
    await using scene = await boardScene();
    const context = scene.contextOf();
    const resource = `board/${scene.board.launch().id}`;
    const cursor = await watching.begin(resource, context.now, context);
    const card = scene.board.newCard({ due: '2027-01-05T10:00:00.000Z' });
    scene.board.comment(card, 'Hello');
    const first = await allSince(resource, cursor, context);
    expect(typesOf(first.occurrences)).toEqual(['updateCard', 'createCard', 'commentCard']);
    scene.board.changeCard(card, { name: 'Other' });
    const second = await allSince(resource, first.cursor, context);
    expect(typesOf(second.occurrences)).toEqual(['updateCard']);
    expect((await allSince(resource, second.cursor, context)).occurrences).toEqual([]);
    expect(JSON.stringify(second.cursor).length).toBeLessThan(1_000);
  });

  test('tells once more what was told from the second on in which somebody joins, and nothing before', async () => {
    await using scene = await boardScene();
    const context = scene.contextOf();
    const resource = `board/${scene.board.launch().id}`;
    const begun = await watching.begin(resource, new Date(Date.now() - 60_000), context);
    for (const name of ['Before', 'Just now']) scene.board.newCard({ name, as: 'ben' });
    const { occurrences, cursor } = await allSince(resource, begun, context);
    const told = occurrences.map(({ at }) => at.getTime());
    const joinedAt = (ms: number) => allSince(resource, watching.again(cursor, new Date(ms)), context);
    const tellsAgain = async (ms: number) => (await joinedAt(ms)).occurrences.map(({ at }) => at.getTime());
    const [first = 0] = told;
    expect(await tellsAgain(first)).toEqual(told);
    expect(await tellsAgain(first - 59_000)).toEqual(told);
    expect(await tellsAgain(Math.max(...told) + 1_000)).toEqual([]);
  });

  test('begins by the clock of the service when that is behind ours, and finds what came to light late', async () => {
    await using scene = await boardScene();
    const resource = `board/${scene.board.launch().id}`;
    const ahead = scene.contextOf({ now: new Date(Date.now() + 3_600_000) });
    const cursor = await watching.begin(resource, ahead.now, ahead);
    const card = scene.board.newCard();
    const [action] = scene.board.actions(card.id);
    if (action === undefined) throw new Error('no action');
    scene.board.comment(card, 'Later');
    scene.board.world.dropAction(action);
    const first = await allSince(resource, cursor, ahead);
    expect(typesOf(first.occurrences)).toEqual(['commentCard']);
    const feed = scene.board.world.actionsOf.get(scene.board.launch().id) ?? [];
    feed.splice(feed.length - 1, 0, action);
    expect(typesOf((await allSince(resource, first.cursor, ahead)).occurrences)).toEqual(['createCard']);
  });

  test('2,500 actions come in several stretches, in order and complete', async () => {
    await using scene = await boardScene();
    const context = scene.contextOf();
    const resource = `board/${scene.board.launch().id}`;
    const cursor = await watching.begin(resource, context.now, context);
    const card = scene.board.newCard();
    for (let n = 0; n < 2_500; n += 1) scene.board.comment(card, `${n}`);
    const { occurrences, rounds, cursor: after } = await allSince(resource, cursor, context);
    expect(rounds).toBeGreaterThan(2);
    expect(occurrences).toHaveLength(2_501);
    expect(occurrences.map(({ order }) => order)).toEqual(occurrences.map(({ order }) => order).toSorted());
    const texts = occurrences.slice(1).map(({ body }) => (body as { data: { text: string } }).data.text);
    expect(texts).toEqual(Array.from({ length: 2_500 }, (_, n) => `${n}`));
    scene.board.comment(card, 'one more');
    const again = await allSince(resource, after, context);
    expect(again.occurrences.at(-1)?.body).toMatchObject({ data: { text: 'one more' } });
  });

  test('a gap is told after an interruption only, and to those who asked for everything', async () => {
    await using scene = await boardScene();
    const resource = `board/${scene.board.launch().id}`;
    const all = ['new_board_activity'];
    const cursor = await watching.begin(resource, new Date(), scene.contextOf());
    const later = new Date(Date.now() + 3_600_000);
    expect((await allSince(resource, cursor, scene.contextOf({ triggers: all }))).gaps).toEqual([]);
    expect((await allSince(resource, cursor, scene.contextOf({ triggers: ['new_card'], now: later }))).gaps).toEqual(
      [],
    );
    expect((await allSince(resource, cursor, scene.contextOf({ triggers: all, now: later }))).gaps).toHaveLength(1);
  });

  test('a board that is closed is told of until it is open again, also where that was not remembered before', async () => {
    await using scene = await boardScene();
    const { id } = scene.board.newBoard({ as: 'ada' });
    const context = scene.contextOf();
    const close = (closed: boolean) => context.upstream.put(path`/1/boards/${id}`, { body: { closed } });
    let cursor = (await watching.begin(`board/${id}`, new Date(), context)) as object;
    const hindrance = async (more: object = {}) => {
      const caught = await watching.catchUp(`board/${id}`, { ...cursor, ...more }, context);
      cursor = JSON.parse(JSON.stringify(caught.cursor));
      return caught.hindrance;
    };
    expect(await hindrance()).toBeUndefined();
    await close(true);
    expect([await hindrance(), await hindrance()]).toEqual(Array(2).fill(expect.stringMatching(/closed.*reopen/)));
    const forgotten = { isClosed: undefined, after: 'f'.repeat(24) };
    expect(await hindrance(forgotten)).toMatch(/closed/);
    await close(false);
    expect(await hindrance(forgotten)).toBeUndefined();
  });

  test("a board's name is told without a call of its own, and asked for once where it was not remembered", async () => {
    await using scene = await boardScene();
    const { id } = scene.board.newBoard({ name: 'Fleeting' });
    const context = scene.contextOf();
    const asked: string[] = [];
    const get: typeof context.upstream.get = (...given) => (asked.push(given[0]), context.upstream.get(...given));
    const spying = { ...context, upstream: { ...context.upstream, get } };
    let cursor = (await watching.begin(`board/${id}`, new Date(), spying)) as object;
    const look = async (more: object = {}) => {
      const { name, cursor: next } = await watching.catchUp(`board/${id}`, { ...cursor, ...more }, spying);
      cursor = JSON.parse(JSON.stringify(next));
      return name;
    };
    expect([await look(), await look()]).toEqual(['Fleeting', 'Fleeting']);
    await context.upstream.put(path`/1/boards/${id}`, { body: { name: 'Lasting' } });
    expect(await look()).toBe('Lasting');
    expect(asked).not.toContain(`/1/boards/${id}`);
    const forgotten = { name: undefined, after: 'f'.repeat(24) };
    expect([await look(forgotten), await look()]).toEqual(['Lasting', 'Lasting']);
    expect(asked.filter((each) => each === `/1/boards/${id}`)).toHaveLength(1);
  });

  test('a board that is gone or hidden is a fault that says so', async () => {
    await using scene = await boardScene();
    const missing = watching.begin('board/5f0000000000000000000009', new Date(), scene.contextOf());
    await expect(missing).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('was deleted') });
    const own = scene.board.newBoard({ as: 'ben' });
    const hidden = watching.begin(`board/${own.id}`, new Date(), scene.contextOf());
    await expect(hidden).rejects.toMatchObject({ code: 'upstream_rejected' });
  });

  test("a hint leads only to what happened on the watch's own board", async () => {
    await using scene = await boardScene();
    const elsewhere = scene.board.newBoard();
    const list = scene.board.lists(elsewhere)[0];
    const card = scene.board.newCard(list === undefined ? {} : { list });
    const [action] = scene.board.actions(card.id);
    const context = scene.contextOf();
    const read = (resource: string, hint: string) => watching.read(resource, hint, context);
    expect(await read(`board/${elsewhere.id}`, action?.id ?? '')).toMatchObject({ key: action?.id });
    expect(await read(`board/${scene.board.launch().id}`, action?.id ?? '')).toBeUndefined();
    expect(await read(`board/${elsewhere.id}`, '5f0000000000000000000009')).toBeUndefined();
    expect(await read(`board/${elsewhere.id}`, '../members/me')).toBeUndefined();
  });

  test('the newest come first for trying a configuration out', async () => {
    await using scene = await boardScene();
    const card = scene.board.newCard();
    scene.board.comment(card, 'Hello');
    const recent = await watching.recent(`board/${scene.board.launch().id}`, 2, scene.contextOf());
    expect(typesOf(recent)).toEqual(['commentCard', 'createCard']);
  });
});

describe('what the service never lists', () => {
  const triggers = ['label_added_to_card', 'new_label'];

  test('labels put on, taken off and made are told from the board itself', async () => {
    await using scene = await boardScene();
    const { board } = scene;
    const resource = `board/${board.launch().id}`;
    const see = () => watching.state?.snapshot(resource, scene.contextOf({ triggers }));
    const [label] = board.labels();
    if (label === undefined || watching.state === undefined) throw new Error('no label');
    const card = board.newCard();
    const labelled = board.newCard();
    const source = board.newCard({ idLabels: [label.id], idMembers: [board.member().id] });
    board.changeCard(labelled, { labels: [label] });
    const first = watching.state.diff(undefined, await see());
    await later();
    board.changeCard(card, { labels: [label] });
    board.changeCard(labelled, { labels: [] });
    const made = board.newLabel({ name: 'Fresh', color: 'sky' });
    const born = board.newCard({ idLabels: [label.id] });
    await later();
    const copied = board.newCard({ source, keepFromSource: 'all' });
    // The people of a copy are told once more after it, as the service does it.
    const again = board.actions(copied.id).at(-1);
    if (again === undefined) throw new Error('nobody is told');
    again.date = new Date(Date.parse(again.date) + 30).toISOString();
    copied.dateLastActivity = again.date;
    const grown = board.newCard();
    await later();
    board.changeCard(grown, { labels: [label] });
    const { occurrences, state } = watching.state.diff(first.state, await see());
    const told = occurrences.map(({ body }) => {
      const { type, data } = body as { type: string; data: { card?: { id: string }; label: { id: string } } };
      return [type, data.card?.id, data.label.id];
    });
    expect(told.toSorted()).toEqual(
      [
        ['addLabelToCard', card.id, label.id],
        ['removeLabelFromCard', labelled.id, label.id],
        ['createLabel', undefined, made.id],
        ['addLabelToCard', grown.id, label.id],
      ].toSorted(),
    );
    expect(told.some(([, id]) => id === born.id || id === copied.id)).toBe(false);
    expect(watching.state.diff(state, await see()).occurrences).toEqual([]);
    const [added] = occurrences.filter(({ subject }) => subject === card.id);
    const real = board.actions(card.id).find(({ type }) => type === 'addLabelToCard');
    // As a notification would tell it, late.
    const heard = occurrenceOf(Action.parse(real));
    expect(watching.state.concerns(heard)).toBe(true);
    expect(watching.state.absorb(state, [heard]).covered).toEqual(new Set([heard.key]));
    expect(added?.at.getTime()).toBeGreaterThanOrEqual(heard.at.getTime());
  });

  test('nothing is fetched that no trigger asks for', async () => {
    await using scene = await boardScene();
    const resource = `board/${scene.board.launch().id}`;
    scene.board.control.log.clear();
    expect(await watching.state?.snapshot(resource, scene.contextOf({ triggers: ['new_card'] }))).toBeUndefined();
    expect(await watching.state?.snapshot('member/me', scene.contextOf({ triggers }))).toBeUndefined();
    expect(scene.board.control.log.list()).toEqual([]);
  });

  test('a board that somebody else makes is found among those of the workspace', async () => {
    await using scene = await boardScene();
    const { board } = scene;
    const organization = board.launch().idOrganization ?? '';
    const context = scene.contextOf({ triggers: ['new_board'] });
    const resource = `organization/${organization}`;
    const first = watching.state?.diff(undefined, await watching.state.snapshot(resource, context));
    const prefs = { permissionLevel: 'org' };
    const made = board.newBoard({ as: 'ben', idOrganization: organization, prefs });
    const seen = watching.state?.diff(first?.state, await watching.state.snapshot(resource, context));
    expect(seen?.occurrences.map(({ key }) => key)).toEqual([`board ${made.id}`]);
    const [action] = board.actions(made.id);
    const read = await watching.read(`board/${made.id}`, action?.id ?? '', scene.contextOf({ who: 'ben' }));
    expect(read?.key).toBe(`board ${made.id}`);
  });
});

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 3));
