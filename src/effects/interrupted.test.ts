import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { silentLog } from '#log';
import { newId, openStore, type Store } from '#store';
import { bootstrapKey, callerFor, type Workbench, workbench } from '#test';

let bench: Workbench;
let mailAccount: string;
let boardAccount: string;
const scopes = [
  'User.Read',
  'Calendars.ReadWrite',
  'Contacts.ReadWrite',
  'Mail.ReadWrite',
  'MailboxSettings.Read',
  'MailboxSettings.ReadWrite',
];
beforeAll(async () => {
  bench = await workbench({ mail: true });
  mailAccount = await bench.connectMail('ada@sandbox.test', scopes);
  boardAccount = await bench.connectBoard();
});
beforeEach(() => {
  bench.mail.control.faults.clear();
  bench.board.control.faults.clear();
});
afterAll(() => bench[Symbol.asyncDispose]());

/** Runs a step in a process that ends once `reached`; the other process continues the run. Answers how the run ended. */
const interrupted = async (
  stepId: string,
  accountId: string,
  input: object,
  reached: () => boolean,
  then: () => unknown = () => {},
) => {
  const other = await bench.startProcess('api', { intervals: { ...bench.config.intervals, drainMs: 1 } });
  const answer = callerFor(other.origin)('POST', `/v1/steps/${stepId}/run`, {
    key: bootstrapKey,
    body: { accountId, input, permission: 'autopilot' },
  }).catch(() => undefined);
  await expect.poll(reached, { interval: 5 }).toBe(true);
  await other.stop();
  await answer;
  await then();
  const newest = async () => {
    const { body } = await bench.owned('GET', '/v1/runs?limit=1');
    return (await bench.owned('GET', `/v1/runs/${body.items[0].id}`)).body;
  };
  await expect.poll(async () => (await newest()).status).toMatch(/succeeded|failed/);
  return newest();
};

const storage = async <T>(work: (store: Store, workspaceId: string) => Promise<T>): Promise<T> => {
  const { body: workspace } = await bench.owned('GET', '/v1/workspace');
  const store = openStore({ connectionString: bench.connectionString, max: 1, log: silentLog });
  try {
    return await work(store, workspace.id);
  } finally {
    await store.close();
  }
};

const effectsOf = (runId: string) =>
  storage(async (store, workspaceId) => {
    const effects = store.of(workspaceId).selectFrom('effects').select(['method', 'state']);
    const rows = await effects.where('run_id', '=', runId).orderBy('ordinal').execute();
    return rows.map(({ method, state }) => `${method} ${state}`);
  });

test('a list that exists by an interrupted run is returned, and nothing is left in doubt', async () => {
  const { idBoard } = bench.board.newList();
  const lists = () => [...bench.board.world.lists.values()].filter(({ name }) => name === 'Only one');
  bench.board.control.faults.add({
    match: { method: 'POST', path: '/1/lists' },
    kind: 'accept_then',
    ms: 60_000,
    times: 1,
  });

  const input = { idBoard, name: 'Only one', ifExists: 'return' };
  const run = await interrupted('board.create_list', boardAccount, input, () => lists().length === 1);

  expect(run).toMatchObject({ status: 'succeeded', output: { name: 'Only one', created: true } });
  expect(lists()).toHaveLength(1);
  expect(await effectsOf(run.id)).toEqual(['POST sent']);
});

test('what was made before and would be made differently now is not made again', async () => {
  const list = bench.board.newList();
  const { faults } = bench.board.control;
  faults.add({ match: { method: 'POST', path: '/1/checklists' }, kind: 'latency', ms: 60_000, times: 1 });
  const input = { idList: list.id, name: 'As asked', checklists: [{ name: 'Steps' }] };
  const begun = () => faults.list().length === 0;
  const changeRun = () =>
    storage((store, workspaceId) =>
      sql`update runs set input = replace(input::text, 'As asked', 'Otherwise')::json
        where status in ('queued', 'running')`.execute(store.of(workspaceId)),
    );

  const run = await interrupted('board.create_card', boardAccount, input, begun, changeRun);

  expect(run).toMatchObject({ status: 'failed', error: { code: 'conflict', message: expect.stringMatching(/look/) } });
  expect(bench.board.cardsIn(list.id).map(({ name }) => name)).toEqual(['As asked']);
  expect((await effectsOf(run.id)).filter((effect) => effect.endsWith('intended'))).toEqual([]);
});

