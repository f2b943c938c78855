import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { silentLog } from '#log';
import { openStore } from '#store';
import { eventScene, type Scene } from '../../test/event-scene.ts';
import { runStatement } from '../../test/run-statement.ts';
import { bootstrapKey, callerFor, reachableAddress } from '../../test/workbench.ts';

test('a mail that arrives starts the agent once', async () => {
  await using scene = await eventScene({ mail: true });
  const boardAccount = await scene.connectBoard();
  const mailAccount = await scene.bench.connectMail();
  const toolId = await scene.newTool('Note', ['name'], {
    step: 'board.create_card',
    input: { idList: scene.board.lists()[0]?.id, name: '{{inputs.name}}' },
  });
  const agent = await scene.newAgent('Noter', toolId, {
    name: '{{event.data.message.subject}}',
    account: boardAccount,
  });
  const searchFilter = 'subject:invoice';
  const trigger = await scene.newTrigger(agent, 'mail.new_email', mailAccount, { searchFilter, folders: ['Inbox'] });
  expect(trigger.watches).toMatchObject([{ state: 'healthy', way: 'push' }]);

  const delivered = await fetch(`${scene.bench.mail.url}/_control/deliver`, {
    method: 'POST',
    body: JSON.stringify({ to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject: 'Your invoice', body: 'Hello' }),
    headers: { 'content-type': 'application/json' },
  });
  await fetch(`${scene.bench.mail.url}/_control/deliver`, {
    method: 'POST',
    body: JSON.stringify({ to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject: 'Lunch', body: 'Hello' }),
    headers: { 'content-type': 'application/json' },
  });

  const events = await scene.eventsUntil(2);
  expect(events.map(({ outcome, clause }) => ({ outcome, clause }))).toEqual(
    expect.arrayContaining([
      { outcome: 'fired', clause: undefined },
      { outcome: 'filtered', clause: 'subject:invoice' },
    ]),
  );
  const { id: upstreamId } = (await delivered.json()) as { id: string };
  const [fired] = await scene.events({ upstreamId });
  expect(fired).toMatchObject({ outcome: 'fired' });
  const cards = await scene.until(
    async () => [...scene.board.world.cards.values()].filter(({ name }) => name === 'Your invoice'),
    ({ length }) => length > 0,
  );
  expect(cards).toHaveLength(1);
  const written = await scene.until(
    () => scene.made('GET', '/v1/audit?action=effect.sent'),
    ({ items }) => items.length > 0,
  );
  expect(written.items).toMatchObject([
    { details: { eventId: fired?.id, runId: fired?.runId, upstreamId: cards[0]?.id } },
  ]);
});

const move = async (scene: Scene, id: string, destinationId: string) => {
  const authorization = `Bearer ${scene.bench.mail.tokenFor('ada@sandbox.test')}`;
  const moved = await fetch(`${scene.bench.mail.url}/v1.0/me/messages/${id}/move`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', prefer: 'IdType="ImmutableId"' },
    body: JSON.stringify({ destinationId }),
  });
  expect(moved.status).toBe(201);
};

const deliver = (scene: Scene, given: { from: string; subject: string; folder?: string; receivedAt?: string }) =>
  fetch(`${scene.bench.mail.url}/_control/deliver`, {
    method: 'POST',
    body: JSON.stringify({ to: 'ada@sandbox.test', body: 'Hello', ...given }),
    headers: { 'content-type': 'application/json' },
  });

test('mail counts from the moment in which a trigger is made by the time of the service, however far off our clock is', async () => {
  await using scene = await eventScene({ mail: true });
  const agent = await scene.reader(await scene.connectBoard());
  const account = await scene.bench.connectMail();
  const { clock } = scene.bench.mail.control;
  clock.advance(-10 * 60_000);
  await deliver(scene, { from: 'ben@sandbox.test', subject: 'Before' });
  clock.advance(2_000);
  await scene.settled(await scene.newTrigger(agent, 'mail.new_email', account));
  await deliver(scene, { from: 'ben@sandbox.test', subject: 'After' });
  const [event, ...more] = await scene.eventsUntil(1, { outcome: 'fired' });
  expect([event.summary, more]).toEqual([expect.stringContaining('After'), []]);
});

