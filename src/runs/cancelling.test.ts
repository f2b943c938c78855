import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Fault } from '#kit';
import { silentLog } from '#log';
import { newId, openStore, type Store } from '#store';
import { type Answer, bootstrapKey, callerFor, type Workbench, workbench } from '#test';
import { freshDatabase } from '../../test/database.ts';
import { done, holding, nameOf, runTrack } from './run-track.fixture.ts';

let bench: Workbench;
let mailAccount: string;
let boardAccount: string;
let store: Store;
let second: ReturnType<typeof callerFor>;

beforeAll(async () => {
  bench = await workbench({ mail: true, model: true });
  [mailAccount, boardAccount] = await Promise.all([bench.connectMail(), bench.connectBoard()]);
  second = callerFor((await bench.startProcess('api')).origin);
  store = openStore({ connectionString: bench.connectionString, max: 1, log: silentLog });
});
afterAll(async () => {
  await store.close();
  await bench[Symbol.asyncDispose]();
});

const read = async (runId: string) => (await bench.owned('GET', `/v1/runs/${runId}`)).body;
const ended = async (runId: string): Promise<Answer['body']> => {
  await expect.poll(async () => (await read(runId)).finishedAt, { interval: 20 }).not.toBeNull();
  return read(runId);
};
const cancel = (runId: string, call = bench.call) => call('POST', `/v1/runs/${runId}/cancel`, { key: bootstrapKey });
const retry = (runId: string, body: object = {}) => bench.owned('POST', `/v1/runs/${runId}/retry`, body);
const ask = async (subject: string) => {
  const input = { to: ['ben@sandbox.test'], subject, body: 'Hello' };
  const { body } = await bench.owned('POST', '/v1/steps/mail.send_email/run', { accountId: mailAccount, input });
  return body as { runId: string; approval: Answer['body'] };
};
const raw = (endpoint: string, query: object) =>
  bench.owned('POST', '/v1/steps/board.api_call/run', {
    accountId: boardAccount,
    input: { method: 'POST', endpoint, query },
  });
const writesOf = async (runId: string) =>
  (await store.system.selectFrom('effects').select('state').where('run_id', '=', runId).execute()).map(
    ({ state }) => state,
  );
const slowly = (ms: number) =>
  bench.board.control.faults.add({ match: { method: 'POST', path: '/1/cards' }, kind: 'latency', ms, times: 1 });
const commentOnNew = async () => {
  const step = (key: string, id: string, input: object) => ({ key, step: id, account: { id: boardAccount }, input });
  const { body } = await bench.owned('POST', '/v1/tools', {
    name: 'Card with comment',
    inputs: [{ name: 'listId', type: 'string', required: true }],
    steps: [
      step('card', 'board.create_card', { idList: '{{inputs.listId}}', name: 'Bread' }),
      step('comment', 'board.add_comment_to_card', { cardId: '{{steps.card.output.id}}', text: 'Fresh' }),
    ],
  });
  const toolId = body.id;
  const runner = { type: 'tool', toolId, input: { listId: bench.board.newList().id } };
  const agent = await bench.owned('POST', '/v1/agents', { name: 'Baker', tools: [{ toolId }], runner });
  return { agentId: agent.body.id, listId: runner.input.listId };
};

