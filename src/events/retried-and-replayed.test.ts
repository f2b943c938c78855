import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { silentLog } from '#log';
import { openStore } from '#store';
import { eventScene } from '../../test/event-scene.ts';

/** An event whose run failed; whatever tries it again waits for the board service. */
const failedRun = async () => {
  const scene = await eventScene();
  const accountId = await scene.connectBoard();
  const boards = [scene.board.launch().id];
  await scene.newTrigger(await scene.commenter(accountId), 'board.new_card', accountId, { boards });
  const { faults } = scene.board.control;
  const write = { match: { method: 'POST', path: '/1/cards' } };
  faults.add({ ...write, kind: 'status', status: 400, times: 1 });
  scene.board.newCard({ as: 'ben' });
  const [event] = await scene.eventsUntil(1);
  await expect.poll(async () => (await scene.run(event.runId)).status).toBe('failed');
  faults.add({ ...write, kind: 'status', status: 429, retryAfter: 60 });
  const cancel = async (id: string) => {
    await scene.made('POST', `/v1/runs/${id}/cancel`);
    await expect.poll(async () => (await scene.run(id)).status).toBe('cancelled');
  };
  const retry = (id: string) => scene.bench.owned('POST', `/v1/runs/${id}/retry`, {});
  const replay = () => scene.bench.owned('POST', `/v1/events/${event.id}/replay`);
  return { scene, event, cancel, retry, replay, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
};

const refusal = (runId: string) => ({
  status: 409,
  body: { error: { message: expect.stringMatching(/tried again (already|meanwhile)/), details: { runId } } },
});

test('an event is not replayed while its run is tried again, and is once that has ended', async () => {
  await using held = await failedRun();
  const { runId } = (await held.retry(held.event.runId)).body;

  expect(await held.replay()).toMatchObject(refusal(runId));

  await held.cancel(runId);
  expect(await held.replay()).toMatchObject({ status: 200, body: { delivery: 'replay' } });
});

test('the run of a replay is not tried again while that of the event is', async () => {
  await using held = await failedRun();
  const replayed = (await held.replay()).body.runId;
  await held.cancel(replayed);
  const { runId } = (await held.retry(held.event.runId)).body;

  expect(await held.retry(replayed)).toMatchObject(refusal(runId));
});

test('a run that is tried again and whose event is replayed at the same moment starts the agent once', async () => {
  await using held = await failedRun();
  const store = openStore({ connectionString: held.scene.bench.connectionString, max: 1, log: silentLog });
  const asked = await store.system.transaction().execute(async (tx) => {
    // Both have read what there is, and wait to store what they start.
    await sql`lock table runs in share mode`.execute(tx);
    const answers = [held.retry(held.event.runId), held.replay()];
    await new Promise((resolve) => setTimeout(resolve, 500));
    return answers;
  });
  await store.close();

  const answers = await Promise.all(asked);

  expect(answers.filter(({ status }) => status === 409)).toHaveLength(1);
  expect((await held.scene.made('GET', '/v1/runs')).items).toHaveLength(2);
});

test('a run that was tried again, and has ended, by the time its event is replayed starts the agent once', async () => {
  await using held = await failedRun();
  const { runId } = held.event;
  const store = openStore({ connectionString: held.scene.bench.connectionString, max: 1, log: silentLog });
  const [answer] = await store.system.transaction().execute(async (tx) => {
    await sql`select from runs where id = ${runId} for update`.execute(tx);
    const replaying = held.replay();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await sql`insert into runs select (json_populate_record(r, json_build_object(
      'id', 'run_again', 'retry_of', r.id, 'status', 'succeeded'))).* from runs r where id = ${runId}`.execute(tx);
    return [replaying];
  });
  await store.close();

  expect(await answer).toMatchObject(refusal('run_again'));
});
