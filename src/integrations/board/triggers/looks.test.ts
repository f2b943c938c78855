import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Looked, PollTrigger } from '#kit';
import { type BoardScene, boardScene } from '../../../../test/board-scene.ts';
import { milliseconds } from '../lead-time.ts';
import { cardDueReminder } from './card-due-reminder.ts';
import { newNotification } from './new-notification.ts';

let scene: BoardScene;
beforeEach(async () => {
  scene = await boardScene();
});
afterEach(() => scene[Symbol.asyncDispose]());

/** Looks again and again, as the clock says. */
const looker = (trigger: PollTrigger, config: object, who = 'ada', enabledInMs = 0) => {
  let cursor: unknown;
  const since = new Date(Date.now() + enabledInMs);
  const look = async (minutes = 0): Promise<Looked> => {
    const now = new Date(since.getTime() + minutes * 60_000);
    const { upstream, account } = scene.contextOf({ who });
    const looked = await trigger.look({ upstream, account, config: trigger.config.parse(config), cursor, since, now });
    cursor = JSON.parse(JSON.stringify(looked.cursor));
    for (const { event } of looked.sightings) expect(trigger.event.parse(event)).toEqual(event);
    return looked;
  };
  return look;
};

const dueIn = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
const subjects = ({ sightings }: Looked) => sightings.map(({ subject }) => subject);

