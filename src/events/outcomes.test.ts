import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { silentLog } from '#log';
import { openStore } from '#store';
import { type Answer, bootstrapKey } from '#test';
import { eventScene, type Scene } from '../../test/event-scene.ts';
import { runStatement } from '../../test/run-statement.ts';

const onLaunch = async (scene: Scene, type: string, config: object = {}, agentId?: string) => {
  const accountId = await scene.connectBoard();
  const agent = agentId ?? (await scene.reader(accountId));
  return scene.newTrigger(agent, type, accountId, { boards: [scene.board.launch().id], ...config });
};

/** A trigger on new cards in one list, and what became of a card in another one. */
const filteredCard = async (scene: Scene) => {
  const [todo, doing] = scene.board.lists();
  const trigger = await onLaunch(scene, 'board.new_card', { lists: [doing?.id] });
  scene.board.newCard({ ...(todo === undefined ? {} : { list: todo }), as: 'ben' });
  const [event] = await scene.eventsUntil(1);
  return { trigger, event };
};

test('what the agent does through Switchboard starts no agent, what the same person clicks does, and who answers as often stops it', async () => {
  await using scene = await eventScene();
  const accountId = await scene.connectBoard();
  // It answers where the comment says.
  const toolId = await scene.newTool('Answer', ['endpoint'], {
    step: 'board.api_call',
    input: { method: 'POST', endpoint: '{{inputs.endpoint}}', body: { text: 'Answer' } },
  });
  const endpoint = '{{event.data.comment.text}}';
  const agentId = await scene.newAgent('Commenter', toolId, { endpoint, account: accountId });
  await scene.newTrigger(agentId, 'board.new_comment', accountId, { boards: [scene.board.launch().id] });
  const card = scene.board.newCard({ as: 'ben' });
  const place = `/1/cards/${card.id}/actions/comments`;

  scene.board.comment(card, place, 'ada');

  const events = await scene.eventsUntil(2);
  expect(events).toMatchObject([
    { outcome: 'skipped', reason: 'made through Switchboard itself', actor: { isSelf: true } },
    { outcome: 'fired', actor: { isSelf: true } },
  ]);
  expect(scene.comments(card.id)).toEqual([place, 'Answer']);

  // Another agent, elsewhere, that answers every answer, and calls the card by other names.
  const statuses = async () =>
    (await scene.made('GET', `/v1/runs?agentId=${agentId}`)).items.map(({ status }: Answer['body']) => status);
  const others = [
    `${place.replace(card.id, card.shortLink)}/`,
    place.replace(card.id, card.id.toUpperCase()),
    `${place}/`,
  ];
  for (const [at, other] of others.entries()) {
    scene.board.comment(card, other, 'ben');
    const round = at + 2;
    const isOver = (each: string) => !['queued', 'running'].includes(each);
    await scene.until(statuses, (all) => all.length === round && all.every(isOver));
  }
  expect(await statuses()).toEqual(['waiting_approval', 'succeeded', 'succeeded', 'succeeded']);
  const [{ id, digest, cause }] = (await scene.made('GET', '/v1/approvals?status=pending')).items;
  expect(cause.why).toContain('two agents may be answering each other');

  await scene.made('POST', `/v1/approvals/${id}/approve`, { digest });

  await scene.until(statuses, ([last]) => last === 'succeeded');
  expect(scene.comments(card.id).filter((text) => text === 'Answer')).toHaveLength(4);
});

test('what happened to one card is met in its order, one after the other, in whatever order it was told', async () => {
  await using scene = await eventScene();
  const accountId = await scene.connectBoard();
  const agentId = await scene.commenter(accountId, '{{event.data.changes[0].to}}');
  const boards = [scene.board.launch().id];
  await scene.settled(await scene.newTrigger(agentId, 'board.card_updated', accountId, { boards, fields: ['name'] }));
  const card = scene.board.newCard({ as: 'ben' });
  const names = Array.from({ length: 12 }, (_, n) => `Name ${n}`);
  // Whatever is told before the others have arrived may begin before them.
  await scene.made('POST', '/v1/stop');
  scene.board.control.outgoing.set({ shuffle: true });
  for (const name of names) scene.board.changeCard(card, { name }, 'ben');
  const told = await scene.eventsUntil(names.length);
  expect(told.map(({ outcome, delivery }) => `${outcome} ${delivery}`)).toEqual(names.map(() => 'fired live'));
  expect(scene.comments(card.id)).toEqual([]);

  await scene.made('POST', '/v1/resume');

  const said = await scene.until(
    async () => scene.comments(card.id),
    ({ length }) => length >= names.length,
    30_000,
  );
  expect(said).toEqual(names);
});