test('mail of the second in which a trigger is made counts, also where others who watch the mailbox have been told of it', async () => {
  await using scene = await eventScene({ mail: true, intervals: { lookMs: 500 }, pushed: false });
  const agent = await scene.reader(await scene.connectBoard());
  const account = await scene.bench.connectMail();
  await scene.newTrigger(agent, 'mail.new_email', account);
  const { clock } = scene.bench.mail.control;
  const at = clock.now();
  await deliver(scene, { from: 'ben@sandbox.test', subject: 'Just now' });
  await scene.eventsUntil(1);
  await setTimeout(1_000);
  // At the service it is that second still.
  clock.set(at - (at % 1_000));
  const { id: triggerId } = await scene.newTrigger(agent, 'mail.new_email', account);
  const events = () => scene.events({ triggerId });
  expect(await scene.until(events, ({ length }) => length > 0)).toMatchObject([{ outcome: 'fired' }]);
});

test('so does mail of which a look is about to store what became of it for the others', async () => {
  await using scene = await eventScene({ mail: true, intervals: { lookMs: 500 }, pushed: false });
  const agent = await scene.reader(await scene.connectBoard());
  const account = await scene.bench.connectMail();
  const { id: first } = await scene.newTrigger(agent, 'mail.new_email', account);
  await scene.made('PATCH', `/v1/triggers/${first}`, { state: 'paused' });
  const store = openStore({ connectionString: scene.bench.connectionString, max: 2, log: silentLog });
  const { clock } = scene.bench.mail.control;
  const at = clock.now();
  const joining = await store.system.transaction().execute(async (tx) => {
    // Whoever has judged for a paused trigger waits for whoever changes it.
    await sql`select from triggers where id = ${first} for update`.execute(tx);
    await deliver(scene, { from: 'ben@sandbox.test', subject: 'Just now' });
    await setTimeout(1_500);
    // At the service it is that second still.
    clock.set(at - (at % 1_000));
    const made = scene.newTrigger(agent, 'mail.new_email', account);
    const count = () => sql`select from trigger_watches`.execute(store.system);
    await expect.poll(async () => (await count()).rows.length).toBe(2);
    return { made };
  });
  const { id: triggerId } = await joining.made;
  await store.close();
  expect(await scene.eventsUntil(1, { triggerId })).toMatchObject([{ outcome: 'fired' }]);
});

test('a mail that an agent has marked came in all the same, and who wrote to oneself is known as oneself', async () => {
  await using scene = await eventScene({ mail: true });
  const agent = await scene.reader(await scene.connectBoard());
  const account = await scene.bench.connectMail();
  const trigger = await scene.newTrigger(agent, 'mail.new_email', account, { ignoreSelf: false });
  await scene.settled(trigger);
  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { state: 'paused' });
  const { id: messageId } = await (await deliver(scene, { from: 'ben@sandbox.test', subject: 'Marked' })).json();
  expect(await scene.eventsUntil(1)).toMatchObject([{ outcome: 'skipped', actor: { isSelf: false } }]);
  await scene.made('POST', '/v1/steps/mail.mark_read/run', { accountId: account, input: { messageId } });
  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { config: { ignoreSelf: true } });
  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { state: 'enabled', catchUp: true });
  expect(await scene.eventsUntil(1, { outcome: 'fired' })).toMatchObject([{ upstreamId: messageId }]);

  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { config: { ignoreSelf: false } });
  await deliver(scene, { from: 'ada@sandbox.test', subject: 'To myself' });
  expect(await scene.eventsUntil(2, { outcome: 'fired' })).toMatchObject([{ actor: { isSelf: true } }, {}]);
});