test('what may have happened while the service asks us to wait long is looked for afterwards', async () => {
  const list = bench.board.newList();
  bench.board.control.faults.add({
    match: { method: 'POST', path: '/1/cards' },
    kind: 'accept_then',
    status: 503,
    retryAfter: 90,
    times: 1,
  });
  const input = { idList: list.id, name: 'Only once' };
  const { body } = await bench.owned('POST', '/v1/steps/board.create_card/run', { accountId: boardAccount, input });
  expect(body.error).toMatchObject({ code: 'unavailable', message: expect.stringMatching(/goes on by itself/) });
  const { runId } = body.error.details;
  expect(await effectsOf(runId)).toEqual(['POST intended']);

  const wake = () =>
    storage((store) => sql`update runs set lease_until = clock_timestamp() where id = ${runId}`.execute(store.system));
  const resting = () =>
    storage(async (store) => {
      const row = await store.system.selectFrom('runs').selectAll().where('id', '=', runId).executeTakeFirst();
      return [row?.attempts, row?.status, row?.lease_owner];
    });
  // Too early, it waits on.
  await wake();
  await expect.poll(resting).toEqual([2, 'queued', null]);
  expect(await effectsOf(runId)).toEqual(['POST intended']);
  await storage((store) => sql`delete from paces`.execute(store.system));
  await wake();

  const run = async () => (await bench.owned('GET', `/v1/runs/${runId}`)).body;
  await expect.poll(async () => (await run()).status).toMatch(/succeeded|failed/);
  expect(await run()).toMatchObject({ status: 'succeeded', output: { name: 'Only once' } });
  expect(bench.board.cardsIn(list.id)).toHaveLength(1);
  expect(await effectsOf(runId)).toEqual(['POST sent']);
});

describe('a run that takes one process after the other with it', () => {
  const lapsed = async (name: string, lapses: number) => {
    const list = bench.board.newList();
    const before = bench.board.control.log.latest(1, () => true)[0]?.seq ?? 0;
    const match = { method: 'POST', path: '/1/cards' };
    bench.board.control.faults.add({ match, kind: 'accept_then', ms: 60_000, times: 1 });
    const reached = () => bench.board.cardsIn(list.id).length === 1;
    const run = await interrupted('board.create_card', boardAccount, { idList: list.id, name }, reached, () =>
      storage((store) =>
        sql`update runs set lapses = ${lapses} where status in ('queued', 'running')`.execute(store.system),
      ),
    );
    const sent = bench.board.control.log.list(before, '/1/cards').filter(({ method }) => method === 'POST');
    // The one that hangs is noted once it has ended.
    expect([bench.board.cardsIn(list.id).length, sent.length < 2]).toEqual([1, true]);
    return { run, effects: await effectsOf(run.id) };
  };

  test('ends with that reason, once it is known what it did', async () => {
    const { run, effects } = await lapsed('Poison', 24);
    expect(run).toMatchObject({
      status: 'failed',
      error: { code: 'internal', message: expect.stringMatching(/ended 24 times in a row before it was done/) },
    });
    expect(effects).toEqual(['POST sent']);
  });

  test('is not even looked for where that has ended one more, and what it did is unknown', async () => {
    const { run, effects } = await lapsed('Worse poison', 25);
    expect(run).toMatchObject({
      status: 'failed',
      error: { code: 'outcome_unknown', message: expect.stringMatching(/25 times .+ look before it is repeated/) },
    });
    expect(effects).toEqual(['POST unknown']);
  });
});

test('a run whose processes died again and again has all of its tries left when the service is away', async () => {
  bench.board.control.faults.add({ match: { method: 'GET' }, kind: 'status', status: 503 });
  const runId = newId('run', new Date());
  const stored = () =>
    storage(async (store) => {
      const { rows } = await sql`select status, attempts, tries, lease_owner from runs where id = ${runId}`.execute(
        store.system,
      );
      return rows[0];
    });
  await storage((store, workspaceId) =>
    sql`insert into runs (id, workspace_id, step_id, account_id, status, started_by, input, may_send, attempts, lapses,
        created_at, lease_owner, lease_until)
      values (${runId}, ${workspaceId}, 'board.get_boards', ${boardAccount}, 'running', '{"kind":"system","id":"runs","name":"Switchboard"}', '{}', false, 9,
        2, now(), 'somebody who died', now())`.execute(store.of(workspaceId)),
  );

  const putOff = { status: 'queued', attempts: 10, tries: 1, lease_owner: null };
  await expect.poll(stored).toEqual(putOff);
  bench.board.control.faults.clear();

  const run = async () => (await bench.owned('GET', `/v1/runs/${runId}`)).body;
  await storage((store) => sql`update runs set lease_until = now() where id = ${runId}`.execute(store.system));
  await expect.poll(async () => (await run()).status).toBe('succeeded');
});