test('an event is found by its id upstream, started again, and tried with a sample', async () => {
  await using scene = await eventScene();
  const agentId = await scene.commenter(await scene.connectBoard());
  const trigger = await onLaunch(scene, 'board.new_card', { lists: [] }, agentId);
  scene.board.control.faults.add({
    match: { method: 'POST', path: '/1/cards' },
    kind: 'status',
    status: 400,
    times: 1,
  });
  const { id, shortLink } = scene.board.newCard({ name: 'Milk', as: 'ben' });
  const [event] = await scene.eventsUntil(1);
  await expect.poll(async () => (await scene.made('GET', `/v1/runs/${event.runId}`)).status).toBe('failed');

  const replayed = await scene.made('POST', `/v1/events/${event.id}/replay`);
  const tested = await scene.made('POST', `/v1/triggers/${trigger.id}/test`);

  expect(replayed).toMatchObject({ outcome: 'fired', delivery: 'replay', upstreamId: event.upstreamId });
  expect(tested).toMatchObject({ outcome: 'fired', delivery: 'test', isSample: true });
  // What was made up stays so, however often it is replayed.
  const testedAgain = await scene.made('POST', `/v1/events/${tested.id}/replay`);
  expect([testedAgain.delivery, testedAgain.isSample, replayed.isSample]).toEqual(['replay', true, undefined]);
  expect(new Set([event.runId, replayed.runId, tested.runId]).size).toBe(3);
  expect(await scene.events({ upstreamId: event.upstreamId })).toHaveLength(2);
  const { input } = await scene.made('GET', `/v1/runs/${replayed.runId}`);
  expect(input.event).toMatchObject({ eventId: event.upstreamId, delivery: 'replay' });
  const whole = await scene.made('GET', `/v1/events/${event.id}`);
  // Links lead to the pages of the service that this house was told of.
  const at = scene.board.url;
  expect(whole.data).toMatchObject({
    card: { name: 'Milk', url: `${at}/c/${shortLink}` },
    board: { name: 'Launch', url: `${at}/b/${scene.board.launch().shortLink}` },
  });

  // The first run is not tried again unasked either: what it should have done has been done by then.
  await expect.poll(async () => (await scene.made('GET', `/v1/runs/${replayed.runId}`)).status).toBe('succeeded');
  expect(scene.comments(id)).toHaveLength(1);
  const { body } = await scene.bench.owned('POST', `/v1/runs/${event.runId}/retry`, {});
  expect(body.error).toMatchObject({ code: 'conflict', details: { done: [{ method: 'POST', state: 'sent' }] } });
});

test('a label that was left out cannot be judged again, and the refusal says why', async () => {
  await using scene = await eventScene();
  const account = await scene.connectBoard();
  const [wanted, other] = [scene.board.newCard({ name: 'Bread' }), scene.board.newCard({ name: 'Milk' })];
  const config = { boards: [wanted.idBoard], cards: [wanted.id] };
  const trigger = await scene.newTrigger(await scene.reader(account), 'board.label_added_to_card', account, config);
  await scene.settled(trigger);
  const [label] = [...scene.board.world.labels.values()].filter(({ idBoard }) => idBoard === wanted.idBoard);
  await scene.service.make('POST', `/1/cards/${other.id}/idLabels`, { value: label?.id }, 'ben');
  const [event] = await scene.eventsUntil(1, { triggerId: trigger.id });
  expect(event).toMatchObject({ outcome: 'filtered', clause: 'cards' });

  const { status, body } = await scene.bench.owned('POST', `/v1/events/${event.id}/replay`);
  expect([status, body.error.message]).toEqual([
    409,
    'The service told of this once and keeps no list of its kind, so what was left out cannot be judged again.',
  ]);
});

test('a filtered event names the clause; with another configuration a replay fires', async () => {
  await using scene = await eventScene();
  const { trigger, event } = await filteredCard(scene);
  expect(event).toMatchObject({ outcome: 'filtered', clause: 'lists' });
  expect(event.runId).toBeUndefined();

  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { config: { boards: ['launch'] } });
  const { config } = await scene.made('GET', `/v1/triggers/${trigger.id}`);
  expect(config.boards).toEqual([scene.board.launch().id]);
  // What is so already is no failure; nothing at all is a mistake.
  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { state: 'enabled' });
  expect((await scene.bench.owned('PATCH', `/v1/triggers/${trigger.id}`, {})).status).toBe(400);
  // Whoever wants to catch up and does not say that it goes on is not told that all is well.
  for (const half of [{ catchUp: true }, { state: 'paused', catchUp: true }])
    expect((await scene.bench.owned('PATCH', `/v1/triggers/${trigger.id}`, half)).body.error).toMatchObject({
      code: 'invalid_input',
      details: { fields: [{ field: 'catchUp', message: expect.stringContaining('state: "enabled"') }] },
    });
  // Only what changes it is a version of it, and whoever has not seen the last one is told.
  const { version } = await scene.made('GET', `/v1/triggers/${trigger.id}`);
  expect([trigger.version, version]).toEqual([1, 2]);
  expect((await scene.bench.owned('PATCH', `/v1/triggers/${trigger.id}`, { version })).status).toBe(400);
  const late = await scene.bench.owned('PATCH', `/v1/triggers/${trigger.id}`, { config: {}, version: 1 });
  expect([late.status, late.body.error.details]).toEqual([409, { version: 2 }]);
  expect(await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { name: 'Arrivals', version })).toMatchObject({
    version: 3,
    config,
  });

  expect(await scene.made('POST', `/v1/events/${event.id}/replay`)).toMatchObject({ outcome: 'fired' });
});

