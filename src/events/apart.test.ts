import pg from 'pg';
import { expect, test } from 'vitest';
import { eventScene } from '../../test/event-scene.ts';

const control = (base: string, path: string, body: object) =>
  fetch(`${base}/_control/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const connected = async (connectionString: string) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("select set_config('app.workspace', '*', false)");
  return { query: (text: string) => client.query(text), [Symbol.asyncDispose]: () => client.end() };
};

/** What arrived of it is as if so many processes had ended while they judged it; and how often anything arrived. */
const poison = `create sequence arrived;
  create function has_lapsed() returns trigger language plpgsql security definer as $$ begin
    perform nextval('arrived');
    if new.occurrence::text like '%Poison%' then new.lapses := 24; end if;
    return new;
  end $$;
  create trigger has_lapsed before insert on arrivals for each row execute function has_lapsed()`;

test('where looks took one process after the other with them, each thing is judged by itself: only the poisonous one is given up, and no second time', async () => {
  await using scene = await eventScene({ intervals: { tickMs: 20, lookMs: 240_000 } });
  const accountId = await scene.connectBoard();
  const boards = [scene.board.launch().id];
  const trigger = await scene.newTrigger(await scene.reader(accountId), 'board.new_card', accountId, { boards });
  await scene.settled(trigger);
  await using database = await connected(scene.bench.connectionString);
  await database.query(poison);
  const arrived = async () => Number((await database.query('select last_value from arrived')).rows[0].last_value);
  const dies = (lapses: number) =>
    database.query(`update watches set lapses = ${lapses}, lease_owner = 'dead', next_look_at = clock_timestamp(),
      lease_until = clock_timestamp() - interval '1 s'`);
  const looked = async () =>
    (await database.query('select lapses, lease_owner, next_look_at > now() as over from watches')).rows[0];
  const outcomes = async () => {
    const found = await scene.events();
    return found.map(({ outcome, summary, reason }) => [outcome, outcome === 'fired' ? summary : reason]).toSorted();
  };
  const given = [
    ['failed', expect.stringMatching(/^Each process .+ ended/)],
    ['fired', expect.stringContaining('Bread')],
    ['fired', expect.stringContaining('Milk')],
  ];

  // A look meets what no notification told.
  await control(scene.board.url, 'notifications', { drop: 1 });
  for (const name of ['Bread', 'Poison', 'Milk']) scene.board.newCard({ name, as: 'ben' });
  await dies(2);
  await expect.poll(outcomes).toEqual(given);
  await expect.poll(looked).toEqual({ lapses: 0, lease_owner: null, over: true });
  expect(await scene.events({ retry: 'dead' })).toHaveLength(1);
  expect(await arrived()).toBe(3);

  // It is met once more, as after a trigger was changed, and told once more by a notification.
  await database.query('update watches set cursor = null');
  await dies(0);
  await expect.poll(looked).toEqual({ lapses: 0, lease_owner: null, over: true });
  await expect.poll(arrived).toBe(5);
  await control(scene.board.url, 'notifications', { drop: 0, duplicate: 1 });
  scene.board.newCard({ name: 'Poison', as: 'ben' });
  await expect.poll(outcomes).toEqual([given[0], ...given]);
  expect((await scene.made('GET', '/v1/runs?limit=50')).items).toHaveLength(2);

  // Looking itself ends processes, however little is done: that is said, and it is tried seldom.
  await database.query("update watches set next_check_at = now() + interval '1 hour'");
  await dies(23);
  await expect.poll(looked).toEqual({ lapses: 0, lease_owner: null, over: true });
  const { cause } = await scene.made('GET', `/v1/triggers/${trigger.id}/diagnosis`);
  expect(cause).toMatchObject({
    check: 'watch',
    message: expect.stringMatching(/is degraded: Each process that looked/),
  });
});