describe('due reminders', () => {
  test('what was past at the first look never fires; the rest fires once, when its moment has come', async () => {
    const { board } = scene;
    const look = looker(cardDueReminder, { boards: [board.launch().shortLink], leadTime: 'PT1H' });
    const past = board.newCard({ due: dueIn(30) });
    const archived = board.changeCard(board.newCard({ due: dueIn(20) }), { closed: true });
    const soon = board.newCard({ due: dueIn(62) });
    const first = await look();
    expect(first.sightings).toEqual([]);
    // On time, not at the next regular look.
    expect(first.nextAt?.getTime()).toBe(Date.parse(soon.due ?? '') - 3_600_000);
    board.changeCard(archived, { closed: false });
    expect(subjects(await look(1))).toEqual([]);
    const fired = await look(3);
    expect(subjects(fired)).toEqual([soon.id]);
    expect(fired.sightings[0]).toMatchObject({
      key: `${soon.id} ${soon.due} 3600000`,
      at: new Date(Date.parse(soon.due ?? '') - 3_600_000),
      event: { card: { id: soon.id, due: soon.due }, dueAt: soon.due, board: { name: 'Launch' } },
    });
    expect(subjects(await look(4))).toEqual([]);
    expect(subjects(await look(200))).toEqual([]);
    expect(past.due).not.toBeNull();
  });

  test('while a board is closed, the look says so; nothing on it reminds', async () => {
    const { board, bench } = scene;
    const others = ['Alpha', 'Beta'].map((name) => board.newBoard({ name }).id);
    const look = looker(cardDueReminder, { boards: [board.launch().id, ...others], leadTime: 'PT1H' });
    expect((await look()).hindrance).toBeUndefined();
    const [first = '', second = ''] = others;
    const close = (id: string, closed: boolean) => bench.make('PUT', `/1/boards/${id}`, { closed });
    await close(first, true);
    const one = 'The board “Alpha” is closed, so nothing on it reminds; reopen it, or choose another one.';
    expect((await look(1)).hindrance).toBe(one);
    await close(second, true);
    const both =
      'The boards “Alpha”, “Beta” are closed, so nothing on them reminds; reopen them, or choose another one.';
    expect((await look(2)).hindrance).toBe(both);
    for (const id of others) await close(id, false);
    expect((await look(3)).hindrance).toBeUndefined();
  });

  test('a chosen board that was deleted is told of by its name beside one that is closed, one of all boards is not', async () => {
    const { board, bench } = scene;
    const [gone, closed] = ['Alpha', 'Beta'].map((name) => board.newBoard({ name }).id);
    const look = looker(cardDueReminder, { boards: [board.launch().id, gone, closed] });
    const onAll = looker(cardDueReminder, {});
    await Promise.all([look(), onAll()]);
    await bench.make('DELETE', `/1/boards/${gone}`);
    const deleted =
      'The board “Alpha” was deleted, or the account may not see it any more, so nothing on it reminds; choose another one.';
    expect([(await look(1)).hindrance, (await look(2)).hindrance]).toEqual([deleted, deleted]);
    expect((await onAll(1)).hindrance).toBeUndefined();
    await bench.make('PUT', `/1/boards/${closed}`, { closed: true });
    expect((await look(3)).hindrance).toMatch(/^The board “Beta” is closed, .*one\. The board “Alpha” was deleted, /);
    // Gone before it was ever seen.
    const late = looker(cardDueReminder, { boards: [gone] });
    expect((await late()).hindrance).toContain(`The board ${gone} was deleted`);
  });

  test('a reminder of what is overdue by then says so', async () => {
    const { board } = scene;
    const look = looker(cardDueReminder, { boards: [board.launch().id], leadTime: 'PT1M' });
    await look();
    const { due } = board.newCard({ name: 'Late', due: dueIn(-1) });
    const soon = board.newCard({ name: 'Soon', due: dueIn(2) });
    const summaries = async (minutes: number) => (await look(minutes)).sightings.map(({ summary }) => summary);
    expect(await summaries(1.5)).toEqual([`“Late” was due at ${due}`, `“Soon” is due at ${soon.due}`]);
  });

  test('a moment between enabling and a first look that is late is told', async () => {
    const { board } = scene;
    const look = looker(cardDueReminder, { boards: [board.launch().id], leadTime: 'PT1H' });
    board.newCard({ due: dueIn(55) });
    const missed = board.newCard({ due: dueIn(65) });
    expect(subjects(await look(10))).toEqual([missed.id]);
    expect(subjects(await look(11))).toEqual([]);
  });

  test('a due date that changes is armed again, even into a moment that is past; one that is taken away is not', async () => {
    const { board } = scene;
    const look = looker(cardDueReminder, { boards: [board.launch().id], leadTime: '15 minutes' });
    const moved = board.newCard({ due: dueIn(5) });
    const gone = board.newCard({ due: dueIn(40) });
    expect(subjects(await look())).toEqual([]);
    board.changeCard(moved, { due: dueIn(10) });
    board.changeCard(gone, { due: null });
    expect(subjects(await look(1))).toEqual([moved.id]);
    board.changeCard(moved, { due: dueIn(60) });
    expect(subjects(await look(30))).toEqual([]);
    expect(subjects(await look(46))).toEqual([moved.id]);
  });

  test('with other settings what was past stays silent, and what is yet to come fires, whatever was told before', async () => {
    const { board } = scene;
    const [todo, doing] = board.lists();
    if (todo === undefined || doing === undefined) throw new Error('no lists');
    const config = { boards: [board.launch().id], leadTime: 'PT2H', lists: [doing.id] };
    const look = looker(cardDueReminder, config);
    await look();
    const told = board.newCard({ due: dueIn(100), list: doing });
    expect(subjects(await look(1))).toEqual([told.id]);
    board.newCard({ due: dueIn(30), list: todo });
    await look(2);
    Object.assign(config, { leadTime: 'PT1H', lists: [] });
    expect(subjects(await look(3))).toEqual([]);
    expect(subjects(await look(41))).toEqual([told.id]);
    Object.assign(config, { leadTime: 'P1W' });
    expect(subjects(await look(42))).toEqual([]);
  });

  test.each([
    ['put off', { due: dueIn(600) }],
    ['done', { dueComplete: true }],
    ['archived', { closed: true }],
  ])('a card that is %s while its board is looked through stays silent', async (_, change) => {
    const { board } = scene;
    const card = board.newCard({ due: dueIn(62) });
    const config = cardDueReminder.config.parse({ boards: [board.launch().id], leadTime: 'PT1H' });
    const { upstream, account } = scene.contextOf();
    const since = new Date();
    const { cursor } = await cardDueReminder.look({ upstream, account, config, cursor: undefined, since, now: since });
    const get: typeof upstream.get = (target, options) => {
      if (target.startsWith('/1/cards/')) board.changeCard(card, change);
      return upstream.get(target, options);
    };
    const now = new Date(since.getTime() + 180_000);
    const meanwhile = { upstream: { ...upstream, get }, account, config, cursor, since, now };
    expect(subjects(await cardDueReminder.look(meanwhile))).toEqual([]);
  });

  test.each([
    ['marked as done', { dueComplete: true }, { dueComplete: false }],
    ['archived', { closed: true }, { closed: false }],
  ])(
    'of a card that was %s at the moment nobody is reminded once it is overdue, and it is said why',
    async (state, away, back) => {
      const { board, bench } = scene;
      const look = looker(cardDueReminder, { boards: [board.launch().id], leadTime: 'PT1H' });
      const [late, early, dated] = [62, 300, 62].map((minutes) => board.newCard({ due: dueIn(minutes) }));
      if (late === undefined || early === undefined || dated === undefined) throw new Error('no cards');
      await look();
      for (const card of [late, early, dated]) board.changeCard(card, away);
      expect((await look(250)).sightings).toEqual([]);
      await bench.control('clock', { advanceMs: 251 * 60_000 });
      for (const card of [late, early, dated]) board.changeCard(card, back);
      board.changeCard(dated, { due: dueIn(63) });
      const { sightings } = await look(252);
      const reason = `The card was ${state} when the moment of this reminder came, and by now it is overdue.`;
      // There is time left for the one, and the other was given another date only now.
      expect(sightings.map(({ subject, judgement }) => [subject, judgement])).toEqual([
        [late.id, { outcome: 'skipped', reason }],
        [early.id, undefined],
        [dated.id, undefined],
      ]);
      expect((await look(253)).sightings).toEqual([]);
    },
  );

  test('of a card that comes to be mine, or to a list that counts, when it is overdue nobody is reminded', async () => {
    const { board } = scene;
    const [todo, doing] = board.lists();
    const config = { boards: [board.launch().id], leadTime: 'PT1H' };
    const looks = [{ lists: [doing?.id] }, { onlyMine: true }].map((more) =>
      looker(cardDueReminder, { ...config, ...more }),
    );
    const card = board.newCard({ due: dueIn(62), ...(todo && { list: todo }) });
    for (const minutes of [0, 70]) for (const look of looks) await look(minutes);
    await scene.bench.make('PUT', `/1/cards/${card.id}`, { idList: doing?.id, idMembers: [board.member().id] });
    for (const look of looks) {
      const [sighting] = (await look(71)).sightings;
      expect(sighting?.judgement).toMatchObject({
        outcome: 'skipped',
        reason: expect.stringContaining('not among those'),
      });
    }
  });

  test('what became due while nobody could look is told late', async () => {
    const { board } = scene;
    const look = looker(cardDueReminder, { boards: [board.launch().id], leadTime: 'PT1H' });
    await look();
    const card = board.newCard({ due: dueIn(62) });
    expect((await look(200)).sightings).toMatchObject([{ subject: card.id, event: { dueIn: expect.any(Number) } }]);
  });

  test('what falls due after a look for which our clock was a day ahead is told', async () => {
    const { board } = scene;
    const look = looker(cardDueReminder, { boards: [board.launch().id], leadTime: 'PT0S' });
    await look(0);
    expect(subjects(await look(24 * 60))).toEqual([]);
    const card = board.newCard({ due: dueIn(3) });
    const told = await look(4);
    expect([subjects(told), told.sightings[0]?.judgement]).toEqual([[card.id], undefined]);
  });

  test('what is done, archived, in an archived list, elsewhere or of others stays silent', async () => {
    const { board } = scene;
    const [todo, doing] = board.lists();
    const [attic] = [board.newList({ name: 'Attic' })];
    if (todo === undefined || doing === undefined) throw new Error('no lists');
    const config = { boards: [board.launch().id], leadTime: 'P1D' };
    const all = looker(cardDueReminder, config);
    const mine = looker(cardDueReminder, { ...config, onlyMine: true });
    const here = looker(cardDueReminder, { ...config, lists: ['doing'] });
    const even = looker(cardDueReminder, { ...config, includeComplete: true });
    for (const look of [all, mine, here, even]) await look();
    const due = dueIn(60);
    const done = board.newCard({ due, dueComplete: true });
    board.changeCard(board.newCard({ due }), { closed: true });
    board.newCard({ due, list: attic });
    await scene.bench.make('PUT', `/1/lists/${attic.id}/closed`, { value: true });
    const plain = board.newCard({ due, list: doing });
    const own = board.newCard({ due, list: todo, idMembers: [board.member('ada').id] });
    expect(subjects(await all(1)).toSorted()).toEqual([plain.id, own.id].toSorted());
    expect(subjects(await mine(1))).toEqual([own.id]);
    expect(subjects(await here(1))).toEqual([plain.id]);
    expect(subjects(await even(1)).toSorted()).toEqual([done.id, plain.id, own.id].toSorted());
    board.changeCard(done, { dueComplete: false });
    expect(subjects(await all(2))).toEqual([done.id]);
  });

  test('cards of a closed board stay silent, however the board was chosen', async () => {
    const { board } = scene;
    const closing = board.newBoard();
    const looks = [{ boards: [closing.id] }, {}].map((chosen) =>
      looker(cardDueReminder, { leadTime: 'PT1H', ...chosen }),
    );
    for (const look of looks) await look();
    const [list] = board.lists(closing);
    if (list === undefined) throw new Error('no list');
    board.newCard({ due: dueIn(62), list });
    await scene.bench.make('PUT', `/1/boards/${closing.id}`, { closed: true });
    for (const look of looks) expect(await look(3)).toMatchObject({ sightings: [] });
  });

  test('without boards all open ones are looked at; one that is joined later is learned first, a new one is not', async () => {
    const { board } = scene;
    const on = (of: ReturnType<typeof board.newBoard>) => {
      const list = board.lists(of)[0];
      return { due: dueIn(30), as: 'ben', ...(list === undefined ? {} : { list }) };
    };
    const old = board.newBoard({ as: 'ben' });
    board.newCard(on(old));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const look = looker(cardDueReminder, { leadTime: 'PT1H' });
    await look();
    await scene.bench.make('PUT', `/1/boards/${old.id}/members/${board.member().id}`, { type: 'normal' }, 'ben');
    const fresh = board.newBoard();
    const there = board.newCard(on(fresh));
    expect(subjects(await look(1))).toEqual([there.id]);
    const late = board.newCard(on(old));
    expect(subjects(await look(2))).toEqual([late.id]);
  });

  test('lead times are read in both spellings, and nonsense is refused', () => {
    const parse = (leadTime: string) => cardDueReminder.config.safeParse({ leadTime }).success;
    for (const good of [
      'PT0S',
      'PT90S',
      'PT5M',
      'PT1H30M',
      'P1D',
      'P1W',
      'P1DT2H',
      '5 minutes',
      '5 min',
      '2 h',
      '1 hour',
      '3 days',
      '1 week',
    ]) {
      expect(parse(good), good).toBe(true);
    }
    const minutes = ['PT1H30M', 'pt1h30m', 'p1dt2h', 'P1W', '2 H', '1 Week'].map((each) => milliseconds(each) / 60_000);
    expect(minutes).toEqual([90, 90, 1_560, 10_080, 120, 10_080]);
    for (const bad of ['', 'P', 'PT', 'P1Y', '5', '5 moons', '-PT5M', 'P9999W']) expect(parse(bad), bad).toBe(false);
  });
});

