import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { silentLog } from '#log';
import { openStore } from '#store';
import { bootstrapKey } from '#test';
import { eventScene } from '../../test/event-scene.ts';

test('a trigger that was stored is not made once more where storage is lost before that is told', async () => {
  await using scene = await eventScene();
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  // What follows once it is stored finds no room.
  await sql`create function no_room() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(store.system);
  await sql`create trigger no_room before update of names on triggers execute function no_room()`.execute(store.system);
  const ask = () =>
    scene.bench.call('POST', '/v1/triggers', {
      key: bootstrapKey,
      body: { agentId, type: 'board.new_card', accountId, config: { boards: [scene.board.launch().id] } },
      headers: { 'idempotency-key': 'once' },
    });

  const cut = await ask();
  await sql`drop trigger no_room on triggers`.execute(store.system);
  const again = await ask();
  await store.close();

  expect(cut).toMatchObject({ status: 503, body: { error: { details: { inDoubt: true } } } });
  expect(again.status).toBe(409);
  expect((await scene.bench.owned('GET', '/v1/triggers')).body.items).toHaveLength(1);
});