test('mail that an agent sends out of a shared mailbox starts nobody who waits with the same account', async () => {
  await using scene = await eventScene({ mail: true });
  const { bench, made, until } = scene;
  const agent = await scene.reader(await scene.connectBoard());
  const scopes = ['Mail.ReadWrite', 'Mail.Send'].flatMap((scope) => [scope, `${scope}.Shared`]);
  const accountId = await bench.connectMail('ada@sandbox.test', ['Mail.Read', 'MailboxSettings.Read', ...scopes]);
  await scene.settled(await scene.newTrigger(agent, 'mail.new_email', accountId));
  const sent = { to: ['ada@sandbox.test'], subject: 'Weekly', body: 'Numbers', mailbox: 'team@sandbox.test' };
  for (const input of [sent, { ...sent, saveToSent: false }]) {
    const { approval } = await made('POST', '/v1/steps/mail.send_email/run', { accountId, input });
    await made('POST', `/v1/approvals/${approval.id}/approve`, { digest: approval.digest });
    const { status } = await until(
      () => scene.run(approval.runId),
      ({ finishedAt }) => finishedAt !== null,
    );
    expect(status).toBe('succeeded');
  }
  // What a colleague sends out of it is no doing of ours.
  await deliver(scene, { from: 'team@sandbox.test', subject: 'By hand' });

  const reasons = (await scene.eventsUntil(3)).map(({ summary, reason }) => [summary, reason]);
  expect(Object.fromEntries(reasons)).toEqual({
    'By hand, from team@sandbox.test': undefined,
    'Weekly, from Sandbox Team': 'made through Switchboard itself',
  });

  const given = { type: 'mail.new_email', accountId, config: {}, limit: 3 };
  const { items } = await made('POST', '/v1/triggers/preview', given);
  expect(items.map(({ summary, reason }: { summary: string; reason?: string }) => [summary, reason])).toEqual([
    ['By hand, from team@sandbox.test', undefined],
    ['Weekly, from Sandbox Team', 'made through Switchboard itself'],
    ['Weekly, from Sandbox Team', 'made through Switchboard itself'],
  ]);
});

test('mail that somebody takes out of the junk folder starts the agent then, once', async () => {
  await using scene = await eventScene({ mail: true, intervals: { lookMs: 1_500 } });
  const agent = await scene.reader(await scene.connectBoard());
  const account = await scene.bench.connectMail();
  const old = await (await deliver(scene, { from: 'ben@sandbox.test', subject: 'Old', folder: 'junkemail' })).json();
  scene.bench.mail.control.clock.advance(2_000);
  await scene.newTrigger(agent, 'mail.new_email', account);
  const spam = await (await deliver(scene, { from: 'ben@sandbox.test', subject: 'Spam', folder: 'junkemail' })).json();
  const [skipped] = await scene.eventsUntil(1);
  expect(skipped).toMatchObject({ outcome: 'skipped', reason: 'It is in the junk folder.', upstreamId: spam.id });

  for (const id of [old.id, spam.id]) await move(scene, id, 'inbox');
  const [fired] = await scene.eventsUntil(1, { outcome: 'fired' });
  expect(fired).toMatchObject({ id: skipped?.id, upstreamId: spam.id });
  expect(fired).not.toHaveProperty('reason');

  for (const folder of ['junkemail', 'inbox']) {
    await move(scene, spam.id, folder);
    await deliver(scene, { from: 'ben@sandbox.test', subject: `Then ${folder}` });
    await scene.eventsUntil(folder === 'inbox' ? 3 : 2, { outcome: 'fired' });
    await setTimeout(1_000);
  }
  const told = (await scene.events()).map(({ summary, outcome }) => `${summary} ${outcome}`).toSorted();
  const others = ['Then inbox', 'Then junkemail'].map((subject) => `${subject}, from ben@sandbox.test fired`);
  expect(told).toEqual(['Spam, from ben@sandbox.test fired', ...others]);
  const { items } = await scene.made('GET', `/v1/runs?agentId=${agent}`);
  expect(items).toHaveLength(3);
});

/** A mail that was skipped because it lies in Junk Email. */
const metAsJunk = async (scene: Scene) => {
  const agent = await scene.reader(await scene.connectBoard());
  await scene.newTrigger(agent, 'mail.new_email', await scene.bench.connectMail());
  const delivered = await deliver(scene, { from: 'ben@sandbox.test', subject: 'Spam', folder: 'junkemail' });
  const { id } = await delivered.json();
  const [junk] = await scene.eventsUntil(1);
  return { agent, id, junk };
};