describe('cancelling', () => {
  test('a run that waits for a person ends at once, what it asked for is void, and nothing leaves', async () => {
    const { runId, approval } = await ask('Not wanted');
    const { status, body } = await cancel(runId);
    expect([status, body.status, body.error.message]).toEqual([
      200,
      'cancelled',
      'Cancelled by the API key “Bootstrap key”.',
    ]);
    expect(body.journal.at(-1)).toMatchObject({ kind: 'cancelled', data: { by: { kind: 'key' } } });
    const { body: asked } = await bench.owned('GET', `/v1/approvals/${approval.id}`);
    expect([asked.status, asked.reason]).toEqual(['void', 'The run was cancelled.']);
    const late = await bench.owned('POST', `/v1/approvals/${approval.id}/approve`, { digest: approval.digest });
    expect(late.status).toBe(409);
    expect((await cancel(runId)).body.status).toBe('cancelled');
    expect(bench.mail.world.outbox.filter(({ subject }) => subject === 'Not wanted')).toEqual([]);
    const { body: audit } = await bench.owned('GET', '/v1/audit?limit=5');
    const records = audit.items.filter(({ target }: { target: string }) => target === runId || target === approval.id);
    expect(records.map(({ action }: { action: string }) => action)).toEqual(['run.cancelled', 'approval.void']);
  });

  test('decided and cancelled at the same time, either one holds and never half of both', async () => {
    for (const n of [1, 2, 3, 4]) {
      const { runId, approval } = await ask(`Race ${n}`);
      const decision = bench.owned('POST', `/v1/approvals/${approval.id}/approve`, { digest: approval.digest });
      await Promise.all([decision, cancel(runId, second)]);
      const { status } = await ended(runId);
      const left = bench.mail.world.outbox.filter(({ subject }) => subject === `Race ${n}`).length;
      expect([status, left]).toEqual(status === 'succeeded' ? ['succeeded', 1] : ['cancelled', 0]);
    }
  });

  test('cancelled just when it was taken up, it was cancelled, and not refused', async () => {
    const { runId, approval } = await ask('Taken up');
    const asked = JSON.stringify({ kind: 'key', id: 'key_x', name: 'Somebody' });
    await sql
      .raw(
        `create function taken_up() returns trigger language plpgsql as $$ begin
          update approvals set status = 'void', reason = 'The run was cancelled.' where run_id = new.id;
          update runs set cancel_asked = '${asked}' where id = new.id;
          return null;
        end $$;
        create trigger taken_up after update on runs for each row
          when (new.id = '${runId}' and old.lease_owner is null and new.lease_owner is not null)
          execute function taken_up()`,
      )
      .execute(store.system);

    await bench.owned('POST', `/v1/approvals/${approval.id}/approve`, { digest: approval.digest });

    const { status, error } = await ended(runId);
    await sql`drop trigger taken_up on runs; drop function taken_up()`.execute(store.system);
    expect([status, error.message]).toEqual(['cancelled', 'Cancelled by the API key “Somebody”.']);
  });

  test('a run under way stops before its next write, also when another process was asked', async () => {
    const { agentId, listId } = await commentOnNew();
    slowly(600);
    const { body } = await bench.owned('POST', `/v1/agents/${agentId}/runs`, { input: {} });
    await expect.poll(() => writesOf(body.runId), { interval: 10 }).toEqual(['intended']);
    const { body: asked } = await cancel(body.runId, second);
    expect(asked).toMatchObject({ status: 'running', cancelling: true });
    const run = await ended(body.runId);
    expect([run.status, run.error.message, run.cancelling]).toEqual([
      'cancelled',
      'Cancelled by the API key “Bootstrap key”.',
      undefined,
    ]);
    const [card] = bench.board.cardsIn(listId);
    const { output } = (
      await bench.owned('POST', '/v1/steps/board.get_comments/run', {
        accountId: boardAccount,
        input: { cardId: card?.id },
      })
    ).body;
    expect(output.comments ?? output.items).toEqual([]);

    const refused = await retry(run.id);
    expect([refused.status, refused.body.error.details.done]).toEqual([
      409,
      [{ effect: 'write', method: 'POST', path: '/1/cards', state: 'sent' }],
    ]);
    const again = await retry(run.id, { evenIfDone: true });
    expect([again.status, again.body.retryOf]).toEqual([202, run.id]);
    expect(await ended(again.body.runId)).toMatchObject({ status: 'succeeded', retryOf: run.id, agentId });
    expect(bench.board.cardsIn(listId)).toHaveLength(2);
  });

  test('does not wait for a model that thinks', async () => {
    bench.model.control.faults.add({ match: { path: '/v1' }, kind: 'latency', ms: 20_000, times: 1 });
    const agent = await bench.owned('POST', '/v1/agents', { name: 'Thinker', tools: [], runner: { type: 'model' } });
    const { body } = await bench.owned('POST', `/v1/agents/${agent.body.id}/runs`, { input: {} });
    await expect.poll(async () => (await read(body.runId)).journal.length).toBe(2);
    await cancel(body.runId);
    expect((await ended(body.runId)).status).toBe('cancelled');
  });

  test('what a dead process left in doubt is found out before the run ends, and not sent again', async () => {
    const list = bench.board.newList();
    const { id: workspace_id } = (await bench.owned('GET', '/v1/workspace')).body;
    const [runId, now] = [newId('run', new Date()), new Date()];
    const run = { id: runId, workspace_id, step_id: 'board.create_card', account_id: boardAccount, attempts: 1 };
    const like = { accountId: boardAccount, input: { idList: list.id, name: 'Lost' } };
    const made = await bench.owned('POST', '/v1/steps/board.create_card/run', like);
    const input = JSON.stringify((await read(made.body.runId)).input);
    const started_by = JSON.stringify({ kind: 'key', id: 'key_1', name: 'A key' });
    await store.system
      .insertInto('runs')
      .values({ ...run, status: 'queued', started_by, input, may_send: false, created_at: now })
      .execute();
    // The very same request, by what the first run is known by.
    await sql`insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest,
        state, intended_at)
      select ${newId('eff', now)}, workspace_id, ${runId}, ordinal, account_id, effect, method, path, request, digest,
        'intended', now() - interval '1 minute'
      from effects where run_id = ${made.body.runId}`.execute(store.system);
    expect((await cancel(runId)).body).toMatchObject({ status: 'queued', cancelling: true });
    expect(await ended(runId)).toMatchObject({ status: 'cancelled', error: { code: 'conflict' } });
    expect([await writesOf(runId), bench.board.cardsIn(list.id).length]).toEqual([['not_sent'], 1]);
  });

  test('what has ended is refused with a sentence', async () => {
    const { body } = await raw('/1/lists', { name: 'x', idBoard: bench.board.newList().idBoard });
    const { status, body: refused } = await cancel(body.runId);
    expect([status, refused.error.message]).toEqual([409, 'This run has succeeded; there is nothing left to cancel.']);
    expect((await retry(body.runId)).body.error.message).toContain('only one that failed or was cancelled');
  });

  test('lets those behind it in its lane go on', async () => {
    await using track = await runTrack(freshDatabase());
    const order: string[] = [];
    const one = track.newProcess(async ({ run }) => {
      order.push(nameOf(run));
      if (nameOf(run) === '1') throw new Fault('upstream_unavailable', 'away');
      return done;
    });
    const [first, next] = [track.startOf('1', 'l'), track.startOf('2', 'l')];
    await one.begin([first]);
    await expect.poll(async () => (await track.rows())[0]?.status).toBe('queued');
    await one.begin([next]);
    await one.cancel(first.runId);
    for (const orphan of one.queue.splice(0)) await one.advance(orphan);
    await track.allEnded();
    expect([order, (await track.rows()).map(({ status }) => status)]).toEqual([
      ['1', '2'],
      ['cancelled', 'succeeded'],
    ]);
  });

  test('of one that only waits for its turn leaves the others as they are', async () => {
    await using track = await runTrack(freshDatabase());
    const { program, order, release } = holding('1');
    const one = track.newProcess(program);
    const starts = ['1', '2', '3'].map((name) => track.startOf(name, 'l'));
    await one.begin(starts);
    await one.cancel(starts[1]?.runId ?? '');
    expect(one.queue).toEqual([]);
    release();
    await track.allEnded();
    expect(order).toEqual(['1', '3']);
  });
});