test('a preview tells what would have fired and why the rest would not, and starts nothing', async () => {
  await using scene = await eventScene();
  const accountId = await scene.connectBoard();
  const [todo, doing] = scene.board.lists();
  for (const list of [todo, doing]) scene.board.newCard({ ...(list === undefined ? {} : { list }), as: 'ben' });

  const given = {
    type: 'board.new_card',
    accountId,
    config: { boards: [scene.board.launch().id], lists: [doing?.id] },
  };
  const input = { idList: doing?.id, name: 'Through us' };
  await scene.made('POST', '/v1/steps/board.create_card/run', { accountId, input });
  const preview = async (config = {}) => {
    const body = { ...given, config: { ...given.config, ...config } };
    return (await scene.made('POST', '/v1/triggers/preview', body)).items.slice(0, 3);
  };

  const others = [{ outcome: 'fired' }, { outcome: 'filtered', clause: 'lists' }];
  const throughUs = { outcome: 'skipped', reason: 'made through Switchboard itself' };
  expect(await preview()).toMatchObject([throughUs, ...others]);
  expect(await preview({ ignoreSelf: false })).toMatchObject([{ outcome: 'fired' }, ...others]);
  expect(await scene.events()).toEqual([]);
  expect((await scene.made('GET', '/v1/runs')).items).toMatchObject([{ stepId: 'board.create_card' }]);

  const labels = { ...given, type: 'board.new_label', config: { boards: ['Launch'] } };
  expect(await scene.made('POST', '/v1/triggers/preview', labels)).toMatchObject({
    items: [],
    note: expect.stringContaining('no history'),
  });

  const agentId = await scene.reader(accountId);
  // With no limit left the settings alone are checked, whether the service answers or not.
  scene.board.control.faults.add({ match: { path: '/1/' }, kind: 'status', status: 500 });
  const checked = await scene.made('POST', '/v1/triggers/preview', { ...given, limit: 0 });
  // As it would be created.
  const whole = { ...given, agentId, name: 'Cards', limit: 0 };
  expect(await scene.made('POST', '/v1/triggers/preview', whole)).toEqual(checked);
  expect(checked).toEqual({ items: [], others: 0 });
  const misnamed = await scene.bench.owned('POST', '/v1/triggers/preview', { ...given, config: { list: doing?.id } });
  expect(misnamed.body.error.message).toMatch(/config\.list: is not a field here\. The fields are .*\blists,/);
});

test('an event whose judging takes one process after the other with it rests among the dead, and can be replayed', async () => {
  await using scene = await eventScene({ intervals: { retryMs: 20 } });
  await onLaunch(scene, 'board.new_card', { includeCard: true });
  // As if so many processes had ended while they judged it.
  await runStatement(
    scene.bench.connectionString,
    `create function has_lapsed() returns trigger language plpgsql as $$ begin new.lapses := 24; return new; end $$;
    create trigger has_lapsed before insert on events for each row when (new.delivery <> 'replay') execute function has_lapsed()`,
  );
  const { faults } = scene.board.control;
  const poisoned = scene.board.newCard({ name: 'Poison', as: 'ben' });
  faults.add({ match: { path: `/1/cards/${poisoned.id}` }, kind: 'status', status: 500 });

  const [dead] = await scene.until(
    () => scene.events({ retry: 'dead' }),
    ([first]) => first !== undefined,
  );
  expect(dead).toMatchObject({ reason: expect.stringMatching(/^Each process .+ ended/), retry: { attempts: 1 } });
  faults.clear();
  await scene.made('POST', `/v1/events/${dead.id}/replay`);
  expect(await scene.eventsUntil(1, { outcome: 'fired' })).toMatchObject([{ delivery: 'replay' }]);
});

test('an event that cannot be judged rests among the dead after eight tries, delays nobody, and can be replayed', async () => {
  await using scene = await eventScene({ intervals: { retryMs: 20 } });
  await onLaunch(scene, 'board.new_card', { includeCard: true });
  const poisoned = scene.board.newCard({ name: 'Poison', as: 'ben' });
  scene.board.control.faults.add({
    match: { path: `/1/cards/${poisoned.id}` },
    kind: 'status',
    status: 500,
  });
  const fine = scene.board.newCard({ name: 'Fine', as: 'ben' });

  const fired = await scene.eventsUntil(1, { outcome: 'fired' });
  expect(fired[0].summary).toContain(fine.name);
  const dead = await scene.until(
    () => scene.events({ outcome: 'failed' }),
    ([first]) => first?.retry.state === 'dead',
    40_000,
  );
  expect(dead).toMatchObject([
    { outcome: 'failed', retry: { state: 'dead', attempts: 8 }, reason: expect.any(String) },
  ]);
  expect(await scene.events({ retry: 'dead' })).toEqual(dead);
  expect(await scene.events({ retry: 'retrying' })).toEqual([]);
  expect(await scene.events({ retry: 'dead', outcome: 'fired' })).toEqual([]);

  const givenUp = async () => (await scene.made('GET', '/v1/overview')).eventsGivenUp;
  expect(await givenUp()).toBe(1);

  const replayAgain = () => scene.made('POST', `/v1/events/${dead[0].id}/replay`);
  const first = await replayAgain();
  expect(first).toMatchObject({ outcome: 'failed', retry: { state: 'retrying' } });
  const lastTry = `select set_config('app.workspace', '*', false); update events set attempts = 7 where id = '${first.id}'`;
  await runStatement(scene.bench.connectionString, lastTry);
  await scene.until(
    () => scene.events({ retry: 'dead' }),
    ({ length }) => length === 2,
  );
  // It is still the same that came to nothing.
  expect(await givenUp()).toBe(1);
  const second = await replayAgain();
  expect(await givenUp()).toBe(0);

  scene.board.control.faults.clear();
  const replay = await scene.until(
    () => scene.made('GET', `/v1/events/${second.id}`),
    ({ outcome }) => outcome === 'fired',
  );
  expect(replay).toMatchObject({ outcome: 'fired', delivery: 'replay', runId: expect.any(String) });
  // What became of it stays true, and that it was started since is told with it.
  const since = { outcome: 'failed', retry: { state: 'dead' }, replayedAs: { id: replay.id, outcome: 'fired' } };
  expect(await scene.events({ retry: 'dead' })).toMatchObject([since, since]);
  expect(await scene.made('GET', `/v1/events/${dead[0].id}`)).toMatchObject(since);
  expect(await scene.made('GET', `/v1/events/${replay.id}`)).not.toHaveProperty('replayedAs');
  expect(await givenUp()).toBe(0);

  // However often it is told, it is the same that happened.
  const again = await scene.made('POST', `/v1/events/${replay.id}/replay`);
  for (const { runId } of [replay, again]) {
    const { input } = await scene.made('GET', `/v1/runs/${runId}`);
    expect(input.event).toMatchObject({ eventId: dead[0].upstreamId, delivery: 'replay' });
  }
});