test('junk that is thrown away starts nobody, until somebody takes it out of there, too', async () => {
  await using scene = await eventScene({ mail: true, intervals: { lookMs: 1_000 } });
  const { id, junk } = await metAsJunk(scene);
  await move(scene, id, 'deleteditems');
  for (const count of [1, 2]) {
    await deliver(scene, { from: 'ben@sandbox.test', subject: `Deleted ${count}`, folder: 'deleteditems' });
    await scene.eventsUntil(count, { outcome: 'fired' });
    await setTimeout(1_000);
  }
  const fired = async () => (await scene.events({ outcome: 'fired' })).map(({ upstreamId }) => upstreamId);
  expect(await fired()).toHaveLength(2);
  expect(await fired()).not.toContain(id);
  await move(scene, id, 'archive');
  expect(await scene.until(fired, (ids) => ids.includes(id))).toHaveLength(3);
  expect((await scene.events({ upstreamId: id })).map((event) => event.id)).toEqual([junk.id]);
});

test('mail that lay in the junk folder for days starts the agent when somebody puts it into a folder of its own', async () => {
  await using scene = await eventScene({ mail: true, intervals: { lookMs: 1_000 }, pushed: false });
  const agent = await scene.reader(await scene.connectBoard());
  const trigger = await scene.newTrigger(agent, 'mail.new_email', await scene.bench.connectMail());
  // As if it had been made ten days ago.
  const since = new Date(Date.now() - 10 * 86_400_000).toISOString();
  const cursor = JSON.stringify({ since, swept: since, tree: null, folders: {}, told: [] });
  await runStatement(
    scene.bench.connectionString,
    `set app.workspace = '*'; update trigger_watches set since = '${since}' where trigger_id = '${trigger.id}';
    update watches set roster = roster + 1, lease_owner = null, cursor = '${cursor}'`,
  );
  const receivedAt = new Date(Date.now() - 5 * 86_400_000).toISOString();
  const spam = { from: 'ben@sandbox.test', subject: 'Spam', folder: 'junkemail', receivedAt };
  const { id } = await (await deliver(scene, spam)).json();
  await deliver(scene, { from: 'ben@sandbox.test', subject: 'Newest' });
  const told = () => scene.events({ upstreamId: id });
  expect(await scene.until(told, ({ length }) => length > 0)).toMatchObject([{ outcome: 'skipped' }]);
  await scene.eventsUntil(1, { outcome: 'fired' });
  const made = await fetch(`${scene.bench.mail.url}/v1.0/me/mailFolders`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${scene.bench.mail.tokenFor('ada@sandbox.test')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ displayName: 'Rescued' }),
  });
  await move(scene, id, ((await made.json()) as { id: string }).id);
  expect(await scene.until(told, ([event]) => event.outcome === 'fired')).toMatchObject([{ outcome: 'fired' }]);
});

test('mail that is taken out of the junk folder and does not fit is listed with what it does not fit', async () => {
  await using scene = await eventScene({ mail: true, intervals: { lookMs: 1_000 } });
  const agent = await scene.reader(await scene.connectBoard());
  const account = await scene.bench.connectMail();
  await scene.newTrigger(agent, 'mail.new_email', account, { searchFilter: 'subject:invoice' });
  const { id } = await (
    await deliver(scene, { from: 'ben@sandbox.test', subject: 'Spam', folder: 'junkemail' })
  ).json();
  await scene.eventsUntil(1);
  expect(await scene.events()).toMatchObject([{ outcome: 'skipped', reason: 'It is in the junk folder.' }]);
  await move(scene, id, 'inbox');

  const [event] = await scene.eventsUntil(1, { outcome: 'filtered' });
  expect(event).toMatchObject({ upstreamId: id, clause: 'subject:invoice' });
  expect(event).not.toHaveProperty('reason');
  expect(await scene.events()).toHaveLength(1);
});

