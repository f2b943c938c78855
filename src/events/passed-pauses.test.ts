import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventScene, type Scene } from '../../test/event-scene.ts';

/** The service tells the time in seconds: what is nearer to the end of a pause may have happened after it. */
const clearlyBefore = () => sleep(2_500);

const json = { 'content-type': 'application/json' };

const outcomes = async (scene: Scene, triggerId: string) => {
  const events = await scene.events({ triggerId });
  return events.map(({ summary, outcome, reason }) => [/“(.*?)”/.exec(summary)?.[1], outcome, reason]).sort();
};

const inPauseOf = (whose: string) =>
  expect.stringMatching(new RegExp(`^the ${whose} was paused when it happened \\(from 20\\S+Z to 20\\S+Z\\)$`));

test('what happened in a pause and is found after it, as while the service was away, starts nobody unless it is replayed', async () => {
  await using scene = await eventScene({ pushed: false, intervals: { pollMs: 200 } });
  const { board, made } = scene;
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const boards = [board.launch().id];
  const trigger = await scene.newTrigger(agentId, 'board.new_card', accountId, { boards });
  const patient = await scene.newTrigger(agentId, 'board.new_card', accountId, { boards });
  const change = (state: string) =>
    Promise.all([
      made('PATCH', `/v1/triggers/${trigger.id}`, { state }),
      made('PATCH', `/v1/triggers/${patient.id}`, { state, ...(state === 'enabled' ? { catchUp: true } : {}) }),
    ]);
  await change('paused');
  board.control.faults.add({ match: { path: '/1/boards/' }, kind: 'status', status: 503 });
  await sleep(1_100);
  board.newCard({ name: 'In the pause', as: 'ben' });
  await clearlyBefore();
  const begun = Date.now();
  await change('enabled');
  const tookMs = Date.now() - begun;
  board.newCard({ name: 'After it', as: 'ben' });
  expect(await scene.events({ outcome: 'fired' })).toEqual([]);
  board.control.faults.clear();
  // The settings are changed meanwhile.
  await made('PATCH', `/v1/triggers/${trigger.id}`, { config: { boards, ignoreSelf: false } });

  await scene.eventsUntil(2, { triggerId: trigger.id });
  expect(await outcomes(scene, trigger.id)).toEqual([
    ['After it', 'fired', undefined],
    ['In the pause', 'skipped', inPauseOf('trigger')],
  ]);
  await scene.eventsUntil(2, { triggerId: patient.id });
  expect((await outcomes(scene, patient.id)).map(([, outcome]) => outcome)).toEqual(['fired', 'fired']);
  expect(tookMs).toBeLessThan(4_000);

  const [skipped] = await scene.events({ outcome: 'skipped' });
  expect(await made('POST', `/v1/events/${skipped.id}/replay`)).toMatchObject({ outcome: 'fired' });
});

test('what happens while an account is paused starts nobody, whichever way its trigger comes to know of it, unless that is caught up with', async () => {
  await using scene = await eventScene({ mail: true, intervals: { lookMs: 2_000, retryMs: 100 } });
  const { bench, board, made } = scene;
  const [boardId, mailId] = [await scene.connectBoard('ben'), await bench.connectMail()];
  const agentId = await scene.reader(boardId);
  const boards = [board.launch().id];
  const found = await scene.newTrigger(agentId, 'board.new_card', boardId, { boards });
  const caughtUp = await scene.newTrigger(agentId, 'board.new_card', boardId, { boards });
  const polled = await scene.newTrigger(agentId, 'board.new_notification', boardId, { types: ['addedToCard'] });
  const hinted = await scene.newTrigger(agentId, 'mail.new_email', mailId);
  for (const trigger of [found, polled, hinted]) await scene.settled(trigger);
  const control = (base: string, path: string, body: object) =>
    fetch(`${base}/_control/${path}`, { method: 'POST', body: JSON.stringify(body), headers: json });
  await control(board.url, 'notifications', { drop: 1 });
  const happen = async (when: string) => {
    board.newCard({ name: when, idMembers: [board.member('ben').id], as: 'ada' });
    const mail = { to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject: `“${when}”`, body: '' };
    await control(bench.mail.url, 'deliver', mail);
  };
  const pause = async (paused: boolean) => {
    for (const id of [boardId, mailId]) await made('PATCH', `/v1/accounts/${id}`, { paused });
  };
  await made('PATCH', `/v1/triggers/${caughtUp.id}`, { state: 'paused' });
  await pause(true);
  await sleep(1_100);
  await happen('In the pause');
  await clearlyBefore();
  await pause(false);
  await happen('After it');

  for (const { id } of [found, polled, hinted]) {
    await scene.eventsUntil(2, { triggerId: id });
    expect(await outcomes(scene, id)).toEqual([
      ['After it', 'fired', undefined],
      ['In the pause', 'skipped', inPauseOf('account')],
    ]);
  }
  await made('PATCH', `/v1/triggers/${caughtUp.id}`, { state: 'enabled', catchUp: true });
  await scene.eventsUntil(2, { triggerId: caughtUp.id, outcome: 'fired' });
  expect(await scene.events({ triggerId: caughtUp.id, outcome: 'fired' })).toHaveLength(2);

  const [skipped] = await scene.events({ triggerId: polled.id, outcome: 'skipped' });
  expect(await made('POST', `/v1/events/${skipped.id}/replay`)).toMatchObject({ outcome: 'fired' });
});