test('what failed and was replayed starts its agent by the replay alone, however often it is pressed and whoever meets it again', async () => {
  await using scene = await eventScene({ intervals: { retryMs: 60_000, lookMs: 3_600_000 } });
  const trigger = await onLaunch(scene, 'board.new_card', { includeCard: true });
  await scene.settled(trigger);
  scene.board.control.faults.add({ match: { path: '/1/cards/' }, kind: 'status', status: 500 });
  scene.board.newCard({ name: 'Held up', as: 'ben' });
  const [failed] = await scene.eventsUntil(1, { outcome: 'failed' });
  const replay = ({ id }: Answer['body']) => scene.made('POST', `/v1/events/${id}/replay`);
  const first = await replay(failed);
  // A replay of the replay is one of the same; the last that was pressed is what is tried.
  const second = await replay(first);
  const last = await replay(failed);
  expect([first, second, last]).toMatchObject([{ outcome: 'failed' }, { outcome: 'failed' }, { outcome: 'failed' }]);
  scene.board.control.faults.clear();

  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  await sql`update events set next_try_at = now() where retry = 'retrying'`.execute(store.system);
  await scene.until(
    () => scene.made('GET', `/v1/events/${last.id}`),
    ({ outcome }) => outcome === 'fired',
  );
  await sql`update watches set next_look_at = now()`.execute(store.system);
  const waiting = async () =>
    (await sql`select from watches where next_look_at <= now()`.execute(store.system)).rows.length;
  await expect.poll(waiting).toBe(0);
  await sql`update arrivals set next_try_at = now()`.execute(store.system);
  const arrived = async () => (await sql`select from arrivals`.execute(store.system)).rows.length;
  await expect.poll(arrived).toBe(0);
  await store.close();
  expect((await scene.events({ retry: 'dead' })).map(({ id }) => id).toSorted()).toEqual(
    [failed.id, first.id, second.id].toSorted(),
  );
  const replayedAs = { id: last.id, outcome: 'fired' };
  for (const { id } of [failed, first, second])
    expect(await scene.made('GET', `/v1/events/${id}`)).toMatchObject({ replayedAs });
  expect((await scene.made('GET', `/v1/runs?agentId=${trigger.agentId}`)).items).toHaveLength(1);
});

test('a notification of what an agent did starts no agent, one of what the same person clicks does', async () => {
  await using scene = await eventScene({ intervals: { pollMs: 200 } });
  const [ada, ben] = [await scene.connectBoard('ada'), await scene.connectBoard('ben')];
  await scene.newTrigger(await scene.reader(ben), 'board.new_notification', ben);
  const card = scene.board.newCard({});
  const { id: member } = scene.board.member('ben');
  const run = (step: string, input: object) => scene.made('POST', `/v1/steps/${step}/run`, { accountId: ada, input });
  await run('board.add_comment_to_card', { cardId: card.id, text: '@ben look' });
  await run('board.api_call', { method: 'POST', endpoint: `/1/cards/${card.id}/idMembers`, query: { value: member } });
  const ours = { outcome: 'skipped', reason: 'made through Switchboard itself' };
  const events = await scene.eventsUntil(2);
  expect(events).toMatchObject([ours, ours]);
  const { body } = await scene.bench.owned('POST', `/v1/events/${events[0]?.id}/replay`);
  expect(body.error).toMatchObject({ code: 'conflict', message: expect.stringContaining('keeps no record') });

  scene.board.comment(card, '@ben yourself', 'ada');

  expect(await scene.eventsUntil(3)).toMatchObject([{ outcome: 'fired' }, ours, ours]);
});

test('what only the pause of its agent kept back is replayed as it was found, whether it can be read again or not', async () => {
  await using scene = await eventScene({ intervals: { pollMs: 200 } });
  const ben = await scene.connectBoard('ben');
  const agentId = await scene.reader(ben);
  const { id } = await scene.newTrigger(agentId, 'board.new_notification', ben, { types: ['commentCard'] });
  const setAgent = (state: string) => scene.made('PATCH', `/v1/agents/${agentId}`, { state });
  await setAgent('paused');
  const card = scene.board.newCard({ idMembers: [scene.board.member('ben').id] });
  scene.board.comment(card, 'Look', 'ada');
  const [seen] = await scene.eventsUntil(1, { outcome: 'skipped' });
  const again = await scene.made('POST', `/v1/events/${seen.id}/replay`);
  const sample = await scene.made('POST', `/v1/triggers/${id}/test`);
  for (const each of [seen, again, sample])
    expect(each).toMatchObject({ outcome: 'skipped', reason: 'the agent was paused' });

  await setAgent('enabled');

  const told = [];
  for (const each of [seen, again, sample]) {
    const { runId } = await scene.made('POST', `/v1/events/${each.id}/replay`);
    told.push((await scene.run(runId)).input.event);
  }
  const notification = { text: 'Look' };
  expect(told).toMatchObject([{ data: { notification } }, { data: { notification } }, { delivery: 'replay' }]);
  expect(told[1].eventId).toBe(told[0].eventId);
});