test('what a tool had begun is told as unknown when its credential is gone by the time it goes on', async () => {
  const credentials = await (await fetch(`${bench.board.url}/_control/credentials`)).json();
  const [{ key, token }] = (credentials as { members: [{ key: string; token: string }] }).members;
  const typed = { integration: 'board', auth: { type: 'key_token', key, token } };
  const { body: secret } = await bench.owned('POST', '/v1/secrets', typed);
  const input = { idList: bench.board.newList().id, name: 'Perhaps' };
  const steps = [{ key: 'it', step: 'board.create_card', account: { secret: secret.id }, input }];
  const { body: tool } = await bench.owned('POST', '/v1/tools', { name: 'Perhaps', steps });
  await bench.owned('DELETE', `/v1/secrets/${secret.id}`);
  const runId = newId('run', new Date());
  await storage(async (store, workspaceId) => {
    await sql`insert into runs (id, workspace_id, tool_id, tool_version, status, started_by, input, may_send, attempts,
        created_at, lease_until)
      values (${runId}, ${workspaceId}, ${tool.id}, 1, 'running', '{"kind":"system","id":"runs","name":"Switchboard"}', '{}', false, 1, now(), now())`.execute(
      store.of(workspaceId),
    );
    await sql`insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest,
        state, intended_at)
      values (${newId('eff', new Date())}, ${workspaceId}, ${runId}, 1, ${secret.id}, 'write', 'POST', '/1/cards', '{}', '',
        'intended', now())`.execute(store.of(workspaceId));
  });
  const run = async () => (await bench.owned('GET', `/v1/runs/${runId}`)).body;
  await expect.poll(async () => (await run()).status).toBe('failed');
  expect((await run()).error).toMatchObject({
    code: 'outcome_unknown',
    message: expect.stringContaining('secret was deleted'),
  });
  expect(await effectsOf(runId)).toEqual(['POST unknown']);
});