test('mail that was replayed in vain while it was junk starts the agent all the same when it is taken out, once', async () => {
  await using scene = await eventScene({ mail: true, intervals: { lookMs: 1_000 } });
  const { agent, id, junk } = await metAsJunk(scene);
  const inVain = await scene.made('POST', `/v1/events/${junk.id}/replay`);
  expect(inVain).toMatchObject({ outcome: 'skipped', reason: 'It is in the junk folder.' });
  await move(scene, id, 'inbox');
  expect(await scene.eventsUntil(1, { outcome: 'fired' })).toMatchObject([{ id: junk.id }]);

  await move(scene, id, 'archive');
  await deliver(scene, { from: 'ben@sandbox.test', subject: 'Next' });
  await scene.eventsUntil(2, { outcome: 'fired' });
  // Whoever means it once more replays what has started the agent.
  const again = await scene.bench.owned('POST', `/v1/events/${inVain.id}/replay`);
  expect([again.status, again.body.error?.message]).toEqual([409, expect.stringContaining(junk.id)]);
  await scene.made('POST', `/v1/events/${junk.id}/replay`);
  expect((await scene.made('GET', `/v1/runs?agentId=${agent}`)).items).toHaveLength(3);
});

test('a stored filter that is not understood any more starts nothing, and the others go on', async () => {
  await using scene = await eventScene({ mail: true });
  const agent = await scene.reader(await scene.connectBoard());
  const account = await scene.bench.connectMail();
  const [broken, sound] = [
    await scene.newTrigger(agent, 'mail.new_email', account, { searchFilter: 'subject:invoice' }),
    await scene.newTrigger(agent, 'mail.new_email', account, { searchFilter: 'subject:lunch' }),
  ];
  // As a version that understood more has left it.
  await runStatement(
    scene.bench.connectionString,
    `set app.workspace = '*'; update watches set roster = roster + 1;
    update triggers set config = (config::jsonb || '{"searchFilter": "mood:merry"}')::json where id = '${broken.id}'`,
  );

  await fetch(`${scene.bench.mail.url}/_control/deliver`, {
    method: 'POST',
    body: JSON.stringify({ to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject: 'Lunch', body: 'Hello' }),
    headers: { 'content-type': 'application/json' },
  });

  const fired = async () => (await scene.events({ outcome: 'fired' })).map(({ triggerId }) => triggerId);
  expect(await scene.until(fired, ({ length }) => length > 0)).toEqual([sound.id]);
});

test('whoever joins conditions in small letters is told how they are understood', async () => {
  await using scene = await eventScene({ mail: true });
  const accountId = await scene.bench.connectMail();
  const preview = (searchFilter: string, limit: number) =>
    scene.made('POST', '/v1/triggers/preview', { type: 'mail.new_email', accountId, config: { searchFilter }, limit });
  const hints = ['"or" is looked for as a word. To join conditions write OR.'];
  expect(await preview('subject:a or subject:b', 0)).toEqual({ items: [], others: 0, hints });
  expect(await preview('subject:a or subject:b', 5)).toMatchObject({ items: [{}, {}, {}, {}, {}], hints });
  expect(await preview('subject:a OR subject:b', 0)).toEqual({ items: [], others: 0 });
});

test('a trigger for a folder that is not there, or whose mail never counts, is refused', async () => {
  await using scene = await eventScene({ mail: true });
  const agentId = await scene.reader(await scene.connectBoard());
  const accountId = await scene.bench.connectMail();
  const config = { folders: ['deleted items', 'Invoces'] };
  const body = { agentId, type: 'mail.new_email', accountId, config };
  const { status, body: told } = await scene.bench.owned('POST', '/v1/triggers', body);
  expect([status, told.error.details.fields[0].field]).toEqual([400, 'config.folders[1]']);
  expect(told.error.details.candidates).toContainEqual({ id: expect.any(String), path: 'Inbox' });
  const trigger = await scene.newTrigger(agentId, 'mail.new_email', accountId, { folders: ['/Inbox/'] });
  const changed = await scene.bench.owned('PATCH', `/v1/triggers/${trigger.id}`, { config });
  expect(changed.status).toBe(400);

  const drafts = scene.bench.mail.world.mailboxOf('ada@sandbox.test')?.wellKnown.get('drafts');
  for (const silent of ['Junk Email', 'sentitems', drafts]) {
    const folders = { config: { folders: ['Inbox', silent] } };
    const { body: refused } = await scene.bench.owned('PATCH', `/v1/triggers/${trigger.id}`, folders);
    expect(refused.error.details.fields[0].field).toBe('config.folders[1]');
    expect(refused.error.message).toContain('starts nothing');
  }
});