test('while an account is paused, what must be read is skipped as everything else is', async () => {
  await using scene = await eventScene({ intervals: { lookMs: 3_600_000 } });
  const trigger = await onLaunch(scene, 'board.new_card', { includeCard: true });
  await scene.settled(trigger);
  await scene.made('PATCH', `/v1/accounts/${trigger.accountId}`, { paused: true });
  scene.board.newCard({ name: 'In the pause', as: 'ben' });
  expect(await scene.eventsUntil(1)).toMatchObject([{ outcome: 'skipped', reason: 'the account was paused' }]);
});

test('three triggers read a card once; an event that its trigger looks for no more ends as skipped, and one whose trigger does not fit among the dead', async () => {
  await using scene = await eventScene({ intervals: { retryMs: 200, leaseMs: 1_000 } });
  const trigger = await onLaunch(scene, 'board.new_card', { includeCard: true });
  const other = await onLaunch(scene, 'board.new_card', { includeCard: true }, trigger.agentId);
  const third = await onLaunch(scene, 'board.new_card', { includeCard: true }, trigger.agentId);
  const fine = scene.board.newCard({ name: 'Fine', as: 'ben' });
  await scene.eventsUntil(3, { outcome: 'fired' });
  const reads = scene.board.control.log.list().filter(({ path }) => path.split('?')[0] === `/1/cards/${fine.id}`);
  expect(reads).toHaveLength(1);
  scene.board.control.faults.add({ match: { path: '/1/cards/' }, kind: 'status', status: 500 });
  scene.board.newCard({ name: 'Poison', as: 'ben' });
  await scene.until(
    () => scene.events({ retry: 'retrying' }),
    ({ length }) => length === 3,
  );

  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { config: { boards: [scene.board.newBoard().id] } });
  await runStatement(
    scene.bench.connectionString,
    `set app.workspace = '*'; update triggers set config = '{"shelves": []}' where id = '${other.id}';
    update triggers set type = 'board.card_archived', config = '{"boards": []}' where id = '${third.id}';
    update watches set roster = roster + 1`,
  );

  for (const { id: triggerId } of [trigger, third]) {
    const [ended] = await scene.until(
      () => scene.events({ triggerId }),
      ([event]) => event?.outcome !== 'failed',
    );
    expect(ended).toMatchObject({ outcome: 'skipped', reason: 'the trigger was changed before this could be judged' });
  }
  // A try that began before may have met the service once more.
  const reason = 'The settings of the trigger do not fit any more.';
  const ofOther = () => scene.events({ triggerId: other.id });
  await scene.until(ofOther, ([event]) => event?.reason === reason);
  await runStatement(
    scene.bench.connectionString,
    `set app.workspace = '*'; update events set attempts = 7 where trigger_id = '${other.id}'`,
  );
  const [dead] = await scene.until(ofOther, ([event]) => event?.retry.state === 'dead');
  expect(dead).toMatchObject({ reason, retry: { attempts: 8 } });
});

test.each([
  ['the account is not connected', 'account'],
  ['the trigger is paused', 'trigger'],
  ['another kind of event is seen', 'event_type'],
  ['its own settings hold it back', 'filter'],
] as const)('the diagnosis says that %s', async (_, check) => {
  await using scene = await eventScene();
  const causeOf = async (id: string, told: string) => {
    const { cause } = await scene.until(
      () => scene.made('GET', `/v1/triggers/${id}/diagnosis`),
      (diagnosis) => diagnosis.cause?.message.includes(told),
    );
    return cause;
  };
  const boards = [scene.board.launch().id];
  const config = check === 'filter' ? { lists: [scene.board.lists()[1]?.id] } : {};
  const trigger = await onLaunch(scene, check === 'event_type' ? 'board.card_archived' : 'board.new_card', config);
  const { agentId, accountId } = trigger;
  if (check === 'account') {
    scene.board.control.faults.add({ match: { path: '/1/' }, kind: 'status', status: 401 });
    await scene.made('POST', `/v1/accounts/${accountId}/test`);
  } else if (check === 'trigger') {
    await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { state: 'paused' });
  }
  // What the one trigger waits for is another kind to its neighbour on the same board.
  const neighbour =
    check === 'filter' && (await scene.newTrigger(agentId, 'board.card_archived', accountId, { boards }));
  if (check === 'filter' || check === 'event_type') scene.board.newCard({ as: 'ben' });

  const told = {
    account: 'connected again',
    trigger: 'paused',
    event_type: 'Another change was seen here',
    filter: 'lists',
  };
  const cause = await causeOf(trigger.id, told[check]);
  expect(cause).toMatchObject({ check, ok: false, message: expect.stringContaining(told[check]) });
  if (neighbour) expect((await causeOf(neighbour.id, told.event_type)).message).toMatch(/ meant: New Card\.$/);
  if (check !== 'event_type') return;
  // Of all the others, those that wait for it.
  expect(cause.message).toMatch(
    /Perhaps another trigger is meant: New Card, New Board Activity, Custom Webhook Events\.$/,
  );
  // What was seen before it counted is nothing to it.
  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  await sql`update triggers set since = since + interval '1 minute' where id = ${trigger.id}`.execute(store.system);
  await store.close();
  expect((await causeOf(trigger.id, 'Nothing has happened here')).message).not.toContain('seen here');
  const polled = await scene.newTrigger(agentId, 'board.new_notification', accountId);
  expect((await causeOf(polled.id, 'next look is in')).message).toContain('next look is in');
});

