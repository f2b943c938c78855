import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { eventScene, type Scene } from '../../test/event-scene.ts';
import { asOfItsEnd } from './arrivals.ts';
import { maxAttempts } from './settle.ts';
import type { SeenWatch } from './watch-reader.ts';

/** Storage that takes everything but the count of calls, so that nothing can be read; and a count of the tries. */
const outage = `
  create sequence tries;
  create function count_try() returns trigger language plpgsql security definer as
    $$ begin perform nextval('tries'); return null; end $$;
  create trigger count_try after update on arrivals for each row
    when (new.attempts > old.attempts) execute function count_try();
  create function refuse() returns trigger language plpgsql as
    $$ begin raise 'no space left on device' using errcode = 'disk_full'; end $$;
  create trigger refuse before insert or update on paces for each row execute function refuse()`;

const deliverTo = (scene: Scene, subject: string) =>
  fetch(`${scene.bench.mail.url}/_control/deliver`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject, body: 'Hello' }),
  });

/** Somebody else is done with an occurrence at the moment in which it is said that it could not be read. */
const overtaken = `
  create sequence told start 1;
  create function overtake() returns trigger language plpgsql security definer as
    $$ begin perform nextval('told'), nextval('told'); delete from arrivals; return null; end $$;
  create trigger overtake after insert on events for each row when (new.key like 'hint %') execute function overtake()`;

const connected = async (connectionString: string) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("select set_config('app.workspace', '*', false)");
  return { query: (text: string) => client.query(text), [Symbol.asyncDispose]: () => client.end() };
};