describe('a label change that was interrupted', () => {
  const deliver = async (subject: string) => {
    const answer = await fetch(`${bench.mail.url}/_control/deliver`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject }),
    });
    const { id } = (await answer.json()) as { id: string };
    const [message] = [...(bench.mail.world.mailboxOf('ada@sandbox.test')?.messages.values() ?? [])].filter(
      (mail) => mail.subject === subject,
    );
    if (message === undefined) throw new Error('no mail');
    return { id, message };
  };
  const hang = (method: string, path: string) =>
    bench.mail.control.faults.add({ match: { method, path }, kind: 'latency', ms: 60_000, times: 1 });
  const begun = () => bench.mail.control.faults.list().length === 0;

  test('is made on top of what others did meanwhile', async () => {
    const { id, message } = await deliver('Interrupted 1');
    hang('PATCH', '/v1.0/me/messages/');
    const others = async () => {
      const token = bench.mail.tokenFor('ada@sandbox.test', 'Mail.ReadWrite');
      await fetch(`${bench.mail.url}/v1.0/me/messages/${id}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ categories: ['Blue category'] }),
      });
    };
    const input = { messageId: id, labels: ['Red category'] };
    const run = await interrupted('mail.add_label', mailAccount, input, begun, others);

    expect(run).toMatchObject({ status: 'succeeded', output: { added: ['Red category'] } });
    expect(message.categories).toContain('Red category');
    expect(await effectsOf(run.id)).toEqual(['PATCH sent']);
  });

  test('goes on after the label that it made before', async () => {
    const { id, message } = await deliver('Interrupted 2');
    hang('PATCH', '/v1.0/me/messages/');

    const input = { messageId: id, labels: ['Fresh'], createMissing: true };
    const run = await interrupted('mail.add_label', mailAccount, input, begun);

    expect(run).toMatchObject({ status: 'succeeded', output: { labels: ['Fresh'] } });
    expect(message.categories).toEqual(['Fresh']);
    expect((await effectsOf(run.id)).every((effect) => effect.endsWith('sent'))).toBe(true);
  });
});

test('what was added to a card by an interrupted run that moved it first is not added again', async () => {
  const list = bench.board.newList();
  const board = bench.board.world.boards.get(list.idBoard);
  const other = bench.board.newList({ ...(board && { board }) });
  const card = bench.board.newCard({ list, name: 'On its way' });
  const { faults } = bench.board.control;
  faults.add({ match: { method: 'POST', path: '/1/checklists' }, kind: 'latency', ms: 60_000, times: 1 });
  const input = {
    cardId: card.id,
    idList: other.id,
    attachments: [{ url: 'https://example.com/plan' }],
    checklists: [{ name: 'Steps' }],
  };

  const run = await interrupted('board.update_card', boardAccount, input, () => faults.list().length === 0);

  expect(run).toMatchObject({ status: 'succeeded', output: { idList: other.id } });
  expect(card.attachments).toHaveLength(1);
  expect((await effectsOf(run.id)).filter((effect) => effect === 'POST sent')).toHaveLength(2);
});

test('an event that an interrupted run deleted by its web address is told as deleted', async () => {
  const input = { subject: 'Gone', start: '2027-03-01T09:00:00Z', end: '2027-03-01T10:00:00Z' };
  const made = await bench.owned('POST', '/v1/steps/mail.create_event/run', { accountId: mailAccount, input });
  const { id } = made.body.output;
  const match = { method: 'DELETE', path: '/v1.0/me/events/' };
  bench.mail.control.faults.add({ match, kind: 'accept_then', ms: 60_000, times: 1 });
  const eventId = `https://outlook.office.com/calendar/item/${encodeURIComponent(id)}`;
  const begun = () => bench.mail.control.faults.list().length === 0;

  const run = await interrupted('mail.delete_event', mailAccount, { eventId }, begun);

  expect(run).toMatchObject({ status: 'succeeded', output: { eventId: id, deleted: true }, error: null });
});

test('a file that an interrupted run may have attached is not attached again behind a change that comes otherwise', async () => {
  const list = bench.board.newList();
  const board = bench.board.world.boards.get(list.idBoard);
  const label = bench.board.newLabel({ ...(board && { board }), name: 'Told once' });
  const card = bench.board.newCard({ list });
  const stored = await fetch(`${bench.origin}/v1/files?name=plan.txt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'text/plain' },
    body: 'The plan',
  });
  const { ref } = (await stored.json()) as { ref: string };
  const { faults } = bench.board.control;
  const match = { method: 'POST', path: '.*/attachments$' };
  faults.add({ match, kind: 'accept_then', ms: 60_000, times: 1 });
  const input = { cardId: card.id, name: 'Before', attachments: [{ file: ref }], addLabels: [label.id] };
  const changeRun = () =>
    storage((store, workspaceId) =>
      sql`update runs set input = replace(input::text, 'Before', 'After')::json
        where status in ('queued', 'running')`.execute(store.of(workspaceId)),
    );

  const run = await interrupted('board.update_card', boardAccount, input, () => faults.list().length === 0, changeRun);

  expect(run).toMatchObject({ status: 'succeeded', output: { name: 'After' } });
  expect(card.attachments).toHaveLength(1);
});

describe('a run that goes on still means what it meant before it changed that itself', () => {
  const made = async (step: string, input: object) => {
    const asked = { accountId: mailAccount, input, permission: 'autopilot' };
    const { body } = await bench.owned('POST', `/v1/steps/mail.${step}/run`, asked);
    return body.output;
  };
  const weekly = async (subject: string) => {
    const times = { start: '2027-03-01T09:00:00Z', end: '2027-03-01T10:00:00Z' };
    const { id } = await made('create_event', { subject, ...times, recurrence: 'FREQ=WEEKLY;COUNT=5' });
    const { items } = await made('list_events', { start: '2027-03-08', end: '2027-03-12', query: subject });
    return { id, occurrence: items[0].id };
  };
  const categories = () =>
    bench.mail.world.mailboxOf('ada@sandbox.test')?.categories.map(({ displayName }) => displayName);

  type Case = { input: object; output: object; after?: () => unknown; there?: unknown };
  test.each<[string, step: string, method: string, path: string, make: () => Case | Promise<Case>]>([
    [
      'a card that it renamed, unchanged until then',
      'board.update_card',
      'POST',
      '.*/idLabels$',
      () => {
        const list = bench.board.newList();
        const board = bench.board.world.boards.get(list.idBoard);
        const label = bench.board.newLabel({ ...(board && { board }), name: 'Behind the name' });
        const { dateLastActivity } = bench.board.newCard({ list, name: 'Called so' });
        const by = { cardId: 'Called so', board: list.idBoard, ifUnchangedSince: dateLastActivity };
        return {
          input: { ...by, name: 'Called otherwise', addLabels: [label.id] },
          output: {
            name: 'Called otherwise',
            changes: [
              { field: 'name', from: 'Called so', to: 'Called otherwise' },
              { field: 'labels', from: [], to: [label.id] },
            ],
          },
        };
      },
    ],
    [
      'a card that it moved, which was elsewhere',
      'board.move_card',
      'PUT',
      '/1/cards/',
      () => {
        const list = bench.board.newList();
        const board = bench.board.world.boards.get(list.idBoard);
        const other = bench.board.newList({ ...(board && { board }) });
        const { id } = bench.board.newCard({ list });
        return { input: { cardId: id, list: other.id }, output: { from: { idList: list.id }, moved: true } };
      },
    ],
    [
      'a list that it copied under the same name',
      'board.create_list',
      'POST',
      '/1/lists',
      () => {
        const { idBoard } = bench.board.newList({ name: 'Twin' });
        const twins = () => [...bench.board.world.lists.values()].filter(({ name }) => name === 'Twin').length;
        return {
          input: { idBoard, name: 'Twin', idListSource: 'Twin' },
          output: { name: 'Twin' },
          after: twins,
          there: 2,
        };
      },
    ],
    [
      'a series that it deleted, by an occurrence',
      'mail.delete_event',
      'DELETE',
      '/v1.0/me/events/',
      async () => {
        const { id, occurrence } = await weekly('No more');
        return {
          input: { eventId: occurrence, scope: 'series' },
          output: { eventId: id, deleted: true, cancelledNotified: false },
        };
      },
    ],
    [
      'a meeting that it cancelled, with those invited',
      'mail.cancel_event',
      'POST',
      '/v1.0/me/events/',
      async () => {
        const times = { start: '2027-03-01T09:00:00Z', end: '2027-03-01T10:00:00Z' };
        const attendees = ['ben@sandbox.test'];
        const { id } = await made('create_event', { subject: 'Called off', ...times, attendees });
        return { input: { eventId: id }, output: { cancelled: true, notified: attendees } };
      },
    ],
    [
      'a series that it gave other occurrences, by one of them',
      'mail.update_event',
      'PATCH',
      '/v1.0/me/events/',
      async () => {
        const { id, occurrence } = await weekly('Oftener');
        return { input: { eventId: occurrence, scope: 'series', recurrence: 'FREQ=DAILY;COUNT=3' }, output: { id } };
      },
    ],
    [
      'a contact whose address it replaced, by that address',
      'mail.update_contact',
      'PATCH',
      '/v1.0/me/contacts/',
      async () => {
        const { id } = await made('create_contact', { givenName: 'Zed', emails: ['zed@example.com'] });
        return {
          input: { contactId: 'zed@example.com', emails: ['new@example.com'] },
          output: { id, changes: [expect.objectContaining({ field: 'emails' })] },
        };
      },
    ],
    [
      'several labels, of which it made the first',
      'mail.add_label',
      'POST',
      '/v1.0/me/outlook/masterCategories',
      async () => {
        const { messageId } = await made('create_draft', { subject: 'To be labelled' });
        const labels = ['Newly 1', 'Newly 2'];
        const input = { messageId, labels, createMissing: true };
        const offered = () => categories()?.filter((name) => name.startsWith('Newly'));
        return { input, output: { labels }, after: offered, there: labels };
      },
    ],
  ])('%s', async (_, step, method, path, make) => {
    const { input, output, after, there } = await make();
    const service = step.startsWith('board.') ? bench.board : bench.mail;
    const { faults } = service.control;
    // As long as it hangs, it takes one of the few places at the service.
    faults.add({ match: { method, path }, kind: 'accept_then', ms: 5_000, times: 1 });
    const accountId = step.startsWith('board.') ? boardAccount : mailAccount;

    const run = await interrupted(step, accountId, input, () => faults.list().length === 0);

    expect(run).toMatchObject({ status: 'succeeded', output, error: null });
    expect(after?.()).toEqual(there);
  });
});