test('whoever tests a trigger, or replays an event of it, while it is deleted is told that it is gone', async () => {
  await using scene = await eventScene();
  const { id } = await onLaunch(scene, 'board.new_card');
  const event = await scene.made('POST', `/v1/triggers/${id}/test`);
  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  const asked = await store.system.transaction().execute(async (tx) => {
    // Both have found the trigger, and wait to store what happened.
    await sql`lock table events in exclusive mode`.execute(tx);
    const answers = [`/v1/triggers/${id}/test`, `/v1/events/${event.id}/replay`].map((path) =>
      scene.bench.owned('POST', path),
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    await scene.made('DELETE', `/v1/triggers/${id}`);
    return answers;
  });
  await store.close();

  for (const { body } of await Promise.all(asked))
    expect(body.error).toMatchObject({ code: 'not_found', message: 'There is no such trigger.' });
  const later = await scene.bench.owned('POST', `/v1/events/${event.id}/replay`);
  expect(later).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('by hand') } } });
});

test.each(['fired', 'filtered'])(
  'an event that was %s and is replayed twice at once starts the agent once more',
  async (outcome) => {
    await using scene = await eventScene();
    const { trigger, event } = await filteredCard(scene);
    await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { config: { boards: ['launch'] } });
    const [pressed] = outcome === 'filtered' ? [event] : [await scene.made('POST', `/v1/triggers/${trigger.id}/test`)];
    const before = (await scene.events({ outcome: 'fired' })).length;
    const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
    const replaying = await store.system.transaction().execute(async (tx) => {
      // Both have read it, and wait to store what they make of it.
      await sql`lock table events in exclusive mode`.execute(tx);
      const answers = [1, 2].map(() => scene.bench.owned('POST', `/v1/events/${pressed.id}/replay`));
      await new Promise((resolve) => setTimeout(resolve, 500));
      return answers;
    });
    await store.close();

    const answers = await Promise.all(replaying);

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await scene.events({ outcome: 'fired' })).toHaveLength(before + 1);
    // Whoever has seen that may mean it once more.
    await scene.made('POST', `/v1/events/${pressed.id}/replay`);
  },
);

test('whoever replays what starts the agent at that very moment is told so, and it starts once', async () => {
  await using scene = await eventScene();
  const { trigger, event } = await filteredCard(scene);
  expect(event).toMatchObject({ outcome: 'filtered' });
  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { config: { boards: ['launch'] } });
  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  const replaying = await store.system.transaction().execute(async (tx) => {
    await sql`update events set outcome = 'fired', clause = null where id = ${event?.id}`.execute(tx);
    const answer = scene.bench.owned('POST', `/v1/events/${event?.id}/replay`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    return [answer];
  });
  await store.close();

  const [answer] = await Promise.all(replaying);
  expect(answer).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('meanwhile') } } });
  expect(await scene.events({ outcome: 'fired' })).toHaveLength(1);
});

test('a pause that is over is no cause, and one that is not is', async () => {
  await using scene = await eventScene();
  const trigger = await onLaunch(scene, 'board.new_card');
  await scene.settled(trigger);
  const diagnosis = () => scene.made('GET', `/v1/triggers/${trigger.id}/diagnosis`);
  const paths = [`/v1/triggers/${trigger.id}`, `/v1/agents/${trigger.agentId}`, `/v1/accounts/${trigger.accountId}`];
  for (const [before, path] of paths.entries()) {
    await scene.made('PATCH', path, { state: 'paused' });
    scene.board.newCard({ as: 'ben' });
    const [event] = await scene.eventsUntil(before + 1);
    expect(event).toMatchObject({ outcome: 'skipped' });
    const { findings } = await diagnosis();
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'skipped', ok: false, message: expect.stringContaining(event?.reason) }),
    );
    await scene.made('PATCH', path, { state: path === paths[2] ? 'connected' : 'enabled' });
  }

  const { cause, findings } = await diagnosis();

  expect(cause).toBeUndefined();
  expect(findings).toContainEqual({
    check: 'skipped',
    ok: true,
    message: expect.stringContaining('pause that is over'),
  });
});

test('a trigger whose settings do not fit any more says so, and what to do', async () => {
  await using scene = await eventScene();
  const { id } = await onLaunch(scene, 'board.new_card');
  const age = (set: string) =>
    runStatement(
      scene.bench.connectionString,
      `set app.workspace = '*'; update triggers set ${set} where id = '${id}'`,
    );
  const told = async () => {
    const { cause } = await scene.made('GET', `/v1/triggers/${id}/diagnosis`);
    const { reason } = await scene.made('GET', `/v1/triggers/${id}`);
    expect(cause).toEqual({ check: 'filter', ok: false, message: reason });
    return reason;
  };
  await age(`config = '{"shelves": []}'`);
  expect(await told()).toBe(
    'Its settings do not fit any more (shelves: is not a field here), so it starts nothing. Look at them, and save them again.',
  );
  expect(await scene.bench.owned('POST', `/v1/triggers/${id}/test`)).toMatchObject({ status: 400 });
  await scene.made('PATCH', `/v1/triggers/${id}`, { config: { boards: [scene.board.launch().id] } });
  expect((await scene.made('GET', `/v1/triggers/${id}`)).reason).toBeNull();

  await age(`type = 'board.shelf_filled'`);
  expect(await told()).toContain('There is no trigger of the type board.shelf_filled any more');
});