test('an outage of our own storage uses up no try: however long it lasts, the agent starts, and once; nor does the pause of an account, after which what came in it is skipped', async () => {
  // No look finds what the notification told of before it is read.
  await using scene = await eventScene({ mail: true, intervals: { retryMs: 20, lookMs: 3_600_000 } });
  const accountId = await scene.bench.connectMail();
  const agentId = await scene.reader(await scene.connectBoard());
  await scene.settled(await scene.newTrigger(agentId, 'mail.new_email', accountId));
  await using database = await connected(scene.bench.connectionString);
  const first = async (text: string) => (await database.query(text)).rows[0];
  await database.query(outage);

  const control = (what: string, body: object) =>
    fetch(`${scene.bench.mail.url}/_control/${what}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const deliver = (subject: string) =>
    control('deliver', { to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject, body: 'Hello' });
  await deliver('Late');

  const tries = async () => Number((await first('select last_value from tries')).last_value);
  await expect.poll(tries).toBeGreaterThan(maxAttempts);
  expect(await first('select count(*)::int as waiting, max(attempts)::int <= 1 as untried from arrivals')).toEqual({
    waiting: 1,
    untried: true,
  });
  expect(await scene.events()).toEqual([]);

  await database.query('drop trigger refuse on paces');
  await scene.eventsUntil(1);
  await expect.poll(() => first('select count(*)::int as waiting from arrivals')).toEqual({ waiting: 0 });
  expect(await scene.events()).toMatchObject([{ outcome: 'fired', delivery: 'live' }]);
  expect((await scene.made('GET', `/v1/runs?agentId=${agentId}`)).items).toHaveLength(1);

  // Nor does the pause of an account: what must be read is read when it is over.
  const before = await tries();
  await scene.made('PATCH', `/v1/accounts/${accountId}`, { paused: true });
  await sleep(1_100);
  await deliver('In a pause');
  await expect.poll(tries).toBeGreaterThan(before);
  await expect.poll(() => first('select attempts from arrivals')).toEqual({ attempts: 0 });
  await sleep(2_500);
  await scene.made('PATCH', `/v1/accounts/${accountId}`, { paused: false });
  await scene.eventsUntil(2);
  expect((await scene.events()).map(({ outcome }) => outcome)).toEqual(['skipped', 'fired']);
  await expect.poll(() => first('select count(*)::int as waiting from arrivals')).toEqual({ waiting: 0 });

  // Whoever slept while others were done with what it had taken leaves no failure behind that nobody would try again.
  await database.query(overtaken);
  await control('faults', { match: { method: 'GET', path: '/v1.0/me/messages/' }, kind: 'status', status: 503 });
  await deliver('Overtaken');
  const told = async () => Number((await first('select last_value from told')).last_value);
  await expect.poll(told).toBeGreaterThan(1);
  await expect
    .poll(() => first("select count(*)::int as left from events where outcome = 'failed'"))
    .toEqual({ left: 0 });
}, 120_000);

test('calls that our own limits hold back use up no try: the mail is read when the service may be asked again', async () => {
  await using scene = await eventScene({ mail: true, intervals: { retryMs: 20, lookMs: 3_600_000 } });
  const accountId = await scene.bench.connectMail();
  const agentId = await scene.reader(await scene.connectBoard());
  const trigger = await scene.newTrigger(agentId, 'mail.new_email', accountId);
  await scene.settled(trigger);
  await using database = await connected(scene.bench.connectionString);
  const { control } = scene.bench.mail;
  control.faults.add({ match: { method: 'GET', path: '/v1.0/me' }, kind: 'status', status: 429, retryAfter: 300 });
  await scene.bench.owned('POST', `/v1/accounts/${accountId}/test`);
  control.faults.clear();

  await deliverTo(scene, 'Held back');
  const waiting = async () =>
    (await database.query("select attempts, next_try_at > now() + interval '1 min' as later from arrivals")).rows;
  await expect.poll(waiting).toEqual([{ attempts: 0, later: true }]);
  expect(await scene.events()).toEqual([]);
  await database.query("update arrivals set received_at = received_at - interval '40 s'");
  const { cause } = await scene.made('GET', `/v1/triggers/${trigger.id}/diagnosis`);
  expect(cause).toMatchObject({
    check: 'unread',
    ok: false,
    message: expect.stringMatching(/^One thing that happened waits to be read, the oldest for 4\d s\./),
  });

  await database.query('update paces set blocked_until = null');
  await database.query('update arrivals set next_try_at = now()');
  expect(await scene.eventsUntil(1)).toMatchObject([{ outcome: 'fired' }]);
});

test('a read that ends because storage hangs uses up no try', async () => {
  await using scene = await eventScene({
    mail: true,
    intervals: { retryMs: 1_000, lookMs: 3_600_000, leaseMs: 2_000, leaseRenewMs: 500 },
  });
  const accountId = await scene.bench.connectMail();
  const agentId = await scene.reader(await scene.connectBoard());
  await scene.settled(await scene.newTrigger(agentId, 'mail.new_email', accountId));
  await using database = await connected(scene.bench.connectionString);
  const { control } = scene.bench.mail;
  const reads = { method: 'GET', path: '/v1.0/me/messages/' };
  control.faults.add({ match: reads, kind: 'latency', ms: 20_000 });
  await deliverTo(scene, 'Slow');
  const attempts = async () => (await database.query('select attempts from arrivals')).rows;
  await expect.poll(attempts).toEqual([{ attempts: 1 }]);

  // Nobody can see now whether the account is still connected, so its call is ended.
  await database.query('begin');
  await database.query('lock table accounts in access exclusive mode');
  await expect.poll(attempts).toEqual([{ attempts: 0 }]);
  control.faults.clear();
  await database.query('commit');

  expect(await scene.eventsUntil(1)).toMatchObject([{ outcome: 'fired' }]);
});

test('of triggers for which more must be read, those are held back that our own limits hold back, and use up no try', async () => {
  await using scene = await eventScene({ intervals: { lookMs: 3_600_000 } });
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const boards = [scene.board.launch().id];
  const plain = await scene.newTrigger(agentId, 'board.new_card', accountId, { boards });
  const reads = await scene.newTrigger(agentId, 'board.new_card', accountId, { boards, includeCard: true });
  const neighbour = await scene.newTrigger(agentId, 'board.card_archived', accountId, { boards });
  for (const trigger of [plain, reads, neighbour]) await scene.settled(trigger);
  await using database = await connected(scene.bench.connectionString);
  const { control } = scene.board;
  const holdBack = async () => {
    control.faults.add({ match: { path: '/1/members/me' }, kind: 'status', status: 429, retryAfter: 300 });
    await scene.bench.owned('POST', `/v1/accounts/${accountId}/test`);
    control.faults.clear();
  };
  const goOn = () => database.query('update paces set blocked_until = null');

  await holdBack();
  scene.board.newCard({ as: 'ben' });
  expect(await scene.eventsUntil(1)).toMatchObject([{ outcome: 'fired', triggerId: plain.id }]);
  const waiting = async () =>
    (await database.query("select attempts, next_try_at > now() + interval '1 min' as later from arrivals")).rows;
  await expect.poll(waiting).toEqual([{ attempts: 0, later: true }]);
  await database.query("update arrivals set received_at = received_at - interval '40 s'");
  const causeOf = async ({ id }: { id: string }) =>
    (await scene.made('GET', `/v1/triggers/${id}/diagnosis`)).cause?.check;
  expect([await causeOf(plain), await causeOf(reads), await causeOf(neighbour)]).toEqual([
    undefined,
    'unread',
    'event_type',
  ]);
  await goOn();
  await database.query('update arrivals set next_try_at = now()');
  expect((await scene.eventsUntil(2)).map(({ outcome }) => outcome)).toEqual(['fired', 'fired']);

  // What has failed and is tried again is no different.
  control.faults.add({ match: { path: '/1/cards/' }, kind: 'status', status: 500 });
  scene.board.newCard({ as: 'ben' });
  const failed = async () => (await database.query("select attempts from events where outcome = 'failed'")).rows;
  await expect.poll(failed).toHaveLength(1);
  await holdBack();
  const later = async () =>
    (await database.query("select from events where retry = 'retrying' and next_try_at > now() + interval '1 min'"))
      .rowCount;
  await expect.poll(later).toBe(1);
  await goOn();
  await database.query("update events set next_try_at = now() where retry = 'retrying'");
  expect((await scene.eventsUntil(4, { outcome: 'fired' })).map(({ outcome }) => outcome)).toHaveLength(4);
});

test('a mail that cannot be read is given up after eight tries, and the next look finds it when it can be', async () => {
  await using scene = await eventScene({ mail: true, intervals: { retryMs: 20, lookMs: 3_600_000 } });
  const accountId = await scene.bench.connectMail();
  const agentId = await scene.reader(await scene.connectBoard());
  await scene.settled(await scene.newTrigger(agentId, 'mail.new_email', accountId));
  await using database = await connected(scene.bench.connectionString);
  const { control } = scene.bench.mail;
  control.faults.add({ match: { method: 'GET', path: '/v1.0/me/messages/' }, kind: 'status', status: 400 });
  await deliverTo(scene, 'Odd');
  const stored = async () => (await database.query('select outcome, attempts, retry from events')).rows;
  await expect.poll(stored).toEqual([{ outcome: 'failed', attempts: maxAttempts, retry: 'dead' }]);
  await expect.poll(async () => (await database.query('select from arrivals')).rowCount).toBe(0);

  control.faults.clear();
  await database.query('update watches set next_look_at = now()');

  await scene.until(
    () => scene.events(),
    ([event]) => event?.outcome === 'fired',
  );
  expect(await scene.events()).toMatchObject([{ outcome: 'fired', delivery: 'catchup' }]);
});

test('a mail that a look finds and nobody can read rests among the dead with its reason, and a replay reads it', async () => {
  await using scene = await eventScene({ mail: true, intervals: { retryMs: 20, lookMs: 3_600_000 } });
  const accountId = await scene.bench.connectMail();
  const agentId = await scene.reader(await scene.connectBoard());
  await scene.settled(await scene.newTrigger(agentId, 'mail.new_email', accountId));
  await using database = await connected(scene.bench.connectionString);
  const { control } = scene.bench.mail;
  control.faults.add({ match: { method: 'GET', path: '/v1.0/me/messages/' }, kind: 'status', status: 400 });
  await fetch(`${scene.bench.mail.url}/_control/notifications`, { method: 'POST', body: JSON.stringify({ drop: 1 }) });
  await deliverTo(scene, 'Odd');
  await database.query('update watches set next_look_at = now()');
  const [dead] = await scene.until(
    () => scene.events({ retry: 'dead' }),
    ({ length }) => length > 0,
  );
  expect(dead).toMatchObject({
    outcome: 'failed',
    delivery: 'catchup',
    reason: expect.stringContaining('mail service'),
    retry: { state: 'dead', attempts: maxAttempts },
  });

  control.faults.clear();
  expect(await scene.made('POST', `/v1/events/${dead.id}/replay`)).toMatchObject({ outcome: 'fired' });
  expect((await scene.events()).map(({ outcome }) => outcome)).toEqual(['fired', 'failed']);
});

test('a mail that could not be read and is tried by nobody any more rests among the dead', async () => {
  await using scene = await eventScene({
    mail: true,
    intervals: { retryMs: 20, lookMs: 3_600_000, sweepMs: 50 },
  });
  const accountId = await scene.bench.connectMail();
  const agentId = await scene.reader(await scene.connectBoard());
  await scene.settled(await scene.newTrigger(agentId, 'mail.new_email', accountId));
  await using database = await connected(scene.bench.connectionString);
  // Of each arrival one try more is counted than is told, as where a process dies while it tries.
  await database.query(`create function count_more() returns trigger language plpgsql as
      $$ begin new.attempts := new.attempts + 2; return new; end $$;
    create trigger count_more before insert on arrivals for each row execute function count_more()`);
  const { control } = scene.bench.mail;
  control.faults.add({ match: { method: 'GET', path: '/v1.0/me/messages/' }, kind: 'status', status: 400 });
  await deliverTo(scene, 'Odd');
  const stored = async () => (await database.query('select attempts, retry from events')).rows;
  await expect.poll(stored).toEqual([{ attempts: maxAttempts - 2, retry: 'dead' }]);
});

/** A trigger on mail, of which each is as if so many processes had ended while they dealt with it. */
const lapsedScene = async (lapses: number) => {
  const scene = await eventScene({ mail: true, intervals: { retryMs: 20, lookMs: 3_600_000 } });
  const accountId = await scene.bench.connectMail();
  const agentId = await scene.reader(await scene.connectBoard());
  await scene.settled(await scene.newTrigger(agentId, 'mail.new_email', accountId));
  const database = await connected(scene.bench.connectionString);
  await database.query(`create function has_lapsed() returns trigger language plpgsql as
      $$ begin new.attempts := ${lapses}; new.lapses := ${lapses}; return new; end $$;
    create trigger has_lapsed before insert on arrivals for each row execute function has_lapsed()`);
  return {
    scene,
    database,
    waiting: async () => (await database.query('select from arrivals')).rowCount,
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
};

test('a process that is killed uses up no try: what fails after that has all of them left', async () => {
  await using lapsed = await lapsedScene(maxAttempts + 1);
  const { scene, database, waiting } = lapsed;
  const { faults } = scene.bench.mail.control;
  faults.add({ match: { method: 'GET', path: '/v1.0/me/messages/' }, kind: 'status', status: 400, times: 3 });
  await deliverTo(scene, 'After many deployments');

  expect(
    await scene.until(
      () => scene.events(),
      ([event]) => event?.outcome === 'fired',
    ),
  ).toMatchObject([{ outcome: 'fired', delivery: 'live' }]);
  await expect.poll(waiting).toBe(0);
  expect((await database.query('select from events')).rowCount).toBe(1);
});

test('what took one process after the other with it is tried no more, and rests among the dead with that reason', async () => {
  await using lapsed = await lapsedScene(3 * maxAttempts);
  const { scene, waiting } = lapsed;
  await deliverTo(scene, 'Poison');

  await expect.poll(waiting).toBe(0);
  expect(await scene.eventsUntil(1)).toMatchObject([
    { outcome: 'failed', reason: expect.stringMatching(/^Each process .+ ended/), retry: { state: 'dead' } },
  ]);
});

test('a mail that could not be read and is replayed starts its agent once, whoever reads it after that', async () => {
  await using scene = await eventScene({ mail: true, intervals: { retryMs: 60_000, lookMs: 3_600_000 } });
  const accountId = await scene.bench.connectMail();
  const agentId = await scene.reader(await scene.connectBoard());
  await scene.settled(await scene.newTrigger(agentId, 'mail.new_email', accountId));
  await using database = await connected(scene.bench.connectionString);
  const { control } = scene.bench.mail;
  control.faults.add({ match: { method: 'GET', path: '/v1.0/me/messages/' }, kind: 'status', status: 503 });
  await deliverTo(scene, 'Late');
  const [failed] = await scene.eventsUntil(1);
  expect(failed).toMatchObject({ outcome: 'failed', retry: { state: 'retrying' } });
  control.faults.clear();
  expect(await scene.made('POST', `/v1/events/${failed.id}/replay`)).toMatchObject({ outcome: 'fired' });

  await database.query('update arrivals set next_try_at = now()');
  await expect.poll(async () => (await database.query('select from arrivals')).rowCount).toBe(0);
  await database.query('update watches set next_look_at = now()');
  const looked = async () => (await database.query('select from watches where next_look_at > now()')).rowCount;
  await expect.poll(looked).toBeGreaterThan(0);
  expect((await scene.made('GET', `/v1/runs?agentId=${agentId}`)).items).toHaveLength(1);
  expect((await scene.events()).map(({ outcome }) => outcome).toSorted()).toEqual(['failed', 'fired']);
});

test('a trigger that is paused while a mail is read for it skips that mail', async () => {
  await using scene = await eventScene({ mail: true });
  const accountId = await scene.bench.connectMail();
  const agentId = await scene.reader(await scene.connectBoard());
  const trigger = await scene.newTrigger(agentId, 'mail.new_email', accountId);
  await scene.settled(trigger);
  const { control } = scene.bench.mail;
  control.faults.add({ match: { method: 'GET', path: '/v1.0/me/messages/' }, kind: 'latency', ms: 3_000 });
  await deliverTo(scene, 'Slow');
  await using database = await connected(scene.bench.connectionString);
  const taken = async () => (await database.query('select attempts from arrivals')).rows;
  await expect.poll(taken).toEqual([{ attempts: 1 }]);

  await scene.made('PATCH', `/v1/triggers/${trigger.id}`, { state: 'paused' });

  expect(await scene.eventsUntil(1)).toMatchObject([{ outcome: 'skipped', reason: expect.stringContaining('paused') }]);
});

test('where the triggers of a watch change all the time, an occurrence is judged three times and no more', async () => {
  let roster = 1;
  const watch = { id: 'wch_1', roster } as SeenWatch;
  const judged: number[] = [];
  await asOfItsEnd(
    { watch, receivedAt: new Date(), delivery: 'live' },
    { byId: async () => ({ ...watch, roster: ++roster }) },
    async ({ watch: seen }) => {
      judged.push(seen.roster);
      if (judged.length > 5) throw new Error('for ever');
      return [];
    },
  );
  expect(judged).toEqual([1, 2, 3]);
});

test('of many who wait for a mail, those whose filter it fits are started first, and all the others say why they were not', async () => {
  await using scene = await eventScene({ mail: true, intervals: { lookMs: 3_600_000 } });
  const accountId = await scene.bench.connectMail();
  const agentId = await scene.reader(await scene.connectBoard());
  const fits = await scene.newTrigger(agentId, 'mail.new_email', accountId, { searchFilter: 'subject:invoice' });
  await scene.settled(fits);
  await using database = await connected(scene.bench.connectionString);
  const copied = (table: string, column: string, changes: string) =>
    database.query(`insert into ${table} select (json_populate_record(t, json_build_object(${changes}))).*
      from ${table} t, generate_series(1, 60) n where t.${column} = '${fits.id}'`);
  const id = `'trg_' || lpad(n::text, 26, '0')`;
  const config = `t.config::jsonb || jsonb_build_object('searchFilter', 'subject:word' || n)`;
  await copied('triggers', 'id', `'id', ${id}, 'config', ${config}`);
  await copied('trigger_watches', 'trigger_id', `'trigger_id', ${id}`);
  await database.query('update watches set roster = roster + 1');
  // What did not start anybody cannot be stored until it is let go.
  await database.query(`create function hold() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(7); return new; end $$;
    create trigger hold before insert on events for each row when (new.outcome = 'filtered') execute function hold();
    select pg_advisory_lock(7)`);
  await deliverTo(scene, 'Your invoice');

  expect(await scene.eventsUntil(1)).toMatchObject([{ triggerId: fits.id, outcome: 'fired' }]);

  await database.query('select pg_advisory_unlock(7)');
  const events = await scene.eventsUntil(61);
  const others = events.filter(({ triggerId }) => triggerId !== fits.id);
  expect(others.map(({ clause }) => clause).toSorted()).toEqual(
    Array.from({ length: 60 }, (_, n) => `subject:word${n + 1}`).toSorted(),
  );
  expect((await scene.made('GET', `/v1/runs?agentId=${agentId}`)).items).toHaveLength(1);
});