test('a reminder that came to be in a pause is skipped though its moment lies before the pause, and one that comes to be after it is not', async () => {
  await using scene = await eventScene({ intervals: { pollMs: 300 } });
  const { board, made } = scene;
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const boards = [board.launch().id];
  const { id } = await scene.newTrigger(agentId, 'board.card_due_reminder', accountId, { boards, leadTime: 'PT1H' });
  const due = new Date(Date.now() + 30 * 60_000).toISOString();
  await made('PATCH', `/v1/triggers/${id}`, { state: 'paused' });
  board.newCard({ name: 'In the pause', due, as: 'ben' });
  await sleep(600);
  await made('PATCH', `/v1/triggers/${id}`, { state: 'enabled' });
  await scene.eventsUntil(1);
  board.newCard({ name: 'After it', due, as: 'ben' });

  await scene.eventsUntil(2);
  expect(await outcomes(scene, id)).toEqual([
    ['After it', 'fired', undefined],
    ['In the pause', 'skipped', inPauseOf('trigger')],
  ]);
});

test('nobody catches up while the account or the agent is paused: what would start would be skipped by that instead', async () => {
  await using scene = await eventScene();
  const { bench, board, made } = scene;
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const trigger = await scene.newTrigger(agentId, 'board.new_card', accountId, { boards: [board.launch().id] });
  await scene.settled(trigger);
  await made('PATCH', `/v1/triggers/${trigger.id}`, { state: 'paused' });
  board.newCard({ name: 'In the pause', as: 'ben' });
  await scene.eventsUntil(1);
  const catchUp = () => bench.owned('PATCH', `/v1/triggers/${trigger.id}`, { state: 'enabled', catchUp: true });

  await made('PATCH', `/v1/accounts/${accountId}`, { paused: true });
  const { status, body } = await catchUp();
  expect([status, body.error.message]).toEqual([
    409,
    'The account is paused: what is caught up with would be skipped. Resume it first.',
  ]);
  await made('PATCH', `/v1/accounts/${accountId}`, { paused: false });
  await made('PATCH', `/v1/agents/${agentId}`, { state: 'paused' });
  expect((await catchUp()).body.error.message).toContain('The agent is paused');
  await made('PATCH', `/v1/agents/${agentId}`, { state: 'enabled' });

  expect((await catchUp()).status).toBe(200);
  await scene.eventsUntil(1, { outcome: 'fired' });
  expect((await outcomes(scene, trigger.id)).map(([name, outcome]) => [name, outcome])).toEqual([
    ['In the pause', 'fired'],
  ]);
});

test('nobody catches up with the pause of a trigger that is not paused: who asks for it is told what can be done', async () => {
  await using scene = await eventScene();
  const { bench, board } = scene;
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const { id } = await scene.newTrigger(agentId, 'board.new_card', accountId, { boards: [board.launch().id] });
  const change = (body: object) => bench.owned('PATCH', `/v1/triggers/${id}`, { state: 'enabled', ...body });

  const { status, body } = await change({ catchUp: true, name: 'Another' });

  expect([status, body.error.message]).toEqual([
    409,
    'The trigger is not paused, so there is nothing to catch up with. What was skipped in an earlier pause can be replayed, each event by itself.',
  ]);
  expect((await scene.made('GET', `/v1/triggers/${id}`)).name).not.toBe('Another');
  expect((await change({ catchUp: false, name: 'Another' })).body.name).toBe('Another');
});

test('whoever pauses a trigger while somebody else lets it go on has the last word, however long that takes', async () => {
  await using scene = await eventScene({ pushed: false });
  const { bench, board, made } = scene;
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const { id } = await scene.newTrigger(agentId, 'board.new_card', accountId, { boards: [board.launch().id] });
  const change = (body: object) => bench.owned('PATCH', `/v1/triggers/${id}`, body);
  await change({ state: 'paused' });
  board.control.faults.add({ match: { path: '/1/boards/' }, kind: 'latency', ms: 5_000, times: 1 });
  const slow = change({ state: 'enabled' });
  await expect.poll(() => board.control.faults.list()).toEqual([]);

  const paused = await change({ state: 'paused' });

  expect([paused.status, paused.body.state]).toEqual([200, 'paused']);
  const { status, body } = await slow;
  expect([status, body.error?.message]).toEqual([409, 'The trigger was paused again meanwhile, so it stays paused.']);
  expect((await made('GET', `/v1/triggers/${id}`)).state).toBe('paused');

  board.control.faults.clear();
  expect((await change({ state: 'enabled' })).body.state).toBe('enabled');
});