test('while its account does not work, the diagnosis neither promises a look nor doubts the place', async () => {
  await using scene = await eventScene({ mail: true });
  const agentId = await scene.reader(await scene.connectBoard());
  const mail = await scene.bench.connectMail();
  scene.bench.mail.control.faults.add({ match: { path: '/v1.0/' }, kind: 'status', status: 401 });
  const trigger = await scene.newTrigger(agentId, 'mail.new_email', mail);
  const { findings } = await scene.until(
    () => scene.made('GET', `/v1/triggers/${trigger.id}/diagnosis`),
    ({ cause, watches }) => cause?.check === 'account' && watches.some(({ reason }: { reason: unknown }) => reason),
  );
  const checks = findings.map(({ check }: { check: string }) => check);
  expect(checks).toEqual(expect.arrayContaining(['account', 'watch']));
  expect(checks).not.toContain('polling');
  expect(checks).not.toContain('event_type');
  for (const { message } of findings) expect(message).toMatch(/[^.]\.$/);
  expect(findings).toContainEqual({
    check: 'watch',
    ok: false,
    message: 'mailbox/me rests until the account works again.',
  });
});

test('disconnecting removes the registrations, erases what came from the account, and begins nothing that waited, as deleting a trigger does', async () => {
  await using scene = await eventScene({ mail: true, intervals: { sweepMs: 500 } });
  const board = await scene.connectBoard();
  const mail = await scene.bench.connectMail();
  const agent = await scene.reader(board);
  const deleted = await scene.newTrigger(agent, 'mail.new_email', mail);
  const trigger = await scene.newTrigger(agent, 'mail.new_email', mail);
  await fetch(`${scene.bench.mail.url}/_control/deliver`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject: 'Secret plan', body: 'Hush' }),
  });
  const events = await scene.eventsUntil(2);
  for (const { runId } of events) {
    await scene.until(
      () => scene.run(runId),
      ({ finishedAt }) => finishedAt !== null,
    );
  }
  const [event] = events.filter(({ triggerId }) => triggerId === trigger.id);
  const [other] = events.filter(({ triggerId }) => triggerId === deleted.id);
  /** What waits for its turn when somebody takes the reason for it away. */
  const waitsWhile = async (of: { id: string }, take: () => Promise<unknown>) => {
    await scene.made('POST', '/v1/stop');
    const { runId } = await scene.made('POST', `/v1/triggers/${of.id}/test`);
    await take();
    await scene.made('POST', '/v1/resume');
    const { status, error } = await scene.run(runId);
    return [status, error?.message];
  };
  expect(await waitsWhile(deleted, () => scene.made('DELETE', `/v1/triggers/${deleted.id}`))).toEqual([
    'cancelled',
    'The trigger was deleted before this run began.',
  ]);

  const find = { key: 'find', step: 'mail.find_email', account: { id: mail }, input: {} };
  const body = '{{steps.find.output.items[0].subject}}';
  const send = {
    ...find,
    key: 'send',
    step: 'mail.send_email',
    input: { to: ['ben@sandbox.test'], subject: 'x', body },
  };
  const ran = async (...steps: object[]) => {
    const { id } = await scene.made('POST', '/v1/tools', { name: 'Finds', description: '', steps });
    return (await scene.made('POST', `/v1/tools/${id}/run`, { input: {} })).runId;
  };
  const [found, waiting] = [await ran(find), await ran(find, send)];
  const input = { method: 'GET', endpoint: '/me/messages?$top=1', responseType: 'file' };
  const { output } = await scene.made('POST', '/v1/steps/mail.api_call/run', { accountId: mail, input });
  const preview = () =>
    scene.bench.call('POST', '/v1/triggers/preview', {
      key: bootstrapKey,
      body: { type: 'mail.new_email', accountId: mail, config: {} },
      headers: { 'idempotency-key': 'once' },
    });
  const [approval] = (await scene.made('GET', '/v1/approvals')).items;
  const edit = () =>
    scene.bench.call('POST', `/v1/approvals/${approval.id}/edit`, {
      key: bootstrapKey,
      body: { changes: { subject: 'Secret plan' } },
      headers: { 'idempotency-key': 'edited' },
    });
  expect(
    JSON.stringify([await scene.run(found), await scene.run(waiting), (await preview()).body, (await edit()).body]),
  ).toMatch(/Secret plan.*Secret plan.*Secret plan.*Secret plan/);
  // Something that was cut within a character.
  await runStatement(
    scene.bench.connectionString,
    `set app.workspace = '*'; update runs set journal = replace(journal::text, 'Secret plan', 'Secret plan \\ud83d')::json
      where id = '${found}'`,
  );

  expect(await waitsWhile(trigger, () => scene.made('DELETE', `/v1/accounts/${mail}`))).toEqual([
    'cancelled',
    'The account was disconnected before this run began.',
  ]);

  expect(scene.bench.mail.snapshot().subscriptions).toEqual([]);
  const after = await scene.made('GET', `/v1/events/${event.id}`);
  const told = await scene.made('GET', `/v1/events/${other.id}`);
  const held = [after, told, await scene.run(event.runId), await scene.run(other.runId), await scene.run(found)];
  expect(JSON.stringify(held)).not.toMatch(/Secret plan|Hush/);
  expect((await scene.bench.owned('GET', `/v1/files/${output.fileRef.ref}`)).status).toBe(404);
  expect((await preview()).status).toBe(404);
  const edited = await edit();
  expect([edited.status, edited.body.status, JSON.stringify(edited.body)]).toEqual([
    200,
    'void',
    expect.not.stringMatching(/Secret plan|Hush/),
  ]);
  const later = await scene.until(
    () => scene.run(waiting),
    (run) => run.status === 'failed' && !JSON.stringify(run).includes('Secret plan'),
  );
  expect(JSON.stringify(later)).not.toMatch(/Secret plan|Hush/);
  expect(after).toMatchObject({ outcome: 'fired', upstreamId: event.upstreamId });
  expect(await scene.made('GET', `/v1/triggers/${trigger.id}`)).toMatchObject({ state: 'broken' });
  // Nobody is started with what is not there any more.
  await runStatement(
    scene.bench.connectionString,
    `select set_config('app.workspace', '*', false); update runs set status = 'failed' where id = '${event.runId}'`,
  );
  for (const again of [`/v1/events/${event.id}/replay`, `/v1/runs/${event.runId}/retry`]) {
    const refused = await scene.bench.owned('POST', again, again.endsWith('retry') ? {} : undefined);
    expect(refused.body.error).toMatchObject({ code: 'conflict', message: expect.stringContaining('erased') });
  }

  const ask = async () =>
    (await scene.made('POST', '/v1/steps/board.get_boards/run', { accountId: board, input: {} })).runId;
  const [open, over] = [await ask(), await ask()];
  const leave = (openRuns: string) =>
    runStatement(
      scene.bench.connectionString,
      `select set_config('app.workspace', '*', false);
       update accounts set state = 'disconnected', credential = null, disconnected_at = now() - interval '2 minutes',
         open_runs = ${openRuns} where id = '${board}'`,
    );
  const erased = async (runId: string) =>
    (
      await scene.until(
        () => scene.run(runId),
        ({ output }) => output === null,
      )
    ).output;
  // As when a run ends long after its account has left, and what was approved for it was needed until then.
  await runStatement(
    scene.bench.connectionString,
    `select set_config('app.workspace', '*', false);
     update approvals set account_id = '${board}', run_id = '${open}', status = 'approved',
       view = (view::jsonb || '{"subject": "Hush"}')::json where id = '${approval.id}'`,
  );
  const asked = async () => JSON.stringify(await scene.made('GET', `/v1/approvals/${approval.id}`));
  expect(await asked()).toContain('Hush');
  await leave(`array['${open}']`);
  expect(await erased(open)).toBeNull();
  expect(await scene.until(asked, (told) => !told.includes('Hush'))).not.toContain('Hush');
  expect((await scene.run(over)).output).not.toBeNull();
  // As when the process dies between taking the credential out and erasing.
  await leave('null');
  expect(await erased(over)).toBeNull();
});

