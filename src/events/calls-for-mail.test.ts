import pg from 'pg';
import { expect, test } from 'vitest';
import { eventScene, type Scene } from '../../test/event-scene.ts';

/*
 * The mail service grants each mailbox a number of calls. What is told of more than once is read once, and what was missed
 * costs no look through all folders.
 */

const control = async (scene: Scene, what: string, body: object) => {
  const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  return (await fetch(`${scene.bench.mail.url}/_control/${what}`, init)).json();
};
const deliver = async (scene: Scene, subject: string, folder = 'inbox'): Promise<string> =>
  (await control(scene, 'deliver', { to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject, body: '', folder })).id;

/** A trigger on mail, with what the mailbox is asked from then on. */
const mailScene = async () => {
  const scene = await eventScene({ mail: true, intervals: { lookMs: 3_600_000, missedMs: 0 } });
  const agent = await scene.reader(await scene.connectBoard());
  const account = await scene.bench.connectMail();
  const triggers = [];
  for (let n = 0; n < 2; n += 1) triggers.push(await scene.newTrigger(agent, 'mail.new_email', account));
  await scene.settled(triggers[1]);
  const database = new pg.Client({ connectionString: scene.bench.connectionString });
  await database.connect();
  await database.query(`set app.workspace = '*'`);
  const asked = () =>
    scene.bench.mail.control.log.list().map(({ method, path }) => `${method} ${path.replace('/v1.0', '')}`);
  scene.bench.mail.control.log.clear();
  return {
    ...scene,
    asked,
    database,
    triggers,
    reads: () => asked().filter((each) => /^GET \/me\/messages\/[^/?]+\?/.test(each)).length,
    look: async () => {
      await database.query('update watches set next_look_at = clock_timestamp()');
      const isOver = async () => (await database.query('select from watches where next_look_at > now()')).rowCount;
      await expect.poll(isOver).toBe(1);
    },
    /** As the service does where it is not sure that we have heard it. */
    notifyOf: async (id: string) => {
      const secret = `sha256('ours'::bytea)`;
      const { rows } = await database.query(`update watches set secret_digests = array[${secret}] returning callback`);
      const body = JSON.stringify({
        value: [{ clientState: 'ours', changeType: 'created', resource: 'x', resourceData: { id } }],
      });
      expect((await fetch(rows[0].callback, { method: 'POST', body })).status).toBe(200);
      const waiting = async () => (await database.query('select from arrivals')).rowCount;
      await expect.poll(waiting).toBe(0);
    },
    [Symbol.asyncDispose]: async () => {
      await database.end();
      await scene[Symbol.asyncDispose]();
    },
  };
};

test('a mail is read once, however often the service notifies of it and whoever looks through the mailbox then', async () => {
  await using scene = await mailScene();
  const id = await deliver(scene, 'Told');
  await scene.eventsUntil(2, { outcome: 'fired' });
  await scene.notifyOf(id);
  await scene.look();
  await scene.look();
  await scene.notifyOf(id);
  expect(scene.reads()).toBe(1);
  expect(await scene.events()).toHaveLength(2);
});

test.each(['delete from events', `update events set outcome = 'failed', retry = 'dead'`])(
  'a mail is read once more where one of the triggers has not been told of it, or in vain (%s)',
  async (undoing) => {
    await using scene = await mailScene();
    const id = await deliver(scene, 'Told');
    await scene.eventsUntil(2, { outcome: 'fired' });
    const ofOne = { triggerId: scene.triggers[0].id };
    await scene.database.query(`${undoing} where trigger_id = $1`, [ofOne.triggerId]);
    await scene.look();
    expect(scene.reads()).toBe(2);
    expect(await scene.eventsUntil(1, { ...ofOne, outcome: 'fired' })).toMatchObject([{ upstreamId: id }]);
    expect(await scene.events()).toHaveLength(2);
  },
);

test('a mail that lies in Junk Email is read once while it does, and once more when it is taken out', async () => {
  await using scene = await mailScene();
  const id = await deliver(scene, 'Spam', 'junkemail');
  await scene.eventsUntil(2, { outcome: 'skipped' });
  await scene.look();
  await scene.look();
  expect(scene.reads()).toBe(1);
  const authorization = `Bearer ${scene.bench.mail.tokenFor('ada@sandbox.test')}`;
  const headers = { authorization, 'content-type': 'application/json', prefer: 'IdType="ImmutableId"' };
  const body = JSON.stringify({ destinationId: 'inbox' });
  await fetch(`${scene.bench.mail.url}/v1.0/me/messages/${id}/move`, { method: 'POST', headers, body });
  await scene.look();
  expect(await scene.eventsUntil(2, { outcome: 'fired' })).toMatchObject([{ upstreamId: id }, { upstreamId: id }]);
  await scene.notifyOf(id);
  expect(scene.reads()).toBe(2);
});

test('what the service could not tell of is found by two calls, and read no more by the look after that', async () => {
  await using scene = await mailScene();
  await control(scene, 'notifications', { drop: 1 });
  await deliver(scene, 'Left out', 'archive');
  await control(scene, 'notifications', { drop: 0 });
  await control(scene, 'lifecycle', { event: 'missed' });
  await scene.eventsUntil(2, { outcome: 'fired' });
  expect(scene.asked()).toEqual([
    expect.stringMatching(/^GET \/me\/messages\?/),
    expect.stringMatching(/^GET \/me\/messages\/[^?]+\?/),
  ]);
  await scene.look();
  expect(scene.reads()).toBe(1);
});
