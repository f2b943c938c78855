import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { silentLog } from '#log';
import { openStore } from '#store';
import { eventScene, type Scene } from '../../test/event-scene.ts';
import { runStatement } from '../../test/run-statement.ts';
import { bootstrapKey, callerFor, reachableAddress } from '../../test/workbench.ts';
import type { EventDraft } from './draft.ts';
import { judgeAgain, pausedSince, unlessGoneOn } from './skipped-in-pause.ts';

const silent = { drop: 1 };
const control = (base: string, path: string, body: object) =>
  fetch(`${base}/_control/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const onLaunch = async (scene: Scene, type: string, config: object = {}) => {
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const boards = [scene.board.launch().id];
  return scene.newTrigger(agentId, type, accountId, { boards, ...config });
};

test('what no notification told is found by looking, once', async () => {
  await using scene = await eventScene({ intervals: { lookMs: 300 } });
  await onLaunch(scene, 'board.new_card');
  await control(scene.board.url, 'notifications', silent);

  scene.board.newCard({ name: 'Quiet', as: 'ben' });
  const found = await scene.eventsUntil(1);
  await control(scene.board.url, 'notifications', { drop: 0 });
  scene.board.newCard({ name: 'Loud', as: 'ben' });
  await scene.eventsUntil(2);

  expect(found).toMatchObject([{ outcome: 'fired', delivery: 'catchup' }]);
  await new Promise((resolve) => setTimeout(resolve, 800));
  expect(await scene.events()).toHaveLength(2);
});

test('a label that no list tells of is found from the state of the cards', async () => {
  await using scene = await eventScene({ intervals: { lookMs: 300 } });
  await onLaunch(scene, 'board.label_added_to_card');
  const card = scene.board.newCard({ as: 'ben' });
  const [label] = [...scene.board.world.labels.values()];
  const { key, token } = scene.board.credentials('ben');
  await control(scene.board.url, 'notifications', silent);

  await fetch(`${scene.board.url}/1/cards/${card.id}/idLabels?value=${label?.id}&key=${key}&token=${token}`, {
    method: 'POST',
  });

  const events = await scene.eventsUntil(1);
  expect(events).toMatchObject([{ outcome: 'fired', delivery: 'catchup' }]);
  await new Promise((resolve) => setTimeout(resolve, 800));
  expect(await scene.events()).toHaveLength(1);
});

test('a label that was put on while nobody asked for labels is not new to a trigger that asks for them again', async () => {
  await using scene = await eventScene({ pushed: false, intervals: { pollMs: 200 } });
  const { agentId, accountId } = await onLaunch(scene, 'board.new_card');
  const boards = [scene.board.launch().id];
  const asking = () => scene.newTrigger(agentId, 'board.label_added_to_card', accountId, { boards });
  const card = scene.board.newCard({ as: 'ben' });
  const first = await asking();
  await scene.made('DELETE', `/v1/triggers/${first.id}`);
  const since = Date.now();
  const [watch] = await scene.until(
    async () => (await scene.made('GET', '/v1/triggers')).items[0].watches,
    ([{ caughtUpAt }]) => Date.parse(caughtUpAt) > since + 500,
  );
  expect(watch.way).toBe('poll');

  const [urgent] = scene.board.labels();
  if (urgent === undefined) throw new Error('no labels');
  const other = scene.board.newLabel({ name: 'Other' });
  scene.board.changeCard(card, { labels: [urgent] }, 'ben');
  await sleep(1_100);
  scene.board.comment(card, 'of the second in which the trigger is made', 'ben');
  const { id: triggerId } = await asking();
  scene.board.changeCard(card, { labels: [urgent, other] }, 'ben');

  await scene.eventsUntil(1, { triggerId });
  await sleep(500);
  const found = await scene.events({ triggerId });
  expect(found.map(({ summary }) => summary)).toEqual([expect.stringContaining(`“${other.name}”`)]);
});

test('a label that a notification told is not found again from the state of the cards, nor told when it was found, on whichever board', async () => {
  await using scene = await eventScene({ intervals: { lookMs: 3_600_000 } });
  const boards = [scene.board.launch(), scene.board.newBoard()];
  await scene.settled(await onLaunch(scene, 'board.label_added_to_card', { boards: boards.map(({ id }) => id) }));
  const cards = boards.map((board) => {
    const [list = scene.board.newList({ board, as: 'ada' })] = scene.board.lists(board);
    return { card: scene.board.newCard({ list, as: 'ada' }), labels: scene.board.labels(board) };
  });
  const putOn = (count: number) => {
    for (const { card, labels } of cards) scene.board.changeCard(card, { labels: labels.slice(0, count) }, 'ada');
  };
  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });

  const known = () =>
    store.system.selectFrom('watches').select(sql`remembered -> 'cards'`.as('cards')).orderBy('resource').execute();
  const before = await known();
  putOn(1);
  const told = await scene.eventsUntil(2);
  expect(await known()).toEqual(before);
  await control(scene.board.url, 'notifications', { pause: true });
  putOn(2);
  await store.system.updateTable('watches').set({ next_look_at: sql<Date>`clock_timestamp()` }).execute();
  const found = async () =>
    JSON.stringify(await store.system.selectFrom('events').select('data').execute()) +
    JSON.stringify(await store.system.selectFrom('arrivals').select('id').execute());
  const isFound = async (at: number) => {
    for (const { labels } of cards) await expect.poll(found).toMatch(new RegExp(`${labels[at]?.id}.*\\[\\]$`));
  };
  await isFound(1);
  expect(told.map(({ delivery }) => delivery)).toEqual(['live', 'live']);
  expect(await scene.events()).toHaveLength(4);

  await control(scene.board.url, 'notifications', { pause: false });
  putOn(3);
  await isFound(2);
  expect(await scene.events()).toHaveLength(6);
  await store.close();
});

test('what is there when a trigger is answered is known, though another process held the watch just then', async () => {
  await using scene = await eventScene({ intervals: { lookMs: 3_600_000 } });
  const { agentId, accountId } = await onLaunch(scene, 'board.new_card');
  const card = scene.board.newCard({ as: 'ben' });
  await scene.eventsUntil(1);
  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  const held = { lease_owner: 'another', lease_until: sql<Date>`clock_timestamp() + interval '700 ms'` };
  await store.system.updateTable('watches').set(held).execute();

  const boards = [scene.board.launch().id];
  await scene.newTrigger(agentId, 'board.label_added_to_card', accountId, { boards });

  const known = await store.system.selectFrom('watches').select('remembered').execute();
  expect(known).toMatchObject([{ remembered: { cards: { [card.id]: [] } } }]);
  await store.close();
});

test('without an address that the service reaches everything is polled', async () => {
  await using scene = await eventScene({ pushed: false, intervals: { pollMs: 300 } });
  const trigger = await onLaunch(scene, 'board.new_card');
  expect(scene.board.world.webhooks.size).toBe(0);
  expect(trigger.watches).toMatchObject([{ way: 'poll' }]);

  scene.board.newCard({ as: 'ben' });

  expect(await scene.eventsUntil(1)).toMatchObject([{ outcome: 'fired' }]);
});

test('a trigger that looks for itself fires once for what it sees, and while it is paused looks for nothing', async () => {
  await using scene = await eventScene({ intervals: { pollMs: 200 } });
  const trigger = await onLaunch(scene, 'board.card_due_reminder', { leadTime: 'PT1H' });
  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  const due = new Date(Date.now() + 30 * 60_000).toISOString();
  const twoLooks = async () => {
    for (const _ of [1, 2]) {
      const next = async () => (await store.system.selectFrom('watches').select('next_look_at').execute())[0];
      const before = await next();
      await expect.poll(next).not.toEqual(before);
    }
  };

  scene.board.newCard({ name: 'First', due, as: 'ben' });
  expect(await scene.eventsUntil(1)).toMatchObject([{ outcome: 'fired', summary: expect.stringContaining('First') }]);
  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { state: 'paused' });
  scene.board.newCard({ name: 'Second', due, as: 'ben' });
  await twoLooks();
  expect(await scene.events()).toHaveLength(1);
  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { state: 'enabled', catchUp: true });
  expect(await scene.eventsUntil(2)).toMatchObject([
    { outcome: 'fired', summary: expect.stringContaining('Second') },
    {},
  ]);
  await twoLooks();
  expect(await scene.events()).toHaveLength(2);
  await store.close();
});

test('a trigger that looks for itself does so as seldom as it is told, and skips what happened in a pause that is not caught up', async () => {
  await using scene = await eventScene({ intervals: { pollMs: 200 } });
  const accountId = await scene.connectBoard('ben');
  const agentId = await scene.reader(accountId);
  const config = { types: ['commentCard'], pollInterval: 3_600 };
  const { id } = await scene.newTrigger(agentId, 'board.new_notification', accountId, config);
  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  const minutesUntilNext = async () => {
    const [watch] = await store.system.selectFrom('watches').select('next_look_at').execute();
    return Math.round(((watch?.next_look_at.getTime() ?? 0) - Date.now()) / 60_000);
  };
  const looked = () => expect.poll(minutesUntilNext).toBe(60);
  await looked();
  await scene.made('PATCH', `/v1/triggers/${id}`, { state: 'paused' });
  await sleep(2_100);
  const card = scene.board.newCard({ idMembers: [scene.board.member('ben').id] });
  scene.board.comment(card, 'In the pause');
  // What happens in the last seconds before it goes on counts.
  await sleep(2_500);
  await scene.made('PATCH', `/v1/triggers/${id}`, { state: 'enabled' });
  await scene.eventsUntil(2);
  await looked();
  scene.board.comment(card, 'After it');
  await store.system.updateTable('watches').set({ next_look_at: new Date() }).execute();
  await scene.eventsUntil(1, { outcome: 'fired' });
  await looked();
  const told = async (outcome: string) => {
    const events = await scene.events({ outcome });
    const details = await Promise.all(events.map((event) => scene.made('GET', `/v1/events/${event.id}`)));
    return details.map(({ data, reason = '' }) => [data.notification.text, reason.slice(0, 40)]);
  };
  expect(await told('fired')).toEqual([['After it', '']]);
  expect(await told('skipped')).toEqual([['In the pause', 'the trigger was paused when it happened ']]);
  await store.close();
});

test('what happened on a new board before a trigger on all boards came to know it is told, also where another one knew it first', async () => {
  await using scene = await eventScene({ intervals: { resyncMs: 4_000 } });
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const all = await scene.newTrigger(agentId, 'board.new_card', accountId);
  const fresh = scene.board.newBoard();
  const first = await scene.newTrigger(agentId, 'board.new_card', accountId, { boards: [fresh.id] });
  const [list] = scene.board.lists(fresh);
  if (list === undefined) throw new Error('no list');
  scene.board.newCard({ list });
  await scene.eventsUntil(1, { triggerId: first.id });
  expect(await scene.events({ triggerId: all.id })).toEqual([]);

  expect(await scene.eventsUntil(1, { triggerId: all.id })).toMatchObject([{ outcome: 'fired' }]);
  expect(await scene.events({ triggerId: first.id })).toHaveLength(1);
});

test('a board that others make in a workspace is told to each trigger on all of them, also to one that comes to know the workspace later', async () => {
  await using scene = await eventScene({ intervals: { resyncMs: 6_000, lookMs: 300 } });
  const { board, service } = scene;
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const late = await scene.newTrigger(agentId, 'board.new_board', accountId);
  const { id: idOrganization } = await service.make('POST', '/1/organizations', { displayName: 'Fresh' }, 'ben');
  await service.make('PUT', `/1/organizations/${idOrganization}/members`, { email: 'ada@sandbox.test' }, 'ben');
  const early = await scene.newTrigger(agentId, 'board.new_board', accountId, { workspaces: ['Fresh'] });
  board.newBoard({ as: 'ben', idOrganization, prefs: { permissionLevel: 'org' } });
  await scene.eventsUntil(1, { triggerId: early.id });
  expect(await scene.events({ triggerId: late.id })).toEqual([]);

  expect(await scene.eventsUntil(1, { triggerId: late.id })).toMatchObject([{ outcome: 'fired' }]);
  expect(await scene.events({ triggerId: early.id })).toHaveLength(1);
});

test('a removed registration is made again, and what happened meanwhile is found', async () => {
  await using scene = await eventScene({ intervals: { checkMs: 400, lookMs: 60_000 } });
  await onLaunch(scene, 'board.new_card');
  scene.board.world.webhooks.clear();
  scene.board.newCard({ name: 'Between', as: 'ben' });

  expect(await scene.eventsUntil(1)).toMatchObject([{ outcome: 'fired', delivery: 'catchup' }]);
  const registered = await scene.until(
    async () => scene.board.world.webhooks.size,
    (count) => count > 0,
  );
  expect(registered).toBe(1);
  scene.board.newCard({ name: 'After', as: 'ben' });
  expect(await scene.eventsUntil(2)).toHaveLength(2);
});

test('when our address changes, services tell the new one and no longer the old, and what happened between is found', async () => {
  await using scene = await eventScene({ mail: true, intervals: { checkMs: 400, lookMs: 60_000 } });
  const { bench, board } = scene;
  const mail = await bench.connectMail();
  await scene.settled(await onLaunch(scene, 'board.new_card'));
  await scene.settled(await scene.newTrigger(await scene.reader(await scene.connectBoard()), 'mail.new_email', mail));
  const deliver = (subject: string) =>
    control(bench.mail.url, 'deliver', { to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject, body: '' });
  await bench.stopProcesses();
  board.newCard({ name: 'Between', as: 'ben' });
  await deliver('Between');

  const moved = await reachableAddress();
  const { origin } = await bench.startProcess('all', moved);
  const events = async (): Promise<{ delivery: string }[]> =>
    (await callerFor(origin)('GET', '/v1/events', { key: bootstrapKey })).body.items;
  const deliveries = async (count: number) =>
    (await scene.until(events, ({ length }) => length >= count)).map(({ delivery }) => delivery);
  const authorization = `Bearer ${bench.mail.tokenFor('ada@sandbox.test', 'Mail.Read')}`;
  const places = async () => {
    const answer = await fetch(`${bench.mail.url}/v1.0/subscriptions`, { headers: { authorization } });
    const { value } = (await answer.json()) as { value: { notificationUrl: string }[] };
    const told = [...board.webhooks().map((each) => each.callbackURL), ...value.map((each) => each.notificationUrl)];
    return told.map((url) => new URL(url).origin);
  };
  await expect.poll(places).toEqual([moved.publicUrl.origin, moved.publicUrl.origin]);
  expect(await deliveries(2)).toEqual(['catchup', 'catchup']);
  board.newCard({ name: 'After', as: 'ben' });
  await deliver('After');
  expect(await deliveries(4)).toEqual(['live', 'live', 'catchup', 'catchup']);
});

test('once a service may not notify us any more, nothing stays registered there, and the trigger says that it looks', async () => {
  await using scene = await eventScene({ mail: true, intervals: { checkMs: 400, pollMs: 400, lookMs: 400 } });
  const { bench } = scene;
  const mail = await bench.connectMail();
  const trigger = await scene.newTrigger(await scene.reader(await scene.connectBoard()), 'mail.new_email', mail);
  const authorization = `Bearer ${bench.mail.tokenFor('ada@sandbox.test', 'Mail.Read')}`;
  const registered = async (): Promise<unknown> => {
    const answer = await fetch(`${bench.mail.url}/v1.0/subscriptions`, { headers: { authorization } });
    return ((await answer.json()) as { value: unknown[] }).value.length;
  };
  await expect.poll(registered).toBe(1);

  await runStatement(
    bench.connectionString,
    `set app.workspace = '*'; update accounts set scopes = array_remove(scopes, 'Mail.Read') where id = '${mail}'`,
  );

  await expect.poll(registered).toBe(0);
  await expect
    .poll(async () => (await scene.made('GET', `/v1/triggers/${trigger.id}`)).watches)
    .toMatchObject([{ state: 'healthy', way: 'poll' }]);
  await control(bench.mail.url, 'deliver', {
    to: 'ada@sandbox.test',
    from: 'ben@sandbox.test',
    subject: 'x',
    body: '',
  });
  expect(await scene.eventsUntil(1)).toMatchObject([{ outcome: 'fired', delivery: 'catchup' }]);
});

test('registrations at our address that no watch knows are removed, and those of others stay', async () => {
  await using scene = await eventScene({ intervals: { checkMs: 200, orphanSweepMs: 0, lookMs: 60_000 } });
  await scene.settled(await onLaunch(scene, 'board.new_card'));
  const [known] = scene.board.webhooks();
  if (known === undefined) throw new Error('Nothing is registered.');
  const [left, twice, foreign] = ['a', 'b', 'c'].map((digit) => digit.repeat(24)) as [string, string, string];
  const add = (id: string, callbackURL: string) => scene.board.world.webhooks.set(id, { ...known, id, callbackURL });
  add(left, known.callbackURL.replace(/[^/]+$/, 'of-a-watch-that-was'));
  add(twice, known.callbackURL);
  add(foreign, 'https://elsewhere.example/hooks/board/theirs');

  await expect.poll(() => scene.board.webhooks().map(({ id }) => id)).toEqual([known.id, foreign]);
});

test('mail that arrives while nobody is told is found in whatever folder it lies, once', async () => {
  await using scene = await eventScene({ mail: true, intervals: { lookMs: 400 } });
  const board = await scene.connectBoard();
  const mail = await scene.bench.connectMail();
  await scene.newTrigger(await scene.reader(board), 'mail.new_email', mail);
  await control(scene.bench.mail.url, 'notifications', silent);

  const delivered = await control(scene.bench.mail.url, 'deliver', {
    to: 'ada@sandbox.test',
    from: 'ben@sandbox.test',
    subject: 'Quiet',
    body: 'Hello',
  });
  expect(delivered.status).toBeLessThan(300);

  expect(await scene.eventsUntil(1)).toMatchObject([{ outcome: 'fired', delivery: 'catchup' }]);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(await scene.events()).toHaveLength(1);
});

test('a service that says it left something out, or ended or will end what it promised to tell, is heeded at once', async () => {
  await using scene = await eventScene({
    mail: true,
    intervals: { lookMs: 3_600_000, checkMs: 3_600_000, missedMs: 0 },
  });
  const mail = await scene.bench.connectMail();
  const reader = await scene.reader(await scene.connectBoard());
  await scene.settled(await scene.newTrigger(reader, 'mail.new_email', mail));
  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  const watch = async () => {
    const row = store.system
      .selectFrom('watches')
      .select(['registration', 'next_check_at', 'next_look_at', 'lease_until']);
    const {
      registration,
      next_check_at: checkAt,
      next_look_at: lookAt,
      lease_until: held,
    } = await row.executeTakeFirstOrThrow();
    return {
      id: registration?.id,
      checkAt: checkAt.getTime(),
      rests: held === null && lookAt.getTime() > Date.now() + 1_800_000,
    };
  };
  const deliver = (subject: string) =>
    control(scene.bench.mail.url, 'deliver', { to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject, body: '' });
  const quietly = async (subject: string) => {
    await control(scene.bench.mail.url, 'notifications', silent);
    await deliver(subject);
    await control(scene.bench.mail.url, 'notifications', { drop: 0 });
  };
  const first = await watch();

  await quietly('Left out');
  await control(scene.bench.mail.url, 'lifecycle', { event: 'missed' });
  expect(await scene.eventsUntil(1)).toMatchObject([{ outcome: 'fired', delivery: 'catchup' }]);
  expect(await watch()).toMatchObject({ id: first.id, checkAt: first.checkAt });

  await control(scene.bench.mail.url, 'lifecycle', { event: 'reauthorizationRequired' });
  await expect.poll(async () => (await watch()).checkAt).toBeGreaterThan(first.checkAt);
  expect(await watch()).toMatchObject({ id: first.id });

  await quietly('While nobody was told');
  await control(scene.bench.mail.url, 'lifecycle', { event: 'subscriptionRemoved' });
  expect(await scene.eventsUntil(2)).toMatchObject([{ delivery: 'catchup' }, { delivery: 'catchup' }]);
  await expect.poll(async () => (await watch()).id ?? first.id).not.toBe(first.id);
  await expect.poll(async () => (await watch()).rests).toBe(true);
  await deliver('Told again');
  expect(await scene.eventsUntil(3)).toMatchObject([{ outcome: 'fired', delivery: 'live' }, {}, {}]);
  await store.close();
});

test('a service that leaves out one thing after the other is looked through for them all now and then, and for none too late', async () => {
  await using scene = await eventScene({ mail: true, intervals: { lookMs: 3_600_000, missedMs: 4_000 } });
  const mail = await scene.bench.connectMail();
  const reader = await scene.reader(await scene.connectBoard());
  const trigger = await scene.newTrigger(reader, 'mail.new_email', mail);
  await scene.settled(trigger);
  const sweeps = () =>
    scene.bench.mail.control.log.list().filter(({ path }) => /\/me\/messages\?.*orderby=receivedDateTime/.test(path))
      .length;
  const before = sweeps();
  const begun = performance.now();
  for (let n = 1; n <= 10; n += 1) {
    const mailed = { to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject: `Left out ${n}`, body: '' };
    await control(scene.bench.mail.url, 'notifications', silent);
    await control(scene.bench.mail.url, 'deliver', mailed);
    await control(scene.bench.mail.url, 'notifications', { drop: 0 });
    await control(scene.bench.mail.url, 'lifecycle', { event: 'missed' });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }

  expect(await scene.eventsUntil(10, { outcome: 'fired' })).toHaveLength(10);
  expect(sweeps() - before).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - begun) / 4_000));
});

test('mail that is older than what is known starts nothing when somebody files it, unless nobody had looked since', async () => {
  await using scene = await eventScene({ mail: true, intervals: { lookMs: 3_600_000 } });
  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  const board = await scene.connectBoard();
  const mail = await scene.bench.connectMail();
  const trigger = await scene.newTrigger(await scene.reader(board), 'mail.new_email', mail, {
    searchFilter: 'subject:Filed',
  });
  await scene.settled(trigger);
  await control(scene.bench.mail.url, 'notifications', silent);
  const file = (subject: string, days: number) => {
    const receivedAt = new Date(Date.now() - days * 86_400_000).toISOString();
    return control(scene.bench.mail.url, 'deliver', { to: 'ada@sandbox.test', from: 'b@c.test', subject, receivedAt });
  };
  const look = (caughtUpDaysAgo: number) =>
    sql`update watches set cursor = null, roster = roster + 1, next_look_at = clock_timestamp(),
      caught_up_at = clock_timestamp() - ${caughtUpDaysAgo} * interval '1 day'`.execute(store.system);
  const outcomes = async () => {
    const all = await scene.events({ triggerId: trigger.id });
    const filed = all.filter(({ summary }) => summary.startsWith('Filed'));
    return filed.map(({ summary, outcome, reason = '' }) => [summary.slice(0, 7), outcome, reason.slice(0, 33)]).sort();
  };
  // As if the trigger had been there for a year, and 31 days ago were forgotten.
  await sql`update trigger_watches set since = now() - interval '365 days'`.execute(store.system);
  await sql`update triggers set since = now() - interval '365 days'`.execute(store.system);
  await file('Filed 1', 31);
  await file('Filed 2', 29);
  await look(0);
  await expect.poll(outcomes).toHaveLength(2);
  await scene.settled(trigger);
  await file('Filed 3', 31);
  await look(32);
  await expect.poll(outcomes).toHaveLength(3);

  // From then on it is kept for longer, which brings nothing back.
  await scene.made('PATCH', '/v1/settings', { retention: { historyDays: 365 } });
  await scene.settled(trigger);
  await file('Filed 4', 31);
  await file('Filed 5', 29);
  await look(0);
  await expect.poll(outcomes).toHaveLength(5);

  expect(await outcomes()).toEqual([
    ['Filed 1', 'skipped', 'It happened more than 30 days ago'],
    ['Filed 2', 'fired', ''],
    ['Filed 3', 'fired', ''],
    ['Filed 4', 'skipped', 'It happened when history was kept'],
    ['Filed 5', 'fired', ''],
  ]);
  await store.close();
});

test('an account that must be connected again catches up when it is', async () => {
  await using scene = await eventScene({ intervals: { lookMs: 300, retryMs: 20 } });
  const trigger = await onLaunch(scene, 'board.new_card', { includeCard: true });
  const refuse = (path: string) =>
    scene.bench.board.control.faults.add({ match: { path }, kind: 'status', status: 401 });
  // The card cannot be read; a look that is refused first would let all that is told wait unjudged.
  refuse('/1/cards/');
  scene.board.newCard({ name: 'Found out', as: 'ben' });
  await scene.eventsUntil(1);
  refuse('/1/');
  await scene.made('POST', `/v1/accounts/${trigger.accountId}/test`);
  expect(await scene.made('GET', `/v1/triggers/${trigger.id}`)).toMatchObject({ state: 'broken' });
  // It is named by its account; by itself, where the account works.
  const needsYou = async () => {
    const { accountsToReconnect, brokenTriggers, more } = await scene.made('GET', '/v1/overview');
    const { items } = await scene.made('GET', '/v1/triggers?state=broken');
    return [accountsToReconnect.length, brokenTriggers, more.brokenTriggers, items.map(({ id }: { id: string }) => id)];
  };
  expect(await needsYou()).toEqual([1, [], 1, [trigger.id]]);
  scene.board.newCard({ name: 'Meanwhile', as: 'ben' });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await scene.events()).toMatchObject([{ retry: { state: 'retrying', attempts: 1 } }]);

  scene.bench.board.control.faults.clear();
  await scene.made('POST', `/v1/accounts/${trigger.accountId}/test`);

  expect(await scene.eventsUntil(2, { outcome: 'fired' })).toHaveLength(2);
  await expect.poll(needsYou).toEqual([0, [], 0, []]);
  const { id, name, agentId } = trigger;
  const reason = 'The board is gone.';
  // One more than is named of an agent.
  const more = [1, 2, 3].map(() => scene.newTrigger(agentId, 'board.new_card', trigger.accountId, trigger.config));
  await Promise.all(more);
  const breaks = `set app.workspace = '*'; update triggers set state = 'paused' where id <> '${id}';
    update watches set state = 'broken', reason = '${reason}', next_look_at = now() + interval '1 day',
      next_check_at = now() + interval '1 day'`;
  // Again, where a look was under way.
  const broken = async () => {
    await runStatement(scene.bench.connectionString, breaks);
    const { items } = await scene.made('GET', '/v1/overview/agents');
    return [...(await needsYou()), items[0].activity];
  };
  const paused = { id: expect.stringMatching(/^trg_/), name, state: 'paused' };
  const activity = {
    triggers: [{ id, name, state: 'broken' }, paused, paused],
    moreTriggers: 1,
    moreBroken: 0,
    pendingApprovals: 0,
    lastRun: { id: expect.stringMatching(/^run_/), status: expect.any(String), createdAt: expect.any(String) },
  };
  await expect.poll(broken).toEqual([0, [{ id, name, agentId, reason }], 0, [id], activity]);
});

test('a paused trigger skips what happens, unless it catches up when it goes on', async () => {
  await using scene = await eventScene();
  const trigger = await onLaunch(scene, 'board.new_card');
  const pause = (state: string, more: object = {}) =>
    scene.made('PATCH', `/v1/triggers/${trigger.id}`, { state, ...more });

  await pause('paused');
  scene.board.newCard({ name: 'First', as: 'ben' });
  const reason = expect.stringMatching(/^the trigger was paused \(since 20.*Z\)$/);
  expect(await scene.eventsUntil(1)).toMatchObject([{ outcome: 'skipped', reason }]);
  await pause('enabled');
  await pause('paused');
  scene.board.newCard({ name: 'Second', as: 'ben' });
  const [second] = await scene.eventsUntil(2);
  await scene.made('POST', `/v1/events/${second.id}/replay`);
  // It came before the pause and could not be judged until then, or by a process whose clock is behind.
  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  await sql`update events set received_at = received_at - interval '1 hour'`.execute(store.system);
  const diagnosis = () => scene.made('GET', `/v1/triggers/${trigger.id}/diagnosis`);
  // What an earlier pause skipped stays skipped.
  expect(await diagnosis()).toHaveProperty('skippedInPause', 1);
  await pause('enabled', { catchUp: true });
  expect(await diagnosis()).not.toHaveProperty('skippedInPause');

  const fired = await scene.eventsUntil(1, { outcome: 'fired' });
  expect(fired).toMatchObject([{ summary: expect.stringContaining('Second'), delivery: 'replay' }]);
  expect(await scene.events({ outcome: 'skipped' })).toMatchObject([
    { id: second.id, reason },
    { summary: expect.stringContaining('First'), reason },
  ]);

  // What was found to be skipped before it went on, and is stored after that, is judged again.
  const late = { trigger, outcome: { outcome: 'skipped', reason: pausedSince(new Date()) } } as unknown as EventDraft;
  const stored = store.system.transaction().execute((tx) => unlessGoneOn(tx, [late]));
  expect(await stored).toMatchObject([{ outcome: { outcome: 'failed' } }]);

  // Of very many, some at a time.
  await pause('paused');
  for (const name of ['Third', 'Fourth']) scene.board.newCard({ name, as: 'ben' });
  await scene.eventsUntil(4, { outcome: 'skipped' });
  const { id: workspaceId } = await scene.made('GET', '/v1/workspace');
  const again = await store.system.transaction().execute(async (tx) => {
    await judgeAgain(tx, { workspace_id: workspaceId, id: trigger.id }, 1);
    return sql<{ summary: string }>`select summary from events where outcome = 'failed' order by id`.execute(tx);
  });
  expect(again.rows).toHaveLength(2);
  await store.close();
});

test('what was done in a pause starts nobody, however soon the trigger goes on and whatever had to be looked for', async () => {
  await using scene = await eventScene({ pushed: false });
  const made = await onLaunch(scene, 'board.new_card');
  const { agentId, accountId } = made;
  const boards = [scene.board.launch().id];
  const label = await scene.newTrigger(agentId, 'board.label_added_to_card', accountId, { boards });
  const attachment = await scene.newTrigger(agentId, 'board.new_attachment', accountId, { boards });
  const triggers = [made, label, attachment];
  const pause = (state: string) =>
    Promise.all(triggers.map(({ id }) => scene.made('PATCH', `/v1/triggers/${id}`, { state })));
  const old = scene.board.newCard({ as: 'ben' });
  await pause('paused');
  await pause('enabled');

  await pause('paused');
  scene.board.newCard({ as: 'ben' });
  const { key, token } = scene.board.credentials('ben');
  const asBen = (path: string, query: string) =>
    fetch(`${scene.board.url}/1/cards/${old.id}/${path}?${query}&key=${key}&token=${token}`, { method: 'POST' });
  const [urgent] = scene.board.world.labels.values();
  await asBen('idLabels', `value=${urgent?.id}`);
  await asBen('attachments', 'url=https://example.com/');
  await pause('enabled');

  const found = await scene.eventsUntil(4);
  expect(found.map(({ outcome }) => outcome)).toEqual(Array(4).fill('skipped'));
});

test('what a long pause let be forgotten is told as a gap when the trigger catches up', async () => {
  await using scene = await eventScene();
  const trigger = await onLaunch(scene, 'board.new_card');
  const change = (body: object) => scene.made('PATCH', `/v1/triggers/${trigger.id}`, body);
  const gaps = async () => (await scene.made('GET', `/v1/triggers/${trigger.id}/diagnosis`)).gaps;
  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  const pausedFor = (days: number) =>
    sql`update triggers set paused_at = now() - ${days}::int * interval '1 day'`.execute(store.system);

  await change({ state: 'paused' });
  await pausedFor(29);
  await change({ state: 'enabled', catchUp: true });
  expect(await gaps()).toEqual([]);
  await change({ state: 'paused' });
  await pausedFor(40);
  await change({ state: 'enabled', catchUp: true });
  expect(await gaps()).toMatchObject([
    { text: expect.stringMatching(/paused for longer than the 30 days .+ not caught up/) },
  ]);
  await store.close();
});

test('a trigger made right after the last one was deleted is told of what happens; when it is deleted too, nobody is told', async () => {
  await using scene = await eventScene({ intervals: { lookMs: 60_000, pollMs: 60_000 } });
  const first = await onLaunch(scene, 'board.new_card');
  await scene.made('DELETE', `/v1/triggers/${first.id}`);
  const boards = [scene.board.launch().id];
  const second = await scene.newTrigger(first.agentId, 'board.new_card', first.accountId, { boards });
  await scene.settled(second);

  scene.board.newCard({ as: 'ben' });

  expect(await scene.eventsUntil(1)).toMatchObject([{ outcome: 'fired', delivery: 'live' }]);
  expect(scene.board.world.webhooks.size).toBe(1);
  await scene.made('DELETE', `/v1/triggers/${second.id}`);
  await expect.poll(() => scene.board.world.webhooks.size).toBe(0);
});

test('a trigger made while its watch is being removed gets a watch of its own', async () => {
  await using scene = await eventScene({ intervals: { lookMs: 60_000, pollMs: 60_000 } });
  const first = await onLaunch(scene, 'board.new_card');
  const store = openStore({ connectionString: scene.bench.connectionString, max: 8, log: silentLog });
  const waiting = async () => {
    const { rows } = await sql`select from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query ~ 'for key share|insert into trigger_watches'`.execute(store.system);
    return rows.length;
  };
  let second: Promise<unknown> | undefined;
  await store.system.transaction().execute(async (tx) => {
    await sql`select from watches for update`.execute(tx);
    const boards = [scene.board.launch().id];
    second = scene.newTrigger(first.agentId, 'board.new_card', first.accountId, { boards });
    await expect.poll(waiting).toBe(1);
    await sql`delete from watches`.execute(tx);
  });
  await store.close();

  await expect(second).resolves.toMatchObject({ state: 'enabled', watches: [{ state: 'healthy' }] });
});

test('a watch is kept from others while it is looked through, and only seconds longer once its process has died', async () => {
  const intervals = { leaseMs: 1_500, leaseRenewMs: 100, tickMs: 50, lookMs: 100 };
  await using scene = await eventScene({ intervals });
  await onLaunch(scene, 'board.new_card');
  await scene.bench.startProcess('worker');
  const store = openStore({ connectionString: scene.bench.connectionString, max: 4, log: silentLog });
  const { faults, log } = scene.board.control;
  faults.add({ match: { method: 'GET', path: '^/1/boards/\\w+/actions' }, kind: 'latency', ms: 4_000, times: 1 });
  await expect.poll(() => faults.list()).toEqual([]);
  log.clear();

  const holders = new Set<unknown>();
  let tooLong = 0;
  for (const end = Date.now() + 2_500; Date.now() < end; ) {
    const { rows } = await sql<{ lease_owner: string; too_long: boolean }>`
      select lease_owner, lease_until > clock_timestamp() + interval '1500 ms' as too_long from watches`.execute(
      store.system,
    );
    for (const row of rows) holders.add(row.lease_owner);
    tooLong += rows.filter((row) => row.too_long).length;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  // The first one is not answered yet.
  expect({ looks: log.list(0, '/actions'), holders: holders.size, tooLong }).toEqual({
    looks: [],
    holders: 1,
    tooLong: 0,
  });
  await store.close();
});