test('a label that the agent adds starts no agent, though the service names nothing in its answer', async () => {
  await using scene = await eventScene();
  const accountId = await scene.connectBoard('ada', false);
  const [red, green] = scene.board.labels();
  const toolId = await scene.newTool('Label', ['cardId'], {
    step: 'board.add_label',
    input: { cardId: '{{inputs.cardId}}', label: green?.id },
  });
  const agentId = await scene.newAgent('Labeller', toolId, { cardId: '{{event.data.card.id}}', account: accountId });
  await scene.newTrigger(agentId, 'board.label_added_to_card', accountId, { boards: [scene.board.launch().id] });
  const card = scene.board.newCard({ as: 'ben' });
  await new Promise((resolve) => setTimeout(resolve, 50));

  if (red !== undefined) scene.board.changeCard(card, { labels: [red] }, 'ben');

  const events = await scene.eventsUntil(2);
  expect(events).toMatchObject([
    { outcome: 'skipped', reason: 'made through Switchboard itself' },
    { outcome: 'fired' },
  ]);
});

test.each([
  ['told by a notification', true],
  ['told by how the card is now, which names nobody', false],
])(
  'a label that another account of the workspace adds starts nobody, one that its person adds does: %s',
  async (_, secret) => {
    await using scene = await eventScene();
    const [ada, ben] = [await scene.connectBoard('ada', secret), await scene.connectBoard('ben', secret)];
    const [red, green] = scene.board.labels();
    const boards = [scene.board.launch().id];
    const [mine, theirs] = [scene.board.newCard({ as: 'ben' }), scene.board.newCard({ as: 'ben' })];
    await scene.newTrigger(await scene.reader(ben), 'board.label_added_to_card', ben, { boards });
    const add = { accountId: ada, input: { cardId: mine.id, label: green?.id } };
    await scene.made('POST', '/v1/steps/board.add_label/run', add);
    expect(await scene.eventsUntil(1)).toMatchObject([
      { outcome: 'skipped', reason: 'made through Switchboard itself' },
    ]);

    if (red !== undefined) scene.board.changeCard(mine, { labels: [red] }, 'ada');
    if (green !== undefined) scene.board.changeCard(theirs, { labels: [green] }, 'ada');

    expect(await scene.eventsUntil(3)).toMatchObject([
      { outcome: 'fired' },
      { outcome: 'fired' },
      { outcome: 'skipped' },
    ]);
  },
);