describe('trying again', () => {
  test('a cancelled run is a new one with the same input, by whoever asked', async () => {
    const { runId } = await ask('Second thoughts');
    await cancel(runId);
    const cookie = await bench.signInAsOwner();
    const { status, body } = await bench.call('POST', `/v1/runs/${runId}/retry`, { cookie, body: {} });
    expect(status).toBe(202);
    const twice = await retry(runId);
    expect([twice.status, twice.body.error.details.runId]).toEqual([409, body.runId]);
    await expect.poll(async () => (await read(body.runId)).status).toBe('waiting_approval');
    const run = await read(body.runId);
    expect(run).toMatchObject({ retryOf: runId, startedBy: { kind: 'member' }, input: { subject: 'Second thoughts' } });

    await cancel(body.runId);
    const third = await retry(body.runId);
    const first = await retry(runId);
    expect([first.status, first.body.error.details.runId]).toEqual([409, third.body.runId]);
  });

  test('what may have happened is not repeated unless that is asked for', async () => {
    const { idBoard } = bench.board.newList();
    const lists = () => bench.board.control.log.list().filter(({ path }) => path.startsWith('/1/lists')).length;
    bench.board.control.faults.add({ match: { path: '/1/lists' }, kind: 'reset', times: 1 });
    expect((await raw('/1/lists', { name: 'Perhaps', idBoard })).status).toBe(504);
    const { items } = (await bench.owned('GET', '/v1/runs?status=failed&limit=1')).body;
    const refused = await retry(items[0].id);
    expect([refused.status, refused.body.error.code]).toEqual([504, 'outcome_unknown']);
    expect(refused.body.error.details.unknown).toMatchObject([{ method: 'POST', path: '/1/lists', state: 'unknown' }]);
    const before = lists();
    const again = await retry(items[0].id, { evenIfUnknown: true });
    expect((await ended(again.body.runId)).status).toBe('succeeded');
    expect(lists()).toBe(before + 1);
  });

  test('goes by the agent as it is now, and not at all once it is gone', async () => {
    const { agentId } = await commentOnNew();
    bench.board.control.faults.add({
      match: { method: 'POST', path: '/1/cards' },
      kind: 'status',
      status: 400,
      times: 1,
    });
    const { body } = await bench.owned('POST', `/v1/agents/${agentId}/runs`, { input: {} });
    expect((await ended(body.runId)).status).toBe('failed');
    await bench.owned('PATCH', `/v1/agents/${agentId}`, { instructions: 'Changed.' });
    const again = await retry(body.runId);
    expect(await ended(again.body.runId)).toMatchObject({ status: 'succeeded', agentVersion: 2 });
    // What the second run did would be done twice.
    const twice = (await retry(body.runId)).body.error;
    expect(twice.message).toContain('This run, or one that tries the same, did');
    expect(twice.details.done).toContainEqual(expect.objectContaining({ method: 'POST', path: '/1/cards' }));
    await bench.owned('DELETE', `/v1/agents/${agentId}`);
    expect((await retry(body.runId)).body.error.message).toContain('was deleted');
  });
});