describe('notifications', () => {
  test('the backlog never fires; each new one fires once, oldest first', async () => {
    const { board } = scene;
    const card = board.newCard({ idMembers: [board.member('ben').id] });
    board.comment(card, 'before');
    // The second in which it is enabled counts.
    const look = looker(newNotification, {}, 'ben', 1_000);
    expect((await look()).sightings).toEqual([]);
    board.comment(card, 'one');
    board.comment(card, '@ben two');
    const found = await look(1);
    expect(found.sightings.map(({ event }) => (event as { notification: { text: string } }).notification.text)).toEqual(
      ['one', '@ben two'],
    );
    expect(found.sightings[0]).toMatchObject({
      subject: card.id,
      actor: { name: board.member('ada').fullName },
      event: { notification: { type: 'commentCard', unread: true }, card: { id: card.id }, board: { name: 'Launch' } },
    });
    const { fullName } = board.member('ada');
    expect(found.sightings.map(({ summary }) => summary)).toEqual([
      `${fullName} commented on “${card.name}”`,
      `${fullName} mentioned you on “${card.name}”`,
    ]);
    expect((await look(2)).sightings).toEqual([]);
  });

  test('what comes between enabling and a first look that is late is told', async () => {
    const { board } = scene;
    const card = board.newCard({ idMembers: [board.member('ben').id] });
    const look = looker(newNotification, {}, 'ben');
    board.comment(card, 'while the service was away');
    const { sightings } = await look(20);
    expect(sightings.map(({ event }) => (event as { notification: { text?: string } }).notification.text)).toContain(
      'while the service was away',
    );
    expect((await look(21)).sightings).toEqual([]);
  });

  test('types and what was read are filtered by name; one without a card is told as well', async () => {
    const { board } = scene;
    const own = board.newBoard();
    const look = looker(newNotification, { types: ['addedToBoard', 'commentCard'], unreadOnly: true }, 'ben');
    const lookThere = looker(newNotification, { boards: [own.id] }, 'ben');
    await look();
    await lookThere();
    await scene.bench.make('PUT', `/1/boards/${own.id}/members/${board.member('ben').id}`, { type: 'normal' });
    const card = board.newCard({ idMembers: [board.member('ben').id] });
    board.comment(card, 'read already');
    const read = board.notifications('ben').at(-1);
    if (read !== undefined) read.unread = false;
    const { sightings } = await look(1);
    expect(sightings.map(({ judgement }) => judgement)).toEqual([
      undefined,
      { outcome: 'filtered', clause: 'types' },
      { outcome: 'filtered', clause: 'unreadOnly' },
    ]);
    expect(sightings[0]?.event).toMatchObject({ notification: { type: 'addedToBoard' }, board: { id: own.id } });
    const elsewhere = { outcome: 'filtered', clause: 'boards' };
    const there = (await lookThere(1)).sightings.map(({ judgement }) => judgement);
    expect(there).toEqual([undefined, elsewhere, elsewhere]);
  });

  test('more than a page comes whole', async () => {
    const { board } = scene;
    const card = board.newCard({ idMembers: [board.member('ben').id] });
    const look = looker(newNotification, {}, 'ben');
    await look();
    for (let n = 0; n < 1_050; n += 1) board.comment(card, `${n}`);
    const { sightings } = await look(1);
    expect(sightings).toHaveLength(1_050);
    expect(new Set(sightings.map(({ key }) => key)).size).toBe(1_050);
  });

  test('one of a shape that nobody knows keeps no other back, and who has left is nobody', async () => {
    const { board } = scene;
    const card = board.newCard({ idMembers: [board.member('ben').id] });
    const { upstream, account } = scene.contextOf({ who: 'ben' });
    const since = new Date();
    const look = (cursor: unknown, tell: typeof upstream.get = upstream.get) =>
      newNotification.look({ upstream: { ...upstream, get: tell }, account, config, cursor, since, now: since });
    const config = newNotification.config.parse({});
    const { cursor } = await look(undefined);
    for (const text of ['one', 'two', 'three']) board.comment(card, text);
    const odd: typeof upstream.get = async (...asked) => {
      const [three, two, one, ...others] = (await upstream.get(...asked)) as Record<string, unknown>[];
      const nameless = { id: board.member().id, fullName: null, username: null };
      return [
        { ...three, memberCreator: nameless },
        { ...two, date: null, unread: 'perhaps' },
        { ...one, memberCreator: {} },
        ...others,
      ];
    };
    const { sightings } = await look(cursor, odd);
    const texts = sightings.map(({ event }) => (event as { notification: { text?: string } }).notification.text);
    expect(texts.slice(-2)).toEqual(['one', 'three']);
    expect(sightings.at(-1)?.actor).toEqual({ id: board.member().id, name: board.member().id });
  });

  test('how often it looks is up to the configuration', () => {
    expect(newNotification.pollSeconds?.(newNotification.config.parse({ pollInterval: 30 }))).toBe(30);
    expect(newNotification.config.safeParse({ pollInterval: 29 }).success).toBe(false);
  });
});