test('a folder that is renamed stays the folder of a trigger, and another one by its name is none', async () => {
  await using scene = await eventScene({ mail: true });
  const agentId = await scene.reader(await scene.connectBoard());
  const accountId = await scene.bench.connectMail();
  const authorization = `Bearer ${scene.bench.mail.tokenFor('ada@sandbox.test')}`;
  const ask = async (method: string, path: string, body: object) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const url = `${scene.bench.mail.url}/v1.0/me/mailFolders${path}`;
    return (await fetch(url, { method, headers, body: JSON.stringify(body) })).json() as Promise<{ id: string }>;
  };
  const { id } = await ask('POST', '', { displayName: 'Orders' });
  const config = { folders: ['orders', 'Archive'] };
  const trigger = await scene.newTrigger(agentId, 'mail.new_email', accountId, config);
  expect(trigger.config.folders).toEqual([id, 'Archive']);
  await scene.settled(trigger);
  await ask('PATCH', `/${id}`, { displayName: 'Sales' });
  const other = await ask('POST', '', { displayName: 'Orders' });
  await deliver(scene, { from: 'ben@sandbox.test', subject: 'Renamed', folder: id });
  await deliver(scene, { from: 'ben@sandbox.test', subject: 'Elsewhere', folder: other.id });
  const outcomes = (await scene.eventsUntil(2)).map(({ summary, outcome, clause }) => [summary, outcome, clause]);
  expect(outcomes.toSorted()).toEqual([
    ['Elsewhere, from ben@sandbox.test', 'filtered', 'folders'],
    ['Renamed, from ben@sandbox.test', 'fired', undefined],
  ]);
});

test('a trigger whose account may read nothing is broken, although it cannot be registered either, and goes on once it is connected again', async () => {
  await using scene = await eventScene({ mail: true });
  const agent = await scene.reader(await scene.connectBoard());
  const account = await scene.bench.connectMail();
  const { faults } = scene.bench.mail.control;
  faults.add({ match: { path: '/v1.0/' }, kind: 'status', status: 403 });
  const trigger = await scene.newTrigger(agent, 'mail.new_email', account, {});
  expect(trigger.state).toBe('broken');
  faults.clear();

  expect(await scene.bench.connectMail()).toBe(account);

  const now = () => scene.made('GET', `/v1/triggers/${trigger.id}`);
  expect(await scene.until(now, ({ state }) => state === 'enabled')).toMatchObject({ watches: [{ reason: null }] });
});

test('a process that only serves the API judges a mail it is told of at once, and another carries out the run', async () => {
  // Nobody looks for what is due here: what is not dealt with where it arrives stays where it is.
  await using scene = await eventScene({ mail: true, intervals: { tickMs: 3_600_000 } });
  const agent = await scene.reader(await scene.connectBoard());
  const accountId = await scene.bench.connectMail();
  const { origin } = await scene.bench.startProcess('api', await reachableAddress());
  const body = { agentId: agent, type: 'mail.new_email', accountId, config: {} };
  const trigger = await callerFor(origin)('POST', '/v1/triggers', { key: bootstrapKey, body });
  expect(trigger.body.watches).toMatchObject([{ state: 'healthy', way: 'push' }]);

  await fetch(`${scene.bench.mail.url}/_control/deliver`, {
    method: 'POST',
    body: JSON.stringify({ to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject: 'Lunch', body: 'Hello' }),
    headers: { 'content-type': 'application/json' },
  });

  const [event] = await scene.eventsUntil(1);
  expect(event).toMatchObject({ outcome: 'fired' });
  const run = await scene.until(
    () => scene.run(event?.runId),
    ({ finishedAt }) => finishedAt !== null,
  );
  expect(run.status).toBe('succeeded');
});
